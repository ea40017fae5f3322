#pragma once
// What an option accepts, for messages about other values.
#include <span>
#include <string>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

/// `an object such as {"iterations": 5}`: with the first required member, or else the first one.
std::string expected_object(const sim::Describe& members);

/// "a number or a distribution (constant, uniform, ...)", `a number or "auto"`, "text or one of star, ring".
std::string expected_forms(std::span<const sim::Alternative> all);

/// The alternative that a bare number, list or text stands for; null if there is none.
const sim::Alternative* with_shorthand(std::span<const sim::Alternative> all, sim::Shorthand::Kind kind);

}  // namespace hearsay::scenarios
