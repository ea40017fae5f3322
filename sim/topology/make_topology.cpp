#include "sim/topology/make_topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/topology/topology_draw.hpp"

namespace hearsay::sim {

namespace {

template <class Kind>
constexpr bool kSized = !std::is_same_v<Kind, GraphFile> && !std::is_same_v<Kind, Similarity>;

template <class Kind>
Alternative alternative() {
  Alternative a = detail::alternative_of<Kind>();
  a.describe_default = [](Visitor& v) {
    Kind kind;
    kind.describe(v);
    GraphOptions().describe(v, kSized<Kind>);
  };
  return a;
}

template <class... Kinds>
void describe_kinds(Visitor& v, std::variant<Kinds...>& kind, GraphOptions& options, const About& about) {
  const std::array<Alternative, sizeof...(Kinds)> all{alternative<Kinds>()...};
  const auto select = [&](std::size_t i) {
    using Make = void (*)(std::variant<Kinds...>&);
    static constexpr Make kMake[] = {[](std::variant<Kinds...>& k) { k.template emplace<Kinds>(); }...};
    kMake[i](kind);
    options = {};
  };
  v.alternatives(about, all, kind.index(), select, [&](Visitor& w) {
    std::visit(
        [&]<class Kind>(Kind& held) {
          held.describe(w);
          options.describe(w, kSized<Kind>);
        },
        kind);
  });
}

Draft draw(const Similarity&, AgentId nodes, const WeightedEdges* similar) {
  if (similar == nullptr)
    throw TopologyError("the data do not say which owners are alike; choose another type of topology");
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

// Nodes in the order in which they are found from node 0, link by link; those that are not reached at the
// end.
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

// Leaves as many nodes as there are agents.
void take_nodes(Draft& d, AgentId agents, const GraphOptions& o, const Streams& streams) {
  if (d.nodes < agents) {
    throw TopologyError(fmt::format("{} agents need a node each, the graph has {}{}{}", agents, d.nodes,
                                    d.notes.empty() ? "" : ": ", fmt::join(d.notes, "; ")));
  }
  if (d.nodes == agents) return;
  std::vector<AgentId> order(d.nodes);
  std::iota(order.begin(), order.end(), AgentId{0});
  std::string_view which = "first";
  switch (o.nodes) {
    case NodesUsed::kFirst:
      break;
    case NodesUsed::kNearest:
      order = o.overlay ? by_path(d) : by_links(d);
      which = "nearest";
      break;
    case NodesUsed::kRandom: {
      Stream s = topology_stream(streams, TopologyDraw::kNodes);
      shuffle(order, s);
      // A hub stays.
      if (o.overlay) std::swap(order[0], *std::find(order.begin(), order.end(), AgentId{0}));
      which = "random";
      break;
    }
  }
  order.resize(agents);
  std::sort(order.begin(), order.end());
  const AgentId before = d.nodes;
  d = induced(std::move(d), order);
  d.notes.push_back(fmt::format("{} of {} nodes have agents ({})", agents, before, which));
}

AgentId count_components(const Draft& d) {
  const std::vector<AgentId> component = connected_components(d.nodes, d.edges);
  AgentId count = 0;
  for (AgentId i = 0; i < d.nodes; ++i)
    if (component[i] == i) ++count;
  return count;
}

void refuse_components(AgentId count, const std::vector<std::string>& notes) {
  if (count < 2) return;
  throw TopologyError(fmt::format(
      "the network must be connected, it has {} components{}: set connected to largest_component or "
      "connect, or ask for more links",
      count, notes.empty() ? "" : fmt::format(" ({})", fmt::join(notes, "; "))));
}

void weigh(Draft& d, const std::optional<EdgeWeights>& weights) {
  if (!weights) return;
  switch (*weights) {
    case EdgeWeights::kUniform:
      d.weight.clear();
      return;
    case EdgeWeights::kMetropolis: {
      std::vector<std::uint32_t> degree(d.nodes);
      for (const Edge& e : d.edges) {
        ++degree[e.a];
        ++degree[e.b];
      }
      d.weight.clear();
      for (const Edge& e : d.edges) d.weight.push_back(1.0 / (1.0 + std::max(degree[e.a], degree[e.b])));
      return;
    }
    case EdgeWeights::kGiven:
      if (d.weight.empty() && !d.edges.empty())
        throw TopologyError("weights: the graph gives its links none; choose uniform or metropolis");
      return;
  }
}

}  // namespace

void TopologyOptions::describe_as(Visitor& v, const About& about) {
  describe_kinds(v, kind_, graph_, about);
}

Topology make_topology(const TopologyOptions& options, AgentId agents, const Streams& streams,
                       const WeightedEdges* similar) {
  const GraphOptions& o = options.graph();
  if (o.size.value_or(agents) < agents)
    throw TopologyError(fmt::format("size: {} agents need a node each, got {}", agents, *o.size));
  Draft d = draw_kind(options, agents, streams, similar);
  switch (o.connected) {
    case Connected::kRequire:
      // Before nodes are left out, too: what is asked for is the whole graph. Else require_connected() sees
      // it.
      if (d.nodes > agents || o.overlay) refuse_components(count_components(d), d.notes);
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

void require_connected(const Topology& topology) {
  refuse_components(topology.components(), topology.notes());
}

}  // namespace hearsay::sim
