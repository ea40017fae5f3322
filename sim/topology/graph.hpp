#pragma once
// The network graph: undirected, stored in compressed rows.
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/check.hpp"
#include "sim/large_vector.hpp"
#include "sim/prefetch.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// A graph that can not be built or used; the message is for the user.
struct TopologyError : UserError {
  using UserError::UserError;
};

/// Position of a node: degrees east and north where geographic, else metres in a plane.
struct Place {
  double x = 0, y = 0;
  bool geographic = false;
  bool operator==(const Place&) const = default;
};

inline constexpr double kEarthRadius = 6'371'008.8;  ///< mean radius of the Earth (IUGG), m

/// Metres between two places of one kind: along the great circle of a sphere of the Earth's mean radius (haversine
/// formula), or straight in the plane.
double distance(const Place& a, const Place& b);

struct Edge {
  AgentId a, b;
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  auto operator<=>(const Edge&) const = default;
};

struct WeightedEdges {
  std::vector<Edge> edges;
  std::vector<double> weights;  ///< by edge
};

/// Values of edges, each empty or one value per edge.
struct EdgeValues {
  std::span<const double> weight = {};
  std::span<const double> latency = {};  ///< s
  std::span<const double> length = {};   ///< m
};

/// Rows hold an agent's neighbours in ascending order. A directed edge has a position: the place of its target in the
/// row of its source; positions are 0 .. 2 edges - 1.
class Topology {
 public:
  /// From undirected edges, each given once. `weights`: one per edge, or empty for all 1. Throws TopologyError for a
  /// self loop, a repeated edge or an end that is no agent. O(edges).
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
  /// Fetch what neighbours() reads: first where an agent's row is, later the row itself.
  HEARSAY_PREFETCH void prefetch_place(AgentId i) const { __builtin_prefetch(&row_[i]); }
  HEARSAY_PREFETCH void prefetch_row(AgentId i) const { __builtin_prefetch(&column_[row_[i]]); }
  /// Weight of the directed edge at a position; the same in both directions.
  double weight(std::uint32_t position) const { return weight_.empty() ? 1.0 : weight_[position]; }
  /// Number of connected components.
  AgentId components() const;
  /// Hash of rows, neighbours and weights. O(edges).
  std::uint64_t fingerprint() const;

  /// Latency of each directed edge, s, by position, where the graph defines one; else empty. The same in both
  /// directions.
  std::span<const double> latency() const { return latency_; }
  /// Length of each directed edge, m, by position, where it differs from the distance between its ends (a path through
  /// other nodes, or around a torus); else empty.
  std::span<const double> length() const { return length_; }
  /// By agent, all geographic or none; empty if unknown.
  const std::vector<Place>& places() const { return places_; }
  /// Names of the agents in the graph; empty if it has none.
  const std::vector<std::string>& names() const { return names_; }
  /// Changes made to the requested graph, a sentence each.
  const std::vector<std::string>& notes() const { return notes_; }
  /// One entry per agent or none in `places` and `names`.
  void describe_agents(std::vector<Place> places, std::vector<std::string> names,
                       std::vector<std::string> notes);

 private:
  LargeVector<std::uint32_t> row_;
  LargeVector<AgentId> column_;
  LargeVector<double> weight_, latency_, length_;  // by position, or empty
  std::vector<Place> places_;                      // by agent, or empty
  std::vector<std::string> names_, notes_;
};

/// Throws TopologyError if positions of so many edges do not fit in 32 bits.
void require_edges_fit(std::uint64_t edges);

/// The connected component of each of `nodes` agents under undirected edges, given by its smallest agent. O(edges log
/// nodes) at most.
std::vector<AgentId> connected_components(AgentId nodes, std::span<const Edge> edges);
AgentId count_components(AgentId nodes, std::span<const Edge> edges);

}  // namespace hearsay::sim
