#pragma once
// A graph while it is being made: drawn or read, mended, and at last frozen.
#include <string>
#include <vector>

#include "sim/topology/graph.hpp"

namespace hearsay::sim {

struct Draft {
  AgentId nodes = 0;
  std::vector<Edge> edges = {};
  std::vector<double> weight = {}, latency = {}, length = {};  ///< by edge, or empty; 1, s, m
  std::vector<Place> places = {};                              ///< by node, or empty
  std::vector<std::string> names = {};                         ///< by node, or empty
  std::vector<std::string> notes = {};                         ///< what was done to it, a sentence each

  /// How messages call a node.
  std::string called(AgentId node) const;
};

/// Leaves one of several edges between the same two nodes: of what is known of them the greatest weight, the
/// least latency and the least length. Edges are then in ascending order. Returns how many were merged.
/// O(edges log edges).
std::size_t merge_duplicates(Draft& draft);

/// The nodes of `kept`, in that order, and the edges between them.
Draft induced(Draft&& draft, const std::vector<AgentId>& kept);

/// Leaves the component with most nodes; of equals the one with the least node.
void keep_largest_component(Draft& draft);

/// Links each component to the next, in the order of their least nodes, by an edge between these. Throws
/// TopologyError where edges have weights or latencies, which the new ones would lack; their length is the
/// straight distance.
void join_components(Draft& draft);

/// Throws TopologyError as Topology::from_edges does.
Topology freeze(Draft&& draft);

}  // namespace hearsay::sim
