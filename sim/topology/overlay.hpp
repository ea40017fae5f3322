#pragma once
// Links that run along the shortest paths of another graph.
#include <optional>
#include <string>
#include <variant>

#include "sim/options/describe.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// A hub among the nodes of a graph, and a link from it to every other node along the shortest path. The path
/// is shortest in latency where the graph's links have latencies, else in length (the distance of their ends'
/// places, where they have no length of their own); the link has the path's sum of either that the graph
/// knows. So nodes on the way pass messages on whether or not they are up, and the links of a path are not
/// shared.
struct StarOverlay {
  static constexpr std::string_view kName = "star";
  static constexpr std::string_view kHelp = "A link from a hub, which is agent 0, to every other node.";
  std::string hub = "centre";
  void describe(Visitor& v);
};
using OverlayOptions = std::variant<StarOverlay>;

/// The hub becomes node 0, the others follow in their order. "centre" is the node that is nearest to the one
/// farthest from it (of equals the first). Throws TopologyError where no node or several have the hub's name,
/// links have neither latency nor length, or nodes can not be reached. O(edges log nodes); for the centre as
/// often as there are nodes, of which there must then be at most 10 000.
Draft overlay(Draft&& graph, const StarOverlay& options);

}  // namespace hearsay::sim
