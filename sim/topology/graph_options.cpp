#include "sim/topology/graph_options.hpp"

namespace hearsay::sim {

void GraphOptions::describe(Visitor& v, bool sized) {
  v(draw, {.name = "draw", .help = "How often the graph, or its random part, is drawn."});
  if (sized) {
    v(size, {.name = "size",
             .help = "Number of nodes of the graph; by default one for each agent. With more, `nodes` "
                     "selects those with agents.",
             .min = 1,
             .max = kMaxAgents - 1.0});
  }
  v(connected, {.name = "connected", .help = "Handling of a graph with several components."});
  v(nodes,
    {.name = "nodes", .help = "Nodes on which agents are placed, if there are more nodes than agents."});
  v(weights,
    {.name = "weights",
     .help = "Weights of the links; by default the weights of the graph if it has any, otherwise uniform."});
  v(overlay, {.name = "overlay",
              .help = "Replace the links by shortest paths of the graph, for protocols that need a hub; by "
                      "default the links of the graph are used."});
}

}  // namespace hearsay::sim
