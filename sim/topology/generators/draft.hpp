#pragma once
// A graph under construction: drawn or read, repaired, then frozen.
#include <string>
#include <vector>

#include "sim/random/stream.hpp"
#include "sim/topology/graph.hpp"

namespace hearsay::sim {

struct Draft {
  AgentId nodes = 0;
  std::vector<Edge> edges = {};
  std::vector<double> weight = {}, latency = {}, length = {};  ///< by edge, or empty; 1, s, m
  std::vector<Place> places = {};                              ///< by node, or empty
  std::vector<std::string> names = {};                         ///< by node, or empty
  std::vector<std::string> notes = {};                         ///< changes made to it, a sentence each
  double torus = 0;  ///< side of the square whose opposite sides are one, m; 0: there is none

  /// How messages call a node.
  std::string called(AgentId node) const;
};

/// Leaves one of several edges between the same two nodes, with the largest weight, the smallest latency and the smallest
/// length of them. Edges are then in ascending order. Returns how many were merged. O(edges log edges).
std::size_t merge_duplicates(Draft& draft);

/// The nodes of `kept`, in that order, and the edges between them.
Draft induced(Draft&& draft, const std::vector<AgentId>& kept);

/// Keeps the component with the most nodes; of equals the one with the smallest node.
void keep_largest_component(Draft& draft);

/// Links each component to the next, in the order of their smallest nodes, by an edge between these. Its length is
/// their distance; throws TopologyError where edges have weights or latencies, which it would lack.
void join_components(Draft& draft);

/// Throws TopologyError as Topology::from_edges does.
Topology freeze(Draft&& draft);

/// What is drawn: the index in (kTopology, 0); of a place in (kTopology, node).
enum class TopologyDraw : std::uint32_t {
  kEdges = 0,
  kNodes = 1,  ///< which nodes have agents
  kPlace = 2,
  kOrder = 3,  ///< numbering of the agents
};

inline Stream topology_stream(const Streams& streams, TopologyDraw what, AgentId node = 0) {
  return streams(Purpose::kTopology, node, 0, static_cast<std::uint32_t>(what));
}

/// Makes every order equally likely (Fisher and Yates).
void shuffle(std::vector<AgentId>& all, Stream& s);

}  // namespace hearsay::sim
