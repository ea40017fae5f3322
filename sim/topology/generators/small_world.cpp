#include <fmt/format.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/small_world_generator.hpp>

#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

void WattsStrogatz::describe(Visitor& v) {
  v(neighbours,
    {.name = "neighbours", .help = "Number of neighbours of every agent before rewiring; even.", .min = 2});
  v(rewire, unit_interval("rewire", "Probability that a link is rewired to a random endpoint."));
  v.check(neighbours % 2 == 0, "neighbours", "expected an even number, found {}", neighbours);
}

void require_possible(const WattsStrogatz& o, AgentId nodes) {
  if (nodes < o.neighbours + std::uint64_t{2})
    throw TopologyError("expected at least {1} agents for a small world of {0} neighbours, found {2}",
                        o.neighbours, o.neighbours + std::uint64_t{2}, nodes);
}

Draft draw(const WattsStrogatz& o, AgentId nodes, const Streams& streams) {
  require_possible(o, nodes);
  require_edges_fit(std::uint64_t{nodes} * o.neighbours / 2);
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Stream s = topology_stream(streams, TopologyDraw::kEdges);
  Draft d{.nodes = nodes};
  for (boost::small_world_iterator<Stream, Graph> at(s, nodes, o.neighbours, o.rewire), end; at != end; ++at)
    d.edges.push_back({static_cast<AgentId>(at->first), static_cast<AgentId>(at->second)});
  if (const std::size_t merged = merge_duplicates(d); merged > 0)
    d.notes.push_back(fmt::format("{} rewired links coincide with another link and are merged", merged));
  return d;
}

}  // namespace hearsay::sim
