#pragma once
// What an outline is for: explanations, the reference page, the JSON Schema.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "scenarios/language/reference/outline.hpp"

namespace hearsay::scenarios {

/// Explains the option at a dotted path: type, unit, default, range, meaning, source, choices, alternatives, members.
/// The path can name an alternative ("network.latency.lognormal") or skip it ("network.latency.max": explained for
/// every alternative that has the member); an empty path is the whole. Throws InputError with the nearest name.
std::string explain(const Outline& root, std::string_view path);

/// A page in Markdown with every option. Alternatives that are allowed in several places are described once.
std::string reference_page(const Outline& root);

/// The scenario language as a JSON Schema (draft 2020-12), for completion and checking in editors. Whatever the reader
/// accepts is valid. The schema does not check required keys (another file can give them), ranges of quantities
/// written as text, and rules on several options. It has two words of VS Code that other validators ignore:
/// enumDescriptions and patternErrorMessage.
nlohmann::ordered_json json_schema(const Outline& root);
/// The same as text, a line for each key and each definition, so that a change of one is a change of a line.
std::string schema_text(const Outline& root);

}  // namespace hearsay::scenarios
