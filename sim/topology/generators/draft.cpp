#include "sim/topology/generators/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/random/random.hpp"

namespace hearsay::sim {

namespace {

// The k-th element becomes the former order[k]-th; an empty list stays empty.
template <class T>
void reorder(std::vector<T>& all, const std::vector<AgentId>& order) {
  if (all.empty()) return;
  std::vector<T> moved;
  moved.reserve(order.size());
  for (const AgentId k : order) moved.push_back(std::move(all[k]));
  all = std::move(moved);
}

void reorder_edges(Draft& d, const std::vector<AgentId>& order) {
  for (auto* values : {&d.weight, &d.latency, &d.length}) reorder(*values, order);
  reorder(d.edges, order);
}

// Length of a link that is added between two nodes, m.
double added_length(const Draft& d, AgentId a, AgentId b) {
  const Place &from = d.places[a], &to = d.places[b];
  if (d.torus <= 0) return distance(from, to);
  const auto along = [&d](double u, double v) {
    const double straight = std::abs(u - v);
    return std::min(straight, d.torus - straight);
  };
  return distance({}, {.x = along(from.x, to.x), .y = along(from.y, to.y)});
}

}  // namespace

std::string Draft::called(AgentId node) const {
  return names.empty() ? fmt::format("node {}", node) : fmt::format("node '{}'", names[node]);
}

std::size_t merge_duplicates(Draft& d) {
  for (Edge& e : d.edges)
    if (e.a > e.b) std::swap(e.a, e.b);
  const std::size_t before = d.edges.size();
  if (d.weight.empty() && d.latency.empty() && d.length.empty()) {
    std::sort(d.edges.begin(), d.edges.end());
    d.edges.erase(std::unique(d.edges.begin(), d.edges.end()), d.edges.end());
    return before - d.edges.size();
  }
  require_edges_fit(before);
  std::vector<AgentId> order(before);
  std::iota(order.begin(), order.end(), AgentId{0});
  std::ranges::stable_sort(order, {}, [&d](AgentId k) { return d.edges[k]; });
  reorder_edges(d, order);
  std::vector<AgentId> kept;
  for (AgentId k = 0; k < before; ++k) {
    if (kept.empty() || d.edges[kept.back()] != d.edges[k]) {
      kept.push_back(k);
      continue;
    }
    const AgentId first = kept.back();
    if (!d.weight.empty()) d.weight[first] = std::max(d.weight[first], d.weight[k]);
    if (!d.latency.empty()) d.latency[first] = std::min(d.latency[first], d.latency[k]);
    if (!d.length.empty()) d.length[first] = std::min(d.length[first], d.length[k]);
  }
  reorder_edges(d, kept);
  return before - kept.size();
}

Draft induced(Draft&& d, const std::vector<AgentId>& kept) {
  std::vector<AgentId> number(d.nodes, kMaxAgents);
  for (AgentId k = 0; k < kept.size(); ++k) number[kept[k]] = k;
  std::vector<AgentId> edges;  // that stay
  for (AgentId k = 0; k < d.edges.size(); ++k) {
    Edge& e = d.edges[k];
    e = {number[e.a], number[e.b]};
    if (e.a != kMaxAgents && e.b != kMaxAgents) edges.push_back(k);
  }
  reorder_edges(d, edges);
  reorder(d.places, kept);
  reorder(d.names, kept);
  d.nodes = static_cast<AgentId>(kept.size());
  return std::move(d);
}

void keep_largest_component(Draft& d) {
  const std::vector<AgentId> component = connected_components(d.nodes, d.edges);
  std::vector<AgentId> size(d.nodes);
  for (const AgentId c : component) ++size[c];
  const auto largest = static_cast<AgentId>(std::max_element(size.begin(), size.end()) - size.begin());
  if (size[largest] == d.nodes) return;
  std::vector<AgentId> kept;
  for (AgentId i = 0; i < d.nodes; ++i)
    if (component[i] == largest) kept.push_back(i);
  const auto count = d.nodes - std::count(size.begin(), size.end(), 0u);
  const AgentId before = d.nodes;
  d = induced(std::move(d), kept);
  d.notes.push_back(
      fmt::format("the largest of {} components is kept: {} of {} nodes", count, d.nodes, before));
}

void join_components(Draft& d) {
  const std::vector<AgentId> component = connected_components(d.nodes, d.edges);
  std::vector<AgentId> first;  // of each component
  for (AgentId i = 0; i < d.nodes; ++i)
    if (component[i] == i) first.push_back(i);
  if (first.size() < 2) return;
  if (!d.weight.empty() || !d.latency.empty())
    throw TopologyError(
        "cannot connect the {} components: the links of this graph have {}, which new links would lack",
        first.size(), d.weight.empty() ? "latencies" : "weights");
  for (std::size_t k = 1; k < first.size(); ++k) {
    d.edges.push_back({first[k - 1], first[k]});
    // On a torus links have a length, also where there was none yet.
    if (!d.length.empty() || d.torus > 0) d.length.push_back(added_length(d, first[k - 1], first[k]));
  }
  d.notes.push_back(fmt::format("{} links were added between {} components", first.size() - 1, first.size()));
}

void shuffle(std::vector<AgentId>& all, Stream& s) {
  for (std::size_t k = all.size(); k > 1; --k) std::swap(all[k - 1], all[uniform_index(s, k)]);
}

Topology freeze(Draft&& d) {
  Topology t = Topology::from_edges(d.nodes, d.edges,
                                    EdgeValues{.weight = d.weight, .latency = d.latency, .length = d.length});
  t.describe_agents(std::move(d.places), std::move(d.names), std::move(d.notes));
  return t;
}

}  // namespace hearsay::sim
