#pragma once
// What can be asked of any graph, whatever it is made from.
#include <optional>

#include "sim/options/describe.hpp"
#include "sim/topology/generators/draft.hpp"
#include "sim/topology/overlay.hpp"

namespace hearsay::sim {

enum class GraphDraw { kStudy, kRepetition };
enum class Connected { kRequire, kLargestComponent, kConnect };
enum class EdgeWeights { kUniform, kMetropolis, kGiven };
enum class NodesUsed { kFirst, kNearest, kRandom };

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

template <>
struct Choices<GraphDraw> {
  static constexpr std::array kValues{Choice{"study", "Once: all repetitions use the same graph."},
                                      Choice{"repetition", "A new graph for each repetition."}};
};
template <>
struct Choices<Connected> {
  static constexpr std::array kValues{
      Choice{"require", "A graph of several components is an error."},
      Choice{"largest_component",
             "Only the component with the most nodes is kept; it must have a node for every agent."},
      Choice{"connect", "Each component is linked to the next by a link between their first nodes."}};
};
template <>
struct Choices<EdgeWeights> {
  static constexpr std::array kValues{
      Choice{"uniform", "Weight 1 for every link."},
      Choice{"metropolis", "Weight 1/(1 + the larger degree of the two endpoints)."},
      Choice{"given", "Weights from the graph file or from the data."}};
};
template <>
struct Choices<NodesUsed> {
  static constexpr std::array kValues{
      Choice{"first", "The first nodes."},
      Choice{"nearest",
             "The nodes with the fewest hops from the first node, which is included; they are connected. "
             "With an overlay, the nodes with the shortest paths from the hub."},
      Choice{"random", "Nodes drawn uniformly; with an overlay, the hub and other nodes drawn uniformly."}};
};

}  // namespace hearsay::sim
