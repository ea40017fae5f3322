#include "sim/topology/make_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hearsay::sim {

namespace {

template <class Kind>
constexpr bool kSized = !std::is_same_v<Kind, GraphFile> && !std::is_same_v<Kind, Similarity>;

Draft draw(const Similarity&, AgentId nodes, const WeightedEdges* similar) {
  if (similar == nullptr)
    throw TopologyError("the data define no similarity graph; choose another type of topology");
  return {.nodes = nodes, .edges = similar->edges, .weight = similar->weights};
}

Draft draw_kind(const TopologyOptions& options, AgentId agents, const Streams& streams,
                const WeightedEdges* similar) {
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        if constexpr (std::is_same_v<Kind, Similarity>) {
          return draw(kind, agents, similar);
        } else {
          return draw(kind, kSized<Kind> ? options.graph().size.value_or(agents) : agents, streams);
        }
      },
      options.kind());
}

// In the note of a graph from which nodes have been removed.
constexpr std::string_view kHaveAgents = "nodes have agents";

// Nodes in the order of a breadth-first search from node 0, then from the first that it does not reach, and so on.
std::vector<AgentId> by_links(const Draft& d) {
  const Topology graph = Topology::from_edges(d.nodes, d.edges);
  std::vector<AgentId> order;
  std::vector<char> found(d.nodes);
  for (AgentId start = 0; start < d.nodes; ++start) {
    if (found[start]) continue;
    found[start] = 1;
    order.push_back(start);
    for (std::size_t k = order.size() - 1; k < order.size(); ++k) {
      for (const AgentId j : graph.neighbours(order[k])) {
        if (found[j]) continue;
        found[j] = 1;
        order.push_back(j);
      }
    }
  }
  return order;
}

// The nodes of a star of an overlay, nearest first.
std::vector<AgentId> by_path(const Draft& star) {
  const std::vector<double>& path = star.latency.empty() ? star.length : star.latency;
  std::vector<AgentId> order(star.nodes);
  std::iota(order.begin(), order.end(), AgentId{0});
  std::stable_sort(order.begin() + 1, order.end(),
                   [&](AgentId a, AgentId b) { return path[a - 1] < path[b - 1]; });
  return order;
}

void note_nodes_used(Draft& d, AgentId agents, const GraphOptions& o) {
  if (d.nodes > agents)
    d.notes.push_back(fmt::format("{} of {} {} ({})", agents, d.nodes, kHaveAgents, name_of(o.nodes)));
}

// Leaves as many nodes as there are agents.
void take_nodes(Draft& d, AgentId agents, const GraphOptions& o, const Streams& streams) {
  if (d.nodes < agents)
    throw TopologyError("expected at least {} nodes, one for each agent, found {}{}{}", agents, d.nodes,
                        d.notes.empty() ? "" : ": ", fmt::join(d.notes, "; "));
  if (d.nodes == agents) return;
  std::vector<AgentId> order(d.nodes);
  std::iota(order.begin(), order.end(), AgentId{0});
  switch (o.nodes) {
    case NodesUsed::kFirst:
      break;
    case NodesUsed::kNearest:
      order = o.overlay ? by_path(d) : by_links(d);
      break;
    case NodesUsed::kRandom: {
      Stream s = topology_stream(streams, TopologyDraw::kNodes);
      shuffle(order, s);
      // The hub is kept.
      if (o.overlay) std::swap(order[0], *std::find(order.begin(), order.end(), AgentId{0}));
      break;
    }
  }
  order.resize(agents);
  std::sort(order.begin(), order.end());
  note_nodes_used(d, agents, o);
  d = induced(std::move(d), order);
}

void require_one_component(AgentId count, const std::vector<std::string>& notes) {
  if (count < 2) return;
  // Nodes are removed from a connected graph.
  const bool removed =
      std::ranges::any_of(notes, [](const std::string& note) { return note.find(kHaveAgents) != note.npos; });
  throw TopologyError("expected a connected network, found {} components{}: set {}, or ask for more links",
                      count, notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; ")),
                      removed ? "nodes to nearest" : "connected to largest_component or connect");
}

void weigh(Draft& d, const std::optional<EdgeWeights>& weights) {
  if (!weights) return;
  switch (*weights) {
    case EdgeWeights::kUniform:
      d.weight.clear();
      return;
    case EdgeWeights::kMetropolis: {
      std::vector<std::uint32_t> degree(d.nodes);
      for (const Edge& e : d.edges) ++degree[e.a], ++degree[e.b];
      d.weight.clear();
      for (const Edge& e : d.edges) d.weight.push_back(1.0 / (1.0 + std::max(degree[e.a], degree[e.b])));
      return;
    }
    case EdgeWeights::kGiven:
      if (d.weight.empty() && !d.edges.empty())
        throw TopologyError("weights: the graph has no weights; choose uniform or metropolis");
      return;
  }
}

}  // namespace

void GraphOptions::describe(Visitor& v, bool sized) {
  v(draw, {.name = "draw", .help = "How often the graph, or its random part, is drawn."});
  if (sized) {
    v(size, {.name = "size",
             .help = "Number of nodes of the graph; by default one for each agent. If there are more, "
                     "`nodes` selects which have agents.",
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

void TopologyOptions::describe_as(Visitor& v, const About& about) {
  v.variant(kind_, about, graph_,
            []<class Kind>(Visitor& w, Kind&, GraphOptions& graph) { graph.describe(w, kSized<Kind>); });
}

Topology make_topology(const TopologyOptions& options, AgentId agents, const Streams& streams,
                       const WeightedEdges* similar) {
  const GraphOptions& o = options.graph();
  if (o.size.value_or(agents) < agents)
    throw TopologyError("size: expected at least {}, a node for each agent, found {}", agents, *o.size);
  if (std::holds_alternative<Complete>(options.kind()) && !o.overlay && o.weights != EdgeWeights::kGiven) {
    Topology complete = Topology::complete(agents, o.weights == EdgeWeights::kMetropolis ? 1.0 / agents : 1);
    Draft rest{.nodes = o.size.value_or(agents)};
    note_nodes_used(rest, agents, o);
    complete.describe_agents({}, {}, std::move(rest.notes));
    return complete;
  }
  Draft d = draw_kind(options, agents, streams, similar);
  switch (o.connected) {
    case Connected::kRequire:
      // The whole graph, before nodes are removed. Without removal require_connected() checks it.
      if (d.nodes > agents || o.overlay) require_one_component(count_components(d.nodes, d.edges), d.notes);
      break;
    case Connected::kLargestComponent:
      keep_largest_component(d);
      break;
    case Connected::kConnect:
      join_components(d);
      break;
  }
  if (o.overlay) d = std::visit([&](const auto& kind) { return overlay(std::move(d), kind); }, *o.overlay);
  take_nodes(d, agents, o, streams);
  weigh(d, o.weights);
  return freeze(std::move(d));
}

void require_graph(const TopologyOptions& options, AgentId agents) {
  const AgentId nodes = options.graph().size.value_or(agents);
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { require_possible(kind, nodes); }) require_possible(kind, nodes);
      },
      options.kind());
}

void require_connected(const Topology& topology) {
  require_one_component(topology.components(), topology.notes());
}

}  // namespace hearsay::sim
