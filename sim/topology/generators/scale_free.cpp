#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/rmat_graph_generator.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/random/random.hpp"
#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

void BarabasiAlbert::describe(Visitor& v) {
  v(links, {.name = "links", .help = "Number of links of an agent when it joins.", .min = 1});
}

void require_possible(const BarabasiAlbert& o, AgentId nodes) {
  if (nodes < o.links + std::uint64_t{1})
    throw TopologyError("expected at least {1} agents for {0} links per agent, found {2}", o.links,
                        o.links + std::uint64_t{1}, nodes);
}

Draft draw(const BarabasiAlbert& o, AgentId nodes, const Streams& streams) {
  require_possible(o, nodes);
  const std::uint64_t core = o.links + std::uint64_t{1};
  require_edges_fit(core * o.links / 2 + (nodes - core) * o.links);
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  Draft d{.nodes = nodes};
  std::vector<AgentId> ends;  // of all links: an agent occurs once per link
  for (AgentId a = 0; a < core; ++a)
    for (AgentId b = a + 1; b < core; ++b) d.edges.push_back({a, b});
  for (const Edge& e : d.edges) ends.insert(ends.end(), {e.a, e.b});
  std::vector<AgentId> chosen;
  for (auto node = static_cast<AgentId>(core); node < nodes; ++node) {
    chosen.clear();
    while (chosen.size() < o.links) {
      const AgentId other = ends[uniform_index(s, ends.size())];
      if (std::find(chosen.begin(), chosen.end(), other) == chosen.end()) chosen.push_back(other);
    }
    for (const AgentId other : chosen) {
      d.edges.push_back({other, node});
      ends.insert(ends.end(), {other, node});
    }
  }
  return d;
}

void PowerLaw::describe(Visitor& v) {
  v(exponent, {.name = "exponent",
               .help = "Exponent of the degree distribution: the fraction of agents with k neighbours "
                       "decreases as k^(-exponent).",
               .min = 2,
               .open_min = true});
  v(mean_degree, positive("mean_degree", "Expected number of neighbours before it is rounded down."));
}

Draft draw(const PowerLaw& o, AgentId nodes, const Streams& streams) {
  Draft d{.nodes = nodes};
  if (nodes < 2) return d;
  const double alpha = 1 / (o.exponent - 1);
  const double beta = o.mean_degree * (1 - alpha) * std::pow(nodes, alpha);
  require_edges_fit(static_cast<std::uint64_t>(std::min(1e18, nodes * std::min(o.mean_degree, nodes - 1.0))));
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  std::vector<AgentId> stubs;
  for (AgentId i = 0; i < nodes; ++i) {
    const auto x = static_cast<double>(1 + uniform_index(s, nodes));
    const double count = std::clamp(std::floor(beta * std::pow(x, -alpha)), 1.0, nodes - 1.0);
    stubs.insert(stubs.end(), static_cast<std::size_t>(count), i);
  }
  shuffle(stubs, s);
  for (std::size_t k = 1; k < stubs.size(); k += 2) {
    if (stubs[k - 1] != stubs[k]) d.edges.push_back({stubs[k - 1], stubs[k]});
  }
  merge_duplicates(d);
  if (const std::size_t lost = stubs.size() / 2 - d.edges.size(); lost > 0)
    d.notes.push_back(
        fmt::format("{} links were repeated or from an agent to itself, and are removed", lost));
  return d;
}

void Rmat::describe(Visitor& v) {
  v(mean_degree, non_negative("mean_degree", "Mean number of neighbours."));
  v(a,
    unit_interval(
        "a", "Probability of a link within the first half of the agents, at each level of the recursion."));
  v(b, unit_interval(
           "b",
           "Probability of a link from the first half to the second half, at each level of the recursion."));
  v(c, unit_interval(
           "c",
           "Probability of a link from the second half to the first half, at each level of the recursion."));
  v.check(a + b + c <= 1 + 1e-12, "", "expected a + b + c of at most 1, found {}", a + b + c);
}

Draft draw(const Rmat& o, AgentId nodes, const Streams& streams) {
  Draft d{.nodes = nodes};
  const double pairs = 0.5 * nodes * (nodes - 1.0);
  const double wanted = std::round(0.5 * nodes * o.mean_degree);
  const auto refuse = [&] {
    throw TopologyError(
        "found fewer than {} different links between {} agents: lower mean_degree, or move a, b and "
        "c towards 1/4",
        wanted, nodes);
  };
  if (wanted > pairs) refuse();
  const auto count = static_cast<std::uint64_t>(wanted);
  require_edges_fit(count);
  if (count == 0) return d;
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  // Without renumbering: Boost's would use the same random numbers again.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  boost::rmat_iterator<Stream, Graph> at(s, std::bit_ceil(nodes), std::numeric_limits<int>::max(), o.a, o.b,
                                         o.c, std::max(0.0, 1 - o.a - o.b - o.c), false);
  const std::uint64_t attempts = 100 * count + 1000;
  for (std::uint64_t tried = 0; d.edges.size() < count;) {
    const std::uint64_t missing = count - d.edges.size();
    for (std::uint64_t k = 0; k < missing; ++tried, ++at) {
      if (tried == attempts || tried == std::numeric_limits<int>::max() - 1) refuse();
      if (at->first == at->second || at->first >= nodes || at->second >= nodes) continue;
      d.edges.push_back({static_cast<AgentId>(at->first), static_cast<AgentId>(at->second)});
      ++k;
    }
    merge_duplicates(d);
  }
  std::vector<AgentId> name(nodes);
  std::iota(name.begin(), name.end(), AgentId{0});
  Stream order = topology_stream(streams, TopologyDraw::kOrder);
  shuffle(name, order);
  for (Edge& e : d.edges) e = {name[e.a], name[e.b]};
  return d;
}

}  // namespace hearsay::sim
