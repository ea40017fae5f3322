#pragma once
// Who can talk to whom: an undirected graph, frozen from an array of edges to compressed rows.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include "sim/describe.hpp"
#include "sim/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// A graph that can not be built or used as asked; the message is for the user.
struct TopologyError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Edge {
  AgentId a, b;
};

/// Edges with a weight each.
struct WeightedEdges {
  std::vector<Edge> edges;
  std::vector<double> weights;
};

/// Rows hold an agent's neighbours in ascending order. A directed edge has a position: the place of its
/// target in the row of its source; positions are 0 .. 2 edges - 1.
class Topology {
 public:
  /// From undirected edges, each given once. `weights`: one per edge, or empty for all 1.
  /// Throws TopologyError for a self loop, a repeated edge or an end that is no agent. O(edges log degree).
  static Topology from_edges(AgentId agents, std::span<const Edge> edges,
                             std::span<const double> weights = {});

  AgentId agents() const { return static_cast<AgentId>(row_.size() - 1); }
  std::size_t edges() const { return column_.size() / 2; }
  std::span<const AgentId> neighbours(AgentId i) const { return {column_.data() + row_[i], degree(i)}; }
  std::uint32_t degree(AgentId i) const { return row_[i + 1] - row_[i]; }
  /// Position of the first directed edge of agent i.
  std::uint32_t first_edge(AgentId i) const { return row_[i]; }
  /// Position of the directed edge from -> to, or edges() * 2 if there is none. O(log degree).
  std::uint32_t edge(AgentId from, AgentId to) const;
  /// Weight of the directed edge at a position.
  double weight(std::uint32_t position) const { return weight_.empty() ? 1.0 : weight_[position]; }
  /// Number of connected components.
  AgentId components() const;
  /// The same for equal graphs, and else different but by chance in 2^64. O(edges).
  std::uint64_t fingerprint() const;

 private:
  std::vector<std::uint32_t> row_;
  std::vector<AgentId> column_;
  std::vector<double> weight_;
};

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
