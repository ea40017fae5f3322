#pragma once
// The rules that options state, each with a value that breaks it and the expected message.
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scenarios/language/reference/outline.hpp"

namespace hearsay::test {

struct BrokenRule {
  nlohmann::ordered_json scenario;
  std::string message;         ///< after the position: "/pointer: expected ..., found ..."
  bool schema_sees_it = true;  ///< whether the JSON Schema refuses it
};

/// One for every range, type, unit and required option of the outline; for alternatives that are allowed in several
/// places, once. `base` is a valid scenario; the broken scenarios are changed from it and can name "data.csv".
std::vector<BrokenRule> broken_rules(const scenarios::Outline& root, const nlohmann::ordered_json& base);

}  // namespace hearsay::test
