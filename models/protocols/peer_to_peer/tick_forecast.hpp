#pragma once
// Forecast of the ticks of each agent among those of the whole network, which the schedules of Proposition 2 assume
// known. All clocks are counted, whether or not their agent is up.
#include <cstdint>
#include <span>
#include <vector>

#include "sim/clocks/clocks.hpp"

namespace hearsay::models {

/// Of every agent its first `wanted[i]` ticks, as numbers from 0 in the order of all agents' ticks; fewer where
/// a clock ends before. O(ticks until the last of them, log n each).
std::vector<std::vector<double>> forecast_ticks(const sim::Clocks& clocks,
                                                std::span<const std::uint64_t> wanted);
/// Of every agent its ticks among the first `total` of the network.
std::vector<std::vector<double>> forecast_ticks(const sim::Clocks& clocks, sim::AgentId agents,
                                                std::uint64_t total);

}  // namespace hearsay::models
