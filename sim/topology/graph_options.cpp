#include "sim/topology/graph_options.hpp"

namespace hearsay::sim {

void GraphOptions::describe(Visitor& v, bool sized) {
  v(draw, {.name = "draw", .help = "When the graph, or what of it is random, is drawn."});
  if (sized) {
    v(size,
      {.name = "size",
       .help =
           "Nodes that are drawn; by default one for each agent. With more, \"nodes\" says which are used.",
       .min = 1,
       .max = kMaxAgents - 1.0});
  }
  v(connected, {.name = "connected", .help = "What becomes of a graph of several components."});
  v(nodes, {.name = "nodes", .help = "Which nodes have agents, where there are more nodes than agents."});
  v(weights,
    {.name = "weights", .help = "Weights of the links; given ones where there are any, else uniform."});
  v(overlay,
    {.name = "overlay",
     .help = "Links along the shortest paths of the graph take its links' place, for protocols that need a "
             "hub."});
}

}  // namespace hearsay::sim
