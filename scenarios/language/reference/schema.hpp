#pragma once
// The scenario language as a JSON Schema (draft 2020-12), for completion and checking in editors.
#include <nlohmann/json.hpp>

#include "scenarios/language/reference/outline.hpp"

namespace hearsay::scenarios {

/// Everything the reader accepts is valid under it; not everything it refuses is invalid. Left to the reader:
/// what must be given (another file may give it), the range of a quantity written as text, and rules that tie
/// options together.
nlohmann::ordered_json json_schema(const Outline& root);

}  // namespace hearsay::scenarios
