#pragma once
// Random graphs in which all degrees are equal.
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// Stubs paired at random, pairs that would be a loop or a repetition paired anew (Steger and Wormald, 1999):
/// asymptotically uniform among the simple graphs of that degree for degree^2 << nodes. A degree above half
/// of the others is built from the pairs to leave out.
struct RandomRegular {
  static constexpr std::string_view kName = "random_regular";
  static constexpr std::string_view kHelp = "Random simple graph in which every agent has the same degree.";
  std::uint32_t degree = 4;
  void describe(Visitor& v);
};

/// Throws TopologyError where no such graph exists. O(nodes * degree^2).
Draft draw(const RandomRegular& options, AgentId nodes, const Streams& streams);

}  // namespace hearsay::sim
