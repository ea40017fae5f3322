#pragma once
// The rules that descriptions state, each with a value that breaks it and what must be said of that.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/language/reference/outline.hpp"

namespace hearsay::test {

struct BrokenRule {
  nlohmann::ordered_json scenario;
  std::string message;         ///< after the position: "/pointer: must be ..., got ..."
  bool schema_sees_it = true;  ///< whether the JSON Schema can tell
};

/// One for every range, kind, unit and required option of the outline; of kinds of thing that may stand in
/// several places, once. They change `base`, a scenario that is right, and may name "data.csv".
std::vector<BrokenRule> broken_rules(const scenarios::Outline& root, const nlohmann::ordered_json& base);

}  // namespace hearsay::test
