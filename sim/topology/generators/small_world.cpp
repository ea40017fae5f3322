#include "sim/topology/generators/small_world.hpp"

#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/small_world_generator.hpp>

#include "sim/topology/topology_draw.hpp"

namespace hearsay::sim {

void WattsStrogatz::describe(Visitor& v) {
  v(neighbours,
    {.name = "neighbours", .help = "Number of neighbours of every agent before rewiring; even.", .min = 2});
  v(rewire, {.name = "rewire",
             .help = "Probability that a link is rewired to a random endpoint.",
             .min = 0,
             .max = 1});
  v.check(neighbours % 2 == 0, "neighbours", fmt::format("must be even, got {}", neighbours));
}

Draft draw(const WattsStrogatz& o, AgentId nodes, const Streams& streams) {
  if (nodes < o.neighbours + std::uint64_t{2}) {
    throw TopologyError(fmt::format("a small world of {} neighbours needs at least {} agents, got {}",
                                    o.neighbours, o.neighbours + std::uint64_t{2}, nodes));
  }
  require_edges_fit(std::uint64_t{nodes} * o.neighbours / 2);
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  Draft d{.nodes = nodes};
  for (boost::small_world_iterator<Stream, Graph> at(s, nodes, o.neighbours, o.rewire), end; at != end; ++at)
    d.edges.push_back({static_cast<AgentId>(at->first), static_cast<AgentId>(at->second)});
  if (const std::size_t merged = merge_duplicates(d); merged > 0)
    d.notes.push_back(fmt::format("{} rewired links lie on another one", merged));
  return d;
}

}  // namespace hearsay::sim
