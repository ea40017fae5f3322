#pragma once
// Random graphs whose edges are there or not independently of each other. Positions of edges are found by
// geometric steps (Batagelj and Brandes, "Efficient generation of large random networks", 2005): O(nodes +
// edges), blocks^2 more for the block model. The first by boost::sorted_erdos_renyi_iterator.
#include <optional>

#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// G(n, p): the number of edges is binomial with n (n - 1)/2 trials of probability p.
struct ErdosRenyi {
  static constexpr std::string_view kName = "erdos_renyi";
  static constexpr std::string_view kHelp =
      "Each pair of agents is linked independently with the same probability.";
  std::optional<double> probability, mean_degree;  ///< mean_degree = probability (n - 1); 4
  void describe(Visitor& v);
};
/// Throws TopologyError for a mean degree above n - 1.
Draft draw(const ErdosRenyi& options, AgentId nodes, const Streams& streams);

/// Blocks are consecutive agents. Edges within a block, and between two, are binomial.
struct StochasticBlock {
  static constexpr std::string_view kName = "stochastic_block";
  static constexpr std::string_view kHelp =
      "Stochastic block model: links within a block have one probability, links between blocks another.";
  std::optional<AgentId>
      blocks;  ///< 2 if neither is given; sizes then differ by at most 1, larger ones first
  std::vector<AgentId> sizes;
  double within = 0.5, between = 0.05;
  void describe(Visitor& v);
};
/// Throws TopologyError where the sizes do not sum to the number of nodes, or a block would be empty.
Draft draw(const StochasticBlock& options, AgentId nodes, const Streams& streams);

}  // namespace hearsay::sim
