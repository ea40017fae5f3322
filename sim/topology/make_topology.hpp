#pragma once
// The "topology" of a scenario: a kind of graph, and what is asked of it.
#include <concepts>
#include <variant>

#include "sim/topology/files/graph_file.hpp"
#include "sim/topology/generators/independent_edges.hpp"
#include "sim/topology/generators/random_geometric.hpp"
#include "sim/topology/generators/random_regular.hpp"
#include "sim/topology/generators/scale_free.hpp"
#include "sim/topology/generators/simple_graphs.hpp"
#include "sim/topology/generators/small_world.hpp"
#include "sim/topology/graph_options.hpp"

namespace hearsay::sim {

/// Agent i is owner i of the data.
struct Similarity {
  static constexpr std::string_view kName = "similarity";
  static constexpr std::string_view kHelp = "Links and weights from the similarity graph of the data.";
  void describe(Visitor&) {}
};

class TopologyOptions {
 public:
  using Kind =
      std::variant<Star, Ring, Complete, Grid, Torus, RandomRegular, ErdosRenyi, WattsStrogatz,
                   BarabasiAlbert, PowerLaw, Rmat, RandomGeometric, StochasticBlock, Similarity, GraphFile>;

  TopologyOptions() = default;
  template <std::convertible_to<Kind> K>
  TopologyOptions(K kind,
                  GraphOptions options = {})  // NOLINT(google-explicit-constructor): a kind is a topology
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
///   2. made connected as options.connected says, or refused where nodes or links are to be left out;
///   3. replaced by the overlay, where there is one;
///   4. reduced to as many nodes as agents, which are numbered in the order of the nodes (a hub first); links
///      to the others go with them (those of an overlay run through them still);
///   5. given weights.
///
/// Random graphs draw from Purpose::kTopology (see TopologyDraw) of `streams`. `similar` are the edges that
/// the data define, or null. Throws TopologyError where no such graph exists or there are fewer nodes than
/// agents. The graph may have several components; require_connected() refuses it then.
Topology make_topology(const TopologyOptions& options, AgentId agents, const Streams& streams,
                       const WeightedEdges* similar = nullptr);

/// Throws TopologyError, with what can be done about it, for a graph of several components.
void require_connected(const Topology& topology);

}  // namespace hearsay::sim
