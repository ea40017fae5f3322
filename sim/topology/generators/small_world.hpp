#pragma once
// Small worlds: Watts and Strogatz, "Collective dynamics of 'small-world' networks", Nature 1998.
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// A ring in which each of n agents is linked to its `neighbours` nearest, n * neighbours / 2 links in all;
/// each link, but for the one of agents 0 and 1, is then with probability `rewire` given another end, uniform
/// among those that are not among the nearest (boost::small_world_iterator). Links that come to lie on one
/// another are merged, so that there may be a few less. With nothing rewired each agent's clustering is 3 (k
/// - 2)/(4 (k - 1)) for k < 2n/3.
struct WattsStrogatz {
  static constexpr std::string_view kName = "watts_strogatz";
  static constexpr std::string_view kHelp =
      "Small world: a ring with links to several agents on both sides, some of them rewired to a random "
      "endpoint.";
  AgentId neighbours = 4;  ///< even
  double rewire = 0.1;
  void describe(Visitor& v);
};

/// Throws TopologyError for neighbours + 2 > nodes. O(nodes * neighbours).
Draft draw(const WattsStrogatz& options, AgentId nodes, const Streams& streams);

}  // namespace hearsay::sim
