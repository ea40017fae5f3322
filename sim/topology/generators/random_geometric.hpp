#pragma once
// Random geometric graphs: agents somewhere, links between those that are near.
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// n places, uniform on a square and independent; two agents are linked if they are nearer than the radius r.
/// On a torus the expected degree is (n - 1) pi r^2/side^2 for r <= side/2; without, agents near the border
/// have less. The place of an agent is drawn from (kTopology, agent), whatever n. On a torus links have a
/// length, which is not the distance of the places where they run across the border.
struct RandomGeometric {
  static constexpr std::string_view kName = "random_geometric";
  static constexpr std::string_view kHelp =
      "Agents at uniform positions in a square, linked if their distance is below a radius.";
  double radius = 0.2, side = 1;  ///< m
  bool torus = false;
  void describe(Visitor& v);
};

/// O(nodes + edges) on average.
Draft draw(const RandomGeometric& options, AgentId nodes, const Streams& streams);

}  // namespace hearsay::sim
