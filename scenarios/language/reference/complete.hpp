#pragma once
// Completion of the paths and values of options, from an outline.
#include <string_view>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/outline.hpp"

namespace hearsay::scenarios {

/// Completions of the path of an option as `explain` reads it, with one more key: of "network.la" "network.latency",
/// and "network.latency." because further keys can follow. The path can contain the name of an alternative.
Names complete_path(const Outline& root, std::string_view written);

/// Completions of PATH=VALUE: paths with one more key, which end in "=" where a value can follow and in "." where
/// further keys can, or values that are from a list. A path below "sweep." is that of an axis.
Names complete_setting(const Outline& root, std::string_view written);

}  // namespace hearsay::scenarios
