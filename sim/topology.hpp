#pragma once
// The graphs that a scenario can ask for.
#include <cstdint>
#include <variant>

#include "sim/describe.hpp"
#include "sim/stream.hpp"
#include "sim/time.hpp"
#include "sim/topology/graph.hpp"

namespace hearsay::sim {

// Generators. Agent 0 is the hub of a star, so that adding an owner renames nobody.

struct Star {
  static constexpr std::string_view kName = "star";
  static constexpr std::string_view kHelp = "Agent 0 is linked to every other agent.";
  void describe(Visitor&) {}
};
struct Ring {
  static constexpr std::string_view kName = "ring";
  static constexpr std::string_view kHelp = "Each agent is linked to the next, the last to the first.";
  void describe(Visitor&) {}
};
struct Complete {
  static constexpr std::string_view kName = "complete";
  static constexpr std::string_view kHelp = "Every two agents are linked.";
  void describe(Visitor&) {}
};
struct RandomRegular {
  static constexpr std::string_view kName = "random_regular";
  static constexpr std::string_view kHelp = "A random simple graph in which every agent has the same degree.";
  std::uint32_t degree = 4;
  void describe(Visitor& v);
};

struct Similarity {
  static constexpr std::string_view kName = "similarity";
  static constexpr std::string_view kHelp =
      "Agents are linked, with weights, as the data say that they are alike.";
  void describe(Visitor&) {}
};

using TopologyOptions = std::variant<Star, Ring, Complete, RandomRegular, Similarity>;

/// Builds a graph of `agents` agents. Random graphs draw from (kTopology, 0). Throws TopologyError where no
/// such graph exists. RandomRegular: stubs paired at random, pairs that would be a loop or a repetition
/// paired anew (Steger and Wormald, 1999), asymptotically uniform for degree^2 << agents; O(agents *
/// degree^2). A degree above half of the others is built from the pairs to leave out.
/// `similar` are the edges that the data define, or null.
Topology make_topology(const TopologyOptions& options, AgentId agents, const Streams& streams,
                       const WeightedEdges* similar = nullptr);

}  // namespace hearsay::sim
