#pragma once
// How busy the ranks of a team were.
#include <string>
#include <vector>

#include "scenarios/execution/workers/team.hpp"

namespace hearsay::scenarios {

/// A line for each rank: host, threads, runs, runs/s, and the share of the time of its threads that runs and the
/// assembling of points took.
std::string rank_table(const std::vector<RankRecord>& records, double seconds);

}  // namespace hearsay::scenarios
