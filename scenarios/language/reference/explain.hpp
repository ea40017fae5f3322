#pragma once
// What may stand in a place of a scenario, for people.
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/language/reference/outline.hpp"

namespace hearsay::scenarios {

/// What is known of the option at a dotted path: kind, unit, default, range, meaning, source, choices,
/// alternatives, members. The path may go through an alternative by its name ("network.latency.lognormal") or
/// straight to a member that some alternatives have ("network.latency.max": told for each). An empty path is
/// the whole. Throws InputError with the nearest name.
std::string explain(const Outline& root, std::string_view path);

/// The paths of all options that hold no others, alternatives by name: "network.latency.uniform.max".
std::vector<std::string> leaf_paths(const Outline& root);

/// A page in Markdown with every option. Alternatives that may stand in several places are told once.
std::string reference_page(const Outline& root);

}  // namespace hearsay::scenarios
