#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/core/world.hpp"

namespace hearsay::models {

/// T: how many iterations the privacy budgets are planned for: `given`, by default where the run stops.
/// Throws std::invalid_argument where neither is said, or both and they differ.
std::uint64_t horizon_of(std::string_view protocol, std::optional<std::uint64_t> given, const Study& study);

}  // namespace hearsay::models
