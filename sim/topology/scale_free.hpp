#pragma once
// Random graphs with a few agents of many neighbours.
#include "sim/describe.hpp"
#include "sim/stream.hpp"
#include "sim/topology/draft.hpp"

namespace hearsay::sim {

/// Barabasi and Albert, "Emergence of scaling in random networks", Science 1999: starts with links + 1
/// agents, all linked; each further agent is linked to `links` different earlier ones, drawn one after the
/// other with probability in proportion to their degrees before it came. So n agents have links (links + 1)/2
/// + (n - links
/// - 1) links links, no degree is below `links`, and the degrees' law tends to 2 m (m + 1)/(k (k + 1)(k +
/// 2)).
struct BarabasiAlbert {
  static constexpr std::string_view kName = "barabasi_albert";
  static constexpr std::string_view kHelp =
      "Agents come one by one and are linked to earlier ones in proportion to the links these have.";
  AgentId links = 2;
  void describe(Visitor& v);
};
/// Throws TopologyError for fewer than links + 1 nodes. O(nodes * links^2).
Draft draw(const BarabasiAlbert& options, AgentId nodes, const Streams& streams);

/// boost::plod_iterator (Palmer and Steffan, "Generating network topologies that obey power laws", GLOBECOM
/// 2000): agent i is given max(1, min(n - 1, floor(beta x_i^-alpha))) stubs (1 for x_i = 0), x_i uniform on
/// {0 .. n - 1}, alpha = 1/(exponent - 1), beta = mean_degree (1 - alpha) n^alpha; stubs are then paired at
/// random among agents that have any left. Pairs that are there already are merged. So the share of agents
/// with more than k stubs falls as k^-(exponent - 1), and the mean before rounding down and merging is about
/// mean_degree.
struct PowerLaw {
  static constexpr std::string_view kName = "power_law";
  static constexpr std::string_view kHelp = "Degrees drawn from a power law (power law out degree, PLOD).";
  double exponent = 2.5, mean_degree = 6;
  void describe(Visitor& v);
};
Draft draw(const PowerLaw& options, AgentId nodes, const Streams& streams);

/// boost::rmat_iterator (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004)
/// on the least power of two that is at least n: each link falls into a quarter of the matrix of pairs with
/// probabilities a, b, c, 1 - a - b - c, into a quarter of that again and so on, the probabilities varied by
/// up to 10 % at each step. Links of an agent to itself, to none of the n and repeated ones are drawn anew,
/// until there are round(n mean_degree/2). Agents are then renumbered at random.
struct Rmat {
  static constexpr std::string_view kName = "rmat";
  static constexpr std::string_view kHelp =
      "Recursive matrix: communities within communities, heavy-tailed degrees, agents without links.";
  double mean_degree = 8, a = 0.57, b = 0.19, c = 0.19;
  void describe(Visitor& v);
};
/// Throws TopologyError where so many different links do not come up.
Draft draw(const Rmat& options, AgentId nodes, const Streams& streams);

}  // namespace hearsay::sim
