#pragma once
// The network graph: undirected, stored in compressed rows.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// Of a directed edge: the place of its target in the row of its source, after the rows of all agents before.
using EdgePosition = std::uint64_t;

/// Agents in ascending order: a part of an array, one of its elements left out or none.
class Neighbours {
 public:
  class Iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = AgentId;
    using difference_type = std::ptrdiff_t;
    using pointer = const AgentId*;
    using reference = const AgentId&;
    Iterator() = default;
    Iterator(const AgentId* first, difference_type without, difference_type k)
        : first_(first), without_(without), k_(k) {}
    reference operator*() const { return (*this)[0]; }
    reference operator[](difference_type n) const { return first_[k_ + n + (k_ + n >= without_ ? 1 : 0)]; }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this += -1; }
    Iterator operator++(int) { return {first_, without_, k_++}; }
    Iterator operator--(int) { return {first_, without_, k_--}; }
    Iterator& operator+=(difference_type n) {
      k_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.k_ - b.k_; }
    bool operator==(const Iterator& other) const { return k_ == other.k_; }
    auto operator<=>(const Iterator& other) const { return k_ <=> other.k_; }

   private:
    const AgentId* first_ = nullptr;
    difference_type without_ = 0, k_ = 0;
  };

  /// The first `size` of an array from `first` on; without the element at place `without`, one more.
  Neighbours(const AgentId* first, std::uint32_t size, AgentId without = kNoAgent)
      : first_(first), size_(size), without_(without) {}
  std::uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  AgentId operator[](std::size_t k) const { return first_[k + (k >= without_ ? 1 : 0)]; }
  AgentId front() const { return (*this)[0]; }
  Iterator begin() const { return {first_, without_, 0}; }
  Iterator end() const { return {first_, without_, size_}; }
  /// f(agent) of each, in order: without a comparison for each.
  template <class F>
  void for_each(F&& f) const {
    const std::uint32_t before = std::min(size_, without_);
    for (std::uint32_t k = 0; k < before; ++k) f(first_[k]);
    for (std::uint32_t k = before; k < size_; ++k) f(first_[k + 1]);
  }
  /// `count` of them from the k-th on; may use `room`, which has as many places.
  std::span<const AgentId> part(std::size_t k, std::size_t count, AgentId* room) const {
    if (k >= without_ || k + count <= without_) return {first_ + k + (k >= without_ ? 1 : 0), count};
    for (std::size_t n = 0; n < count; ++n) room[n] = (*this)[k + n];
    return {room, count};
  }

 private:
  const AgentId* first_;
  std::uint32_t size_;
  AgentId without_;
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

/// Rows hold an agent's neighbours in ascending order; positions are 0 .. 2 edges - 1. A complete graph has one row for all.
class Topology {
 public:
  /// All agents are linked; `weight`: of all edges. Values of edges (ByEdge) are kept for all of up to `few` directed ones,
  /// else for those that are used. O(agents). Throws TopologyError.
  static Topology complete(AgentId agents, double weight = 1, std::uint64_t few = 1 << 25);
  /// From undirected edges, each given once. `weights`: one per edge, or empty for all 1. Throws TopologyError for a
  /// self loop, a repeated edge or an end that is no agent. O(edges).
  static Topology from_edges(AgentId agents, std::span<const Edge> edges,
                             std::span<const double> weights = {}) {
    return from_edges(agents, edges, EdgeValues{.weight = weights});
  }
  static Topology from_edges(AgentId agents, std::span<const Edge> edges, const EdgeValues& values);

  AgentId agents() const { return static_cast<AgentId>(row_.size() - 1); }
  std::size_t edges() const { return edges_; }
  /// Whether there is memory for each edge anyway: not in a complete graph.
  bool stores_edges() const { return stride_ == 0; }
  bool has_few_edges() const { return few_; }
  Neighbours neighbours(AgentId i) const {
    return {column_.data() + (row_[i] & in_row_), degree(i), stores_edges() ? kNoAgent : i};
  }
  /// neighbours(i)[k].
  AgentId neighbour(AgentId i, std::uint32_t k) const {
    if (stores_edges()) [[likely]]
      return column_[row_[i] + k];
    return column_[k + (k >= i ? 1 : 0)];
  }
  std::uint32_t degree(AgentId i) const { return row_[i + 1] - row_[i]; }
  /// Position of the first directed edge of agent i.
  EdgePosition first_edge(AgentId i) const { return EdgePosition{i} * stride_ + (row_[i] & in_row_); }
  /// Position of the directed edge from -> to, or edges() * 2 if there is none. O(log degree).
  EdgePosition edge(AgentId from, AgentId to) const;
  /// Fetch what neighbours() reads: first where an agent's row is, later the row itself.
  HEARSAY_PREFETCH void prefetch_place(AgentId i) const { __builtin_prefetch(&row_[i]); }
  HEARSAY_PREFETCH void prefetch_row(AgentId i) const { __builtin_prefetch(&column_[row_[i] & in_row_]); }
  /// Weight of the directed edge at a position; the same in both directions.
  double weight(EdgePosition position) const { return weight_.empty() ? equal_weight_ : weight_[position]; }
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
  // Of a complete graph: multiples of the degree, of which only differences count, and all agents.
  LargeVector<std::uint32_t> row_;
  LargeVector<AgentId> column_;
  std::size_t edges_ = 0;
  std::uint32_t stride_ = 0;    // of first_edge: the degree in a complete graph
  std::uint32_t in_row_ = ~0u;  // 0 in a complete graph
  bool few_ = true;
  double equal_weight_ = 1;
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
