#pragma once
// The range of a numeric option: whether a value lies in it, and how to say so.
#include <string>

#include "sim/options/describe.hpp"

namespace hearsay::scenarios {

bool in_range(double value, const sim::About& about);

/// "at least 0 s", "above 0", "in (0, 1]"; nothing if every number is allowed.
std::string range_text(const sim::About& about);

}  // namespace hearsay::scenarios
