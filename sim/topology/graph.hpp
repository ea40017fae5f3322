#pragma once
// Who can talk to whom: an undirected graph, frozen from an array of edges to compressed rows.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/time.hpp"
#include "sim/topology/place.hpp"

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

/// Numbers that belong to edges, one each in the order of the edges, or none.
struct EdgeValues {
  std::span<const double> weight = {};
  std::span<const double> latency = {};  ///< s
  std::span<const double> length = {};   ///< m
};

/// Rows hold an agent's neighbours in ascending order. A directed edge has a position: the place of its
/// target in the row of its source; positions are 0 .. 2 edges - 1.
class Topology {
 public:
  /// From undirected edges, each given once. `weights`: one per edge, or empty for all 1.
  /// Throws TopologyError for a self loop, a repeated edge or an end that is no agent. O(edges log degree).
  static Topology from_edges(AgentId agents, std::span<const Edge> edges,
                             std::span<const double> weights = {}) {
    return from_edges(agents, edges, EdgeValues{.weight = weights});
  }
  static Topology from_edges(AgentId agents, std::span<const Edge> edges, const EdgeValues& values);

  AgentId agents() const { return static_cast<AgentId>(row_.size() - 1); }
  std::size_t edges() const { return column_.size() / 2; }
  std::span<const AgentId> neighbours(AgentId i) const { return {column_.data() + row_[i], degree(i)}; }
  std::uint32_t degree(AgentId i) const { return row_[i + 1] - row_[i]; }
  /// Position of the first directed edge of agent i.
  std::uint32_t first_edge(AgentId i) const { return row_[i]; }
  /// Position of the directed edge from -> to, or edges() * 2 if there is none. O(log degree).
  std::uint32_t edge(AgentId from, AgentId to) const;
  /// Weight of the directed edge at a position; the same in both directions.
  double weight(std::uint32_t position) const { return weight_.empty() ? 1.0 : weight_[position]; }
  /// Number of connected components.
  AgentId components() const;
  /// Of rows, neighbours and weights: the same for equal graphs, and else different but by chance in 2^64.
  /// O(edges).
  std::uint64_t fingerprint() const;

  /// Seconds that a message takes, by position of the directed edge, where the graph itself says so; else
  /// empty. The same in both directions.
  std::span<const double> latency() const { return latency_; }
  /// Metres that a link is long, by position, where it is not the distance of its ends' places (a link that
  /// runs through other nodes, or around a torus); else empty.
  std::span<const double> length() const { return length_; }
  /// Where each agent is; empty where nothing is known. All geographic or none.
  const std::vector<Place>& places() const { return places_; }
  /// What the graph calls each agent; empty where it has no names.
  const std::vector<std::string>& names() const { return names_; }
  /// What was done to the graph that was asked for, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  /// One entry per agent or none in `places` and `names`.
  void describe_agents(std::vector<Place> places, std::vector<std::string> names,
                       std::vector<std::string> notes);

 private:
  std::vector<std::uint32_t> row_;
  std::vector<AgentId> column_;
  std::vector<double> weight_, latency_, length_;  // by position, or empty
  std::vector<Place> places_;                      // by agent, or empty
  std::vector<std::string> names_, notes_;
};

/// Throws TopologyError where twice the number of edges is no 32-bit number: they have positions.
void require_edges_fit(std::uint64_t edges);

}  // namespace hearsay::sim
