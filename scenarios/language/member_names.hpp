#pragma once
// The keys that an object may have.
#include <string>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

std::vector<std::string> member_names(const sim::Describe& members);

/// "a, b, c"
std::string comma_separated(const std::vector<std::string>& names);

std::vector<std::string> names_of(std::span<const sim::Choice> choices);
std::vector<std::string> names_of(std::span<const sim::Alternative> alternatives);

}  // namespace hearsay::scenarios
