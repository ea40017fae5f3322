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
  static constexpr std::array kValues{Choice{"study", "The same for all repetitions."},
                                      Choice{"repetition", "A new graph for each repetition."}};
};
template <>
struct Choices<Connected> {
  static constexpr std::array kValues{
      Choice{"require", "A graph of several components is an error."},
      Choice{"largest_component", "Only the component with the most nodes is kept; it must hold all agents."},
      Choice{"connect", "Each component is linked to the next, by the first node of each."}};
};
template <>
struct Choices<EdgeWeights> {
  static constexpr std::array kValues{Choice{"uniform", "1 for every link."},
                                      Choice{"metropolis", "1/(1 + larger degree of the two ends)."},
                                      Choice{"given", "Those of the graph's file or of the data."}};
};
template <>
struct Choices<NodesUsed> {
  static constexpr std::array kValues{
      Choice{"first", "The first nodes."},
      Choice{"nearest",
             "The nodes fewest links from the first node, which is included; they are connected. With an "
             "overlay, those with the shortest paths from the hub."},
      Choice{"random", "Uniformly drawn nodes; with an overlay, the hub and uniformly drawn others."}};
};

}  // namespace hearsay::sim
