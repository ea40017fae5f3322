#pragma once
#include <span>
#include <vector>

#include "sim/topology/graph.hpp"

namespace hearsay::sim {

/// The connected component of each of `nodes` agents under undirected edges, as its smallest agent. O(edges)
/// amortised, by union and find.
std::vector<AgentId> connected_components(AgentId nodes, std::span<const Edge> edges);

}  // namespace hearsay::sim
