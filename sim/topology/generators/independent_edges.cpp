#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/erdos_renyi_generator.hpp>
#include <cmath>
#include <numeric>

#include "sim/random/random.hpp"
#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

namespace {

// Calls f(k) for each k of 0 .. trials - 1 with probability p, independently, in ascending order.
template <class F>
void successes(std::uint64_t trials, double p, Stream& s, F&& f) {
  require_edges_fit(static_cast<std::uint64_t>(p * static_cast<double>(trials)));
  if (p <= 0) return;
  if (p >= 1) {
    for (std::uint64_t k = 0; k < trials; ++k) f(k);
    return;
  }
  const double log_failure = std::log1p(-p);
  for (std::uint64_t k = 0; k < trials; ++k) {
    // Failures before the next success: P(skip >= m) = (1 - p)^m.
    const double skip = std::floor(std::log1p(-uniform(s)) / log_failure);
    if (skip >= static_cast<double>(trials - k)) return;
    k += static_cast<std::uint64_t>(skip);
    f(k);
  }
}

// Links pairs of the nodes first .. first + count - 1.
void link_within(Draft& d, AgentId first, AgentId count, double p, Stream& s) {
  if (count < 2) return;
  AgentId a = 0;
  std::uint64_t row = 0;  // number of the first pair of a
  successes(std::uint64_t{count} * (count - 1) / 2, p, s, [&](std::uint64_t k) {
    while (k - row >= count - 1 - a) row += count - 1 - a++;
    d.edges.push_back({first + a, first + a + 1 + static_cast<AgentId>(k - row)});
  });
}

void link_between(Draft& d, AgentId first, AgentId count, AgentId other, AgentId other_count, double p,
                  Stream& s) {
  successes(std::uint64_t{count} * other_count, p, s, [&](std::uint64_t k) {
    d.edges.push_back(
        {first + static_cast<AgentId>(k / other_count), other + static_cast<AgentId>(k % other_count)});
  });
}

std::vector<AgentId> block_sizes(const StochasticBlock& o, AgentId nodes) {
  if (!o.sizes.empty()) {
    const std::uint64_t sum = std::accumulate(o.sizes.begin(), o.sizes.end(), std::uint64_t{0});
    if (sum != nodes) throw TopologyError("expected block sizes with the sum {}, found {}", nodes, sum);
    return o.sizes;
  }
  const AgentId blocks = o.blocks.value_or(2);
  if (blocks > nodes)
    throw TopologyError("expected at most {} blocks, one per agent, found {}", nodes, blocks);
  std::vector<AgentId> sizes(blocks, nodes / blocks);
  for (AgentId b = 0; b < nodes % blocks; ++b) ++sizes[b];
  return sizes;
}

}  // namespace

void ErdosRenyi::describe(Visitor& v) {
  v(probability, unit_interval("probability", "Probability of each link."));
  v(mean_degree, non_negative("mean_degree", "Expected number of neighbours; 4 if no probability is given."));
  v.check(!probability || !mean_degree, "mean_degree", "give only one of probability and mean_degree");
}

void require_possible(const ErdosRenyi& o, AgentId nodes) {
  if (nodes >= 2 && !o.probability && o.mean_degree.value_or(4) > nodes - 1.0)
    throw TopologyError("expected a mean_degree of at most {}, found {}", nodes - 1,
                        o.mean_degree.value_or(4));
}

Draft draw(const ErdosRenyi& o, AgentId nodes, const Streams& streams) {
  require_possible(o, nodes);
  Draft d{.nodes = nodes};
  if (nodes < 2) return d;
  const double p = o.probability ? *o.probability : o.mean_degree.value_or(4) / (nodes - 1.0);
  require_edges_fit(static_cast<std::uint64_t>(0.5 * nodes * (nodes - 1.0) * p));
  if (p == 0) return d;
  if (p == 1) return {.nodes = nodes, .edges = complement(nodes, {})};
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  for (boost::sorted_erdos_renyi_iterator<Stream, Graph> at(s, nodes, p), end; at != end; ++at)
    d.edges.push_back({static_cast<AgentId>(at->second), static_cast<AgentId>(at->first)});
  return d;
}

void StochasticBlock::describe(Visitor& v) {
  v(blocks,
    {.name = "blocks", .help = "Number of blocks of nearly equal size; 2 if no sizes are given.", .min = 1});
  v(sizes, {.name = "sizes", .help = "Number of agents in each block.", .min = 1});
  v(within, unit_interval("within", "Probability of a link within a block."));
  v(between, unit_interval("between", "Probability of a link between blocks."));
  v.check(!blocks || sizes.empty(), "sizes", "give only one of blocks and sizes");
}

Draft draw(const StochasticBlock& o, AgentId nodes, const Streams& streams) {
  const std::vector<AgentId> sizes = block_sizes(o, nodes);
  Draft d{.nodes = nodes};
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  AgentId first = 0;
  for (std::size_t b = 0; b < sizes.size(); ++b) {
    link_within(d, first, sizes[b], o.within, s);
    AgentId other = first + sizes[b];
    for (std::size_t c = b + 1; c < sizes.size(); ++c) {
      link_between(d, first, sizes[b], other, sizes[c], o.between, s);
      other += sizes[c];
    }
    first += sizes[b];
  }
  return d;
}

}  // namespace hearsay::sim
