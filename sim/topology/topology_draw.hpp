#pragma once
// What of a graph is drawn from which stream of Purpose::kTopology.
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/random/random.hpp"

namespace hearsay::sim {

/// Index of the stream; its entity is 0, for a place the node.
enum class TopologyDraw : std::uint32_t {
  kEdges = 0,
  kNodes = 1,  ///< which nodes have agents
  kPlace = 2,
  kOrder = 3,  ///< how agents are numbered
};

inline Stream topology_stream(const Streams& streams, TopologyDraw what, AgentId node = 0) {
  return streams(Purpose::kTopology, node, 0, static_cast<std::uint32_t>(what));
}

/// Every order equally likely (Fisher and Yates).
inline void shuffle(std::vector<AgentId>& all, Stream& s) {
  for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[uniform_index(s, k)]);
}

}  // namespace hearsay::sim
