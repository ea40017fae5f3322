#include "sim/topology/graph.hpp"

#include <fmt/format.h>

#include <boost/pending/disjoint_sets.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "sim/check.hpp"
#include "sim/hash.hpp"

namespace hearsay::sim {

double distance(const Place& a, const Place& b) {
  check(a.geographic == b.geographic, "distance between a place on the Earth and one in a plane");
  if (!a.geographic) {
    // Latencies follow from it: rounded by IEEE 754 alone, as hypot is not.
    const double x = a.x - b.x, y = a.y - b.y;
    return std::sqrt(x * x + y * y);
  }
  constexpr double kRadian = std::numbers::pi / 180;
  const double across = std::sin((a.x - b.x) * kRadian / 2), along = std::sin((a.y - b.y) * kRadian / 2);
  const double h = along * along + std::cos(a.y * kRadian) * std::cos(b.y * kRadian) * across * across;
  return 2 * kEarthRadius * std::asin(std::sqrt(std::min(1.0, h)));
}

// Positions of directed edges are 32-bit numbers, and one beyond the last means "no edge".
void require_edges_fit(std::uint64_t edges) {
  if (edges >= std::numeric_limits<std::uint32_t>::max() / 2)
    throw TopologyError("expected fewer than 2^31 edges, found {}", edges);
}

Topology Topology::from_edges(AgentId agents, std::span<const Edge> edges, const EdgeValues& values) {
  if (agents == 0) throw TopologyError("a network needs at least one agent");
  if (agents >= kMaxAgents)
    throw TopologyError("expected at most {} agents, found {}", kMaxAgents - 1, agents);
  require_edges_fit(edges.size());
  Topology t;
  t.row_.assign(agents + 1, 0);
  for (const Edge& e : edges) {
    if (e.a >= agents || e.b >= agents)
      throw TopologyError("edge {}-{} names an agent outside 0 to {}", e.a, e.b, agents - 1);
    if (e.a == e.b) throw TopologyError("agent {} is linked to itself", e.a);
    ++t.row_[e.a + 1];
    ++t.row_[e.b + 1];
  }
  std::partial_sum(t.row_.begin(), t.row_.end(), t.row_.begin());

  // Rows are filled by moving their starts along, which are moved back afterwards: no second array.
  t.column_.resize(2 * edges.size());
  for (const Edge& e : edges) {
    t.column_[t.row_[e.a]++] = e.b;
    t.column_[t.row_[e.b]++] = e.a;
  }
  std::copy_backward(t.row_.begin(), t.row_.end() - 1, t.row_.end());
  t.row_[0] = 0;
  for (AgentId i = 0; i < agents; ++i) {
    const auto begin = t.column_.begin() + t.row_[i], end = t.column_.begin() + t.row_[i + 1];
    std::sort(begin, end);
    if (const auto twice = std::adjacent_find(begin, end); twice != end)
      throw TopologyError("agents {} and {} are linked twice", i, *twice);
  }
  t.edges_ = edges.size();
  const auto spread = [&](std::span<const double> by_edge, LargeVector<double>& by_position) {
    check(by_edge.empty() || by_edge.size() == edges.size(), "a graph needs a value for each edge, or none");
    if (by_edge.empty()) return;
    by_position.resize(t.column_.size());
    for (std::size_t k = 0; k < edges.size(); ++k)
      by_position[t.edge(edges[k].a, edges[k].b)] = by_position[t.edge(edges[k].b, edges[k].a)] = by_edge[k];
  };
  spread(values.weight, t.weight_);
  spread(values.latency, t.latency_);
  spread(values.length, t.length_);
  return t;
}

Topology Topology::complete(AgentId agents, double weight, std::uint64_t few) {
  if (agents == 0) throw TopologyError("a network needs at least one agent");
  if (agents >= kMaxAgents)
    throw TopologyError("expected at most {} agents, found {}", kMaxAgents - 1, agents);
  if (agents == 1) return from_edges(1, {});
  Topology t;
  t.stride_ = agents - 1;
  t.in_row_ = 0;
  t.equal_weight_ = weight;
  t.edges_ = std::size_t{agents} * (agents - 1) / 2;
  t.few_ = 2 * t.edges_ <= few;
  for (AgentId i = 0; i <= agents; ++i) t.row_.push_back(i * t.stride_);
  t.column_.resize(agents);
  std::iota(t.column_.begin(), t.column_.end(), AgentId{0});
  return t;
}

EdgePosition Topology::edge(AgentId from, AgentId to) const {
  if (!stores_edges())
    return to >= agents() || to == from ? 2 * edges_ : first_edge(from) + to - (to > from ? 1 : 0);
  const auto begin = column_.begin() + row_[from], end = column_.begin() + row_[from + 1];
  const auto found = std::lower_bound(begin, end, to);
  if (found == end || *found != to) return column_.size();
  return static_cast<EdgePosition>(found - column_.begin());
}

AgentId Topology::components() const {
  if (!stores_edges()) return 1;
  std::vector<Edge> all;
  all.reserve(edges());
  for (AgentId i = 0; i < agents(); ++i) {
    for (const AgentId j : neighbours(i))
      if (i < j) all.push_back({i, j});
  }
  return count_components(agents(), all);
}

std::uint64_t Topology::fingerprint() const {
  std::uint64_t value = hash_of(row_.data(), row_.size() * sizeof row_[0]);
  if (!stores_edges()) return hash_of(&equal_weight_, sizeof equal_weight_, value);
  value = hash_of(column_.data(), column_.size() * sizeof(AgentId), value);
  return hash_of(weight_.data(), weight_.size() * sizeof(double), value);
}

void Topology::describe_agents(std::vector<Place> places, std::vector<std::string> names,
                               std::vector<std::string> notes) {
  check(places.empty() || places.size() == agents(), "a graph needs a place for each agent, or none");
  check(names.empty() || names.size() == agents(), "a graph needs a name for each agent, or none");
  for (const Place& place : places)
    check(place.geographic == places[0].geographic, "places on the Earth and in a plane do not mix");
  places_ = std::move(places);
  names_ = std::move(names);
  notes_ = std::move(notes);
}

std::vector<AgentId> connected_components(AgentId nodes, std::span<const Edge> edges) {
  boost::disjoint_sets_with_storage<> sets(nodes);
  for (const Edge& e : edges) sets.union_set(e.a, e.b);
  std::vector<AgentId> first(nodes, kMaxAgents), component(nodes);
  for (AgentId i = 0; i < nodes; ++i) {
    AgentId& smallest = first[sets.find_set(i)];
    component[i] = smallest = std::min(smallest, i);
  }
  return component;
}

AgentId count_components(AgentId nodes, std::span<const Edge> edges) {
  const std::vector<AgentId> component = connected_components(nodes, edges);
  AgentId count = 0;
  for (AgentId i = 0; i < nodes; ++i) count += component[i] == i ? 1 : 0;
  return count;
}

}  // namespace hearsay::sim
