#include "sim/topology/graph.hpp"

#include "sim/topology/components.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "sim/check.hpp"
#include "sim/events/fingerprint.hpp"

namespace hearsay::sim {

// Positions of directed edges are 32-bit numbers, and one beyond the last says that there is none.
void require_edges_fit(std::uint64_t edges) {
  if (edges >= std::numeric_limits<std::uint32_t>::max() / 2)
    throw TopologyError(fmt::format("fewer than 2^31 edges are possible, got {}", edges));
}

Topology Topology::from_edges(AgentId agents, std::span<const Edge> edges, const EdgeValues& values) {
  if (agents == 0) throw TopologyError("a network needs at least one agent");
  if (agents >= kMaxAgents)
    throw TopologyError(fmt::format("at most {} agents, got {}", kMaxAgents - 1, agents));
  require_edges_fit(edges.size());
  for (const std::span<const double> all : {values.weight, values.latency, values.length})
    check(all.empty() || all.size() == edges.size(), "a graph needs a value for each edge, or none");
  const bool valued = !values.weight.empty() || !values.latency.empty() || !values.length.empty();
  Topology t;
  t.row_.assign(agents + 1, 0);
  for (const Edge& e : edges) {
    if (e.a >= agents || e.b >= agents) {
      throw TopologyError(fmt::format("edge {}-{} names an agent outside 0 to {}", e.a, e.b, agents - 1));
    }
    if (e.a == e.b) throw TopologyError(fmt::format("agent {} is linked to itself", e.a));
    ++t.row_[e.a + 1];
    ++t.row_[e.b + 1];
  }
  std::partial_sum(t.row_.begin(), t.row_.end(), t.row_.begin());
  t.column_.resize(2 * edges.size());
  std::vector<std::uint32_t> edge_at(valued ? t.column_.size() : 0);  // which edge each position is of
  // Rows are filled by moving their starts along; the starts are moved back afterwards.
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const auto put = [&](AgentId from, AgentId to) {
      const std::uint32_t position = t.row_[from]++;
      t.column_[position] = to;
      if (valued) edge_at[position] = static_cast<std::uint32_t>(k);
    };
    put(edges[k].a, edges[k].b);
    put(edges[k].b, edges[k].a);
  }
  for (AgentId i = agents; i > 0; --i) t.row_[i] = t.row_[i - 1];
  t.row_[0] = 0;

  std::vector<std::pair<AgentId, std::uint32_t>> sorted;
  for (AgentId i = 0; i < agents; ++i) {
    const auto begin = t.column_.begin() + t.row_[i], end = t.column_.begin() + t.row_[i + 1];
    if (!valued) {
      std::sort(begin, end);
    } else {
      sorted.clear();
      for (std::uint32_t p = t.row_[i]; p < t.row_[i + 1]; ++p) sorted.emplace_back(t.column_[p], edge_at[p]);
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t k = 0; k < sorted.size(); ++k) {
        t.column_[t.row_[i] + k] = sorted[k].first;
        edge_at[t.row_[i] + k] = sorted[k].second;
      }
    }
    if (const auto twice = std::adjacent_find(begin, end); twice != end) {
      throw TopologyError(fmt::format("agents {} and {} are linked twice", i, *twice));
    }
  }
  const auto spread = [&](std::span<const double> by_edge, std::vector<double>& by_position) {
    if (by_edge.empty()) return;
    by_position.reserve(edge_at.size());
    for (const std::uint32_t e : edge_at) by_position.push_back(by_edge[e]);
  };
  spread(values.weight, t.weight_);
  spread(values.latency, t.latency_);
  spread(values.length, t.length_);
  return t;
}

std::uint32_t Topology::edge(AgentId from, AgentId to) const {
  const auto row = neighbours(from);
  const auto found = std::lower_bound(row.begin(), row.end(), to);
  if (found == row.end() || *found != to) return static_cast<std::uint32_t>(column_.size());
  return row_[from] + static_cast<std::uint32_t>(found - row.begin());
}

AgentId Topology::components() const {
  std::vector<Edge> all;
  all.reserve(edges());
  for (AgentId i = 0; i < agents(); ++i) {
    for (const AgentId j : neighbours(i)) {
      if (i < j) all.push_back({i, j});
    }
  }
  const std::vector<AgentId> component = connected_components(agents(), all);
  AgentId count = 0;
  for (AgentId i = 0; i < agents(); ++i) count += component[i] == i ? 1 : 0;
  return count;
}

std::uint64_t Topology::fingerprint() const {
  std::uint64_t value = XXH3_64bits(row_.data(), row_.size() * sizeof row_[0]);
  value = XXH3_64bits_withSeed(column_.data(), column_.size() * sizeof(AgentId), value);
  return XXH3_64bits_withSeed(weight_.data(), weight_.size() * sizeof(double), value);
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

}  // namespace hearsay::sim
