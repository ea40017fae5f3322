#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <limits>

#include "sim/files/whole_number.hpp"
#include "sim/topology/make_topology.hpp"

namespace hearsay::sim {

namespace {

constexpr AgentId kMaxForCentre = 10'000;

class Paths {
 public:
  // `length`: by edge of the draft.
  Paths(const Draft& d, const std::vector<double>& length)
      : graph_(d.nodes), distance_(d.nodes), parent_(d.nodes) {
    for (std::size_t k = 0; k < d.edges.size(); ++k)
      boost::add_edge(d.edges[k].a, d.edges[k].b, Link{length[k], k}, graph_);
  }

  /// Distance of every node from `source`; infinite where there is no way.
  const std::vector<double>& from(AgentId source) {
    const auto by_node = [this](auto& values) {
      return boost::make_iterator_property_map(values.begin(), boost::get(boost::vertex_index, graph_));
    };
    boost::dijkstra_shortest_paths(graph_, source,
                                   boost::weight_map(boost::get(&Link::length, graph_))
                                       .distance_map(by_node(distance_))
                                       .predecessor_map(by_node(parent_))
                                       .distance_inf(std::numeric_limits<double>::infinity()));
    return distance_;
  }

  /// Sum of `values`, by edge of the draft, along the path last found to `node`.
  double sum(const std::vector<double>& values, AgentId node) const {
    double all = 0;
    for (Vertex at = node; parent_[at] != at; at = parent_[at])
      all += values[graph_[boost::edge(at, parent_[at], graph_).first].number];
    return all;
  }

 private:
  struct Link {
    double length;
    std::size_t number;
  };
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property, Link>;
  using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

  Graph graph_;
  std::vector<double> distance_;
  std::vector<Vertex> parent_;
};

AgentId centre(const Draft& d, Paths& paths) {
  if (d.nodes > kMaxForCentre)
    throw TopologyError("the centre is found among at most {} nodes, found {}: name the hub", kMaxForCentre,
                        d.nodes);
  std::vector<double> farthest;  // from each node
  for (AgentId i = 0; i < d.nodes; ++i) farthest.push_back(std::ranges::max(paths.from(i)));
  return static_cast<AgentId>(std::ranges::min_element(farthest) - farthest.begin());
}

AgentId named(const Draft& d, const std::string& name) {
  const auto count = std::count(d.names.begin(), d.names.end(), name);
  if (count > 1) throw TopologyError("overlay: {} nodes are named '{}': give the hub's number", count, name);
  if (count == 1)
    return static_cast<AgentId>(std::find(d.names.begin(), d.names.end(), name) - d.names.begin());
  if (const auto number = whole_number<AgentId>(name); number && *number < d.nodes) return *number;
  throw TopologyError("overlay: expected the name of a node or a number below {1}, found '{0}'", name,
                      d.nodes);
}

}  // namespace

void StarOverlay::describe(Visitor& v) {
  v(hub, {.name = "hub",
          .help = "Name or number of the hub node, or \"centre\": the node with the smallest maximum "
                  "distance to the other nodes."});
}

Draft overlay(Draft&& d, const StarOverlay& options) {
  std::vector<double> length = d.length;
  if (length.empty() && !d.places.empty())
    for (const Edge& e : d.edges) length.push_back(distance(d.places[e.a], d.places[e.b]));
  if (d.latency.empty() && length.empty() && !d.edges.empty())
    throw TopologyError("overlay: the links have neither latency nor length: the graph needs coordinates");
  Paths paths(d, d.latency.empty() ? length : d.latency);
  const AgentId hub = options.hub == "centre" ? centre(d, paths) : named(d, options.hub);
  const std::vector<double>& far = paths.from(hub);
  Draft star{.nodes = d.nodes};
  const std::string called = d.called(hub);
  std::vector<AgentId> order{hub};
  for (AgentId i = 0; i < d.nodes; ++i) {
    if (i == hub) continue;
    if (far[i] == std::numeric_limits<double>::infinity())
      throw TopologyError("overlay: {} is not reachable from the hub, {}", d.called(i), d.called(hub));
    star.edges.push_back({0, static_cast<AgentId>(order.size())});
    order.push_back(i);
    if (!d.latency.empty()) star.latency.push_back(paths.sum(d.latency, i));
    if (!length.empty()) star.length.push_back(paths.sum(length, i));
  }
  for (const AgentId i : order) {
    if (!d.places.empty()) star.places.push_back(d.places[i]);
    if (!d.names.empty()) star.names.push_back(std::move(d.names[i]));
  }
  star.notes = std::move(d.notes);
  star.notes.push_back("the hub is " + called);
  return star;
}

}  // namespace hearsay::sim
