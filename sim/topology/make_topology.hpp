#pragma once
// The "topology" of a scenario: a kind of graph, and options of any graph.
#include <concepts>
#include <optional>
#include <string>
#include <variant>

#include "sim/topology/files/graph_file.hpp"
#include "sim/topology/generators/generators.hpp"

namespace hearsay::sim {

/// Agent i is owner i of the data.
struct Similarity {
  static constexpr std::string_view kName = "similarity";
  static constexpr std::string_view kHelp = "Links and weights from the similarity graph of the data.";
  void describe(Visitor&) {}
};

/// A hub among the nodes of a graph, and a link from it to every other node along the shortest path. The path is
/// shortest in latency where the graph's links have latencies, else in length (by default the distance of their
/// ends); the link has the path's total of each. Nodes on a path forward messages whether or not they are up, and
/// links do not share the capacity of common parts.
struct StarOverlay {
  static constexpr std::string_view kName = "star";
  static constexpr std::string_view kHelp = "A link from a hub, which is agent 0, to every other node.";
  std::string hub = "centre";
  void describe(Visitor& v);
};
using OverlayOptions = std::variant<StarOverlay>;

/// The hub becomes node 0, the others follow in their order. "centre" is the node with the smallest maximum distance to
/// the others (of equals the first). Throws TopologyError if no node or several have the hub's name, links have neither
/// latency nor length, or nodes are unreachable. O(edges log nodes); for the centre once per node, of which there may
/// then be at most 10 000.
Draft overlay(Draft&& graph, const StarOverlay& options);

enum class GraphDraw { kStudy, kRepetition };
constexpr auto choices_of(GraphDraw) {
  return std::to_array<Choice>({{"study", "Once: all repetitions use the same graph."},
                                {"repetition", "A new graph for each repetition."}});
}

enum class Connected { kRequire, kLargestComponent, kConnect };
constexpr auto choices_of(Connected) {
  return std::to_array<Choice>(
      {{"require", "A graph of several components is an error."},
       {"largest_component",
        "Only the component with the most nodes is kept; it must have a node for every agent."},
       {"connect", "Each component is linked to the next by a link between their first nodes."}});
}

enum class EdgeWeights { kUniform, kMetropolis, kGiven };
constexpr auto choices_of(EdgeWeights) {
  return std::to_array<Choice>({{"uniform", "Weight 1 for every link."},
                                {"metropolis", "Weight 1/(1 + the larger degree of the two endpoints)."},
                                {"given", "Weights from the graph file or from the data."}});
}

enum class NodesUsed { kFirst, kNearest, kRandom };
constexpr auto choices_of(NodesUsed) {
  return std::to_array<Choice>(
      {{"first", "The first nodes."},
       {"nearest",
        "The nodes with the fewest hops from the first node, which is included; they are connected. "
        "With an overlay, the nodes with the shortest paths from the hub."},
       {"random", "Nodes drawn uniformly; with an overlay, the hub and other nodes drawn uniformly."}});
}

/// Options of any graph.
struct GraphOptions {
  GraphDraw draw = GraphDraw::kStudy;
  std::optional<AgentId> size;  ///< nodes that are drawn; as many as agents
  Connected connected = Connected::kRequire;
  NodesUsed nodes = NodesUsed::kFirst;
  std::optional<EdgeWeights> weights;  ///< given where the graph has any, else uniform
  std::optional<OverlayOptions> overlay;

  /// `sized`: whether the graph can be drawn with any number of nodes.
  void describe(Visitor& v, bool sized);
};

class TopologyOptions {
 public:
  using Kind =
      std::variant<Star, Ring, Complete, Grid, Torus, Hypercube, RandomRegular, ErdosRenyi, WattsStrogatz,
                   BarabasiAlbert, PowerLaw, Rmat, RandomGeometric, StochasticBlock, Similarity, GraphFile>;

  TopologyOptions() = default;
  template <std::convertible_to<Kind> K>
  TopologyOptions(K kind, GraphOptions options = {})  // NOLINT(google-explicit-constructor)
      : kind_(std::move(kind)), graph_(std::move(options)) {}

  const Kind& kind() const { return kind_; }
  const GraphOptions& graph() const { return graph_; }
  void describe_as(Visitor& v, const About& about);

 private:
  Kind kind_;
  GraphOptions graph_;
};

/// Builds a graph of `agents` agents:
///
///   1. drawn, with options.size nodes or one for each agent, or read;
///   2. made connected as options.connected says, or refused if nodes or links are to be removed;
///   3. replaced by the overlay, if there is one;
///   4. reduced to as many nodes as agents, which are numbered in the order of the nodes (a hub first). Links to the
///      other nodes are removed with them, but links of an overlay still run through them;
///   5. given weights.
///
/// Random graphs draw from Purpose::kTopology (see TopologyDraw) of `streams`. `similar` are the edges that the data
/// define, or null. Throws TopologyError if no such graph exists or there are fewer nodes than agents. The graph may
/// have several components; require_connected() refuses it then.
Topology make_topology(const TopologyOptions& options, AgentId agents, const Streams& streams,
                       const WeightedEdges* similar = nullptr);

/// Throws TopologyError for a graph that make_topology() refuses for its number of nodes alone. O(1).
void require_graph(const TopologyOptions& options, AgentId agents);

/// Throws TopologyError, with possible remedies, for a graph of several components.
void require_connected(const Topology& topology);

}  // namespace hearsay::sim
