#pragma once
#include <nlohmann/json.hpp>

#include "scenarios/language/json/node.hpp"

namespace hearsay::scenarios {

/// A Node as plain JSON.
nlohmann::ordered_json to_json(const Node& node);

}  // namespace hearsay::scenarios
