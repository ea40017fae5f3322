#pragma once
// Kinds of graphs that are drawn: their options, and the functions that draw them.
#include <optional>

#include "sim/options/describe.hpp"
#include "sim/topology/generators/draft.hpp"

namespace hearsay::sim {

/// The hub is agent 0, so that adding an agent renumbers no other.
struct Star {
  static constexpr std::string_view kName = "star";
  static constexpr std::string_view kHelp = "Agent 0 is linked to every other agent.";
  void describe(Visitor&) {}
};

struct Ring {
  static constexpr std::string_view kName = "ring";
  static constexpr std::string_view kHelp = "Each agent is linked to the next, the last to the first.";
  void describe(Visitor&) {}
};

struct Complete {
  static constexpr std::string_view kName = "complete";
  static constexpr std::string_view kHelp = "Each pair of agents is linked.";
  void describe(Visitor&) {}
};

/// Agent row * columns + column lies in a row and a column: n agents have 2n - rows - columns links.
struct Grid {
  static constexpr std::string_view kName = "grid";
  static constexpr std::string_view kHelp =
      "Agents in rows and columns, each linked to its neighbours in row and column.";
  std::optional<AgentId> columns;  ///< a divisor of the number of agents
  void describe(Visitor& v);
};

/// Degree 4 where rows and columns are at least 3.
struct Torus {
  static constexpr std::string_view kName = "torus";
  static constexpr std::string_view kHelp =
      "Grid in which the first and last rows, and the first and last columns, are linked too.";
  std::optional<AgentId> columns;
  void describe(Visitor& v);
};

/// Agents i and j are linked if exactly one bit of their numbers differs: degree d, n d/2 links, diameter d, C(d, q) agents
/// at distance q of each.
struct Hypercube {
  static constexpr std::string_view kName = "hypercube";
  static constexpr std::string_view kHelp =
      "The corners of a hypercube: 2^d agents, linked if the binary digits of their numbers differ in one.";
  std::optional<std::uint32_t> dimension;  ///< d
  void describe(Visitor& v);
};

/// Stubs are paired at random, and pairs that would be a loop or a repetition are paired again (Steger and Wormald,
/// 1999): asymptotically uniform among the simple graphs of that degree for degree^2 << nodes. Above half of the other
/// agents, the pairs without a link are drawn instead.
struct RandomRegular {
  static constexpr std::string_view kName = "random_regular";
  static constexpr std::string_view kHelp = "Random simple graph in which every agent has the same degree.";
  std::uint32_t degree = 4;
  void describe(Visitor& v);
};

/// G(n, p): the number of edges is binomial with n (n - 1)/2 trials of probability p. Drawn by
/// boost::sorted_erdos_renyi_iterator in O(nodes + edges).
struct ErdosRenyi {
  static constexpr std::string_view kName = "erdos_renyi";
  static constexpr std::string_view kHelp =
      "Each pair of agents is linked independently with the same probability.";
  std::optional<double> probability, mean_degree;  ///< mean_degree = probability (n - 1); 4
  void describe(Visitor& v);
};

/// Blocks are consecutive agents. The number of edges within a block, and between two, is binomial. Edges are found by
/// geometric steps (Batagelj and Brandes, "Efficient generation of large random networks", 2005): O(nodes + edges +
/// blocks^2).
struct StochasticBlock {
  static constexpr std::string_view kName = "stochastic_block";
  static constexpr std::string_view kHelp =
      "Stochastic block model: links within a block have one probability, links between blocks another.";
  std::optional<AgentId> blocks;  ///< 2 if neither is given; sizes differ by at most 1, larger ones first
  std::vector<AgentId> sizes;
  double within = 0.5, between = 0.05;
  void describe(Visitor& v);
};

/// Small world of Watts and Strogatz, "Collective dynamics of 'small-world' networks", Nature 1998: a ring in which
/// each of n agents is linked to its `neighbours` nearest, n * neighbours / 2 links in all. Each link except the one
/// between agents 0 and 1 is then rewired with probability `rewire` to an end uniform among those that are not among
/// the nearest (boost::small_world_iterator). Links that coincide are merged, so there may be a few less. Without
/// rewiring each agent's clustering is 3 (k - 2)/(4 (k - 1)) for k < 2n/3.
struct WattsStrogatz {
  static constexpr std::string_view kName = "watts_strogatz";
  static constexpr std::string_view kHelp =
      "Small world: a ring with links to several agents on both sides, some of them rewired to a random "
      "endpoint.";
  AgentId neighbours = 4;  ///< even
  double rewire = 0.1;
  void describe(Visitor& v);
};

/// Barabasi and Albert, "Emergence of scaling in random networks", Science 1999: starts with m + 1 agents, m = links,
/// all linked; each further agent is linked to m different earlier ones, drawn one after the other with probability
/// proportional to their degrees before it joined. So n agents have m (m + 1)/2 + (n - m - 1) m links, no degree is
/// below m, and the fraction of agents of degree k tends to 2 m (m + 1)/(k (k + 1)(k + 2)).
struct BarabasiAlbert {
  static constexpr std::string_view kName = "barabasi_albert";
  static constexpr std::string_view kHelp =
      "Preferential attachment: agents join one by one and link to earlier ones with probability "
      "proportional to their degree.";
  AgentId links = 2;
  void describe(Visitor& v);
};

/// Power law out degree (PLOD: Palmer and Steffan, "Generating network topologies that obey power laws", GLOBECOM
/// 2000), with stubs paired as in the erased configuration model: agent i has max(1, min(n - 1, floor(beta
/// x_i^-alpha))) stubs, x_i uniform on {1 .. n}, alpha = 1/(exponent - 1), beta = mean_degree (1 - alpha) n^alpha.
/// Stubs are paired at random; loops, repeated pairs and a stub left over are dropped. So the fraction of agents with
/// k stubs or more is floor((beta/k)^(exponent - 1))/n, and their mean before rounding down is about mean_degree.
/// Boost's plod_iterator is not used: it pairs agents regardless of the number of their stubs, which cuts the tail.
struct PowerLaw {
  static constexpr std::string_view kName = "power_law";
  static constexpr std::string_view kHelp =
      "Degrees drawn from a power law (PLOD), links between random endpoints.";
  double exponent = 2.5, mean_degree = 6;
  void describe(Visitor& v);
};

/// boost::rmat_iterator (Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004) on the
/// smallest power of two that is at least n: each link falls into a quarter of the matrix of pairs with probabilities
/// a, b, c, 1 - a - b - c, into a quarter of that again and so on, the probabilities varied by up to 10 % at each step.
/// Loops, repeated links and links to none of the n agents are redrawn until there are round(n mean_degree/2). Agents
/// are then renumbered at random.
struct Rmat {
  static constexpr std::string_view kName = "rmat";
  static constexpr std::string_view kHelp =
      "Recursive matrix (R-MAT): nested communities, heavy-tailed degrees, some agents without links.";
  double mean_degree = 8, a = 0.57, b = 0.19, c = 0.19;
  void describe(Visitor& v);
};

/// n places, uniform on a square and independent; two agents are linked if they are nearer than the radius r. On a
/// torus the expected degree is (n - 1) pi r^2/side^2 for r <= side/2; otherwise it is lower near the border. The
/// place of an agent is drawn from (kTopology, agent), whatever n. On a torus links have a length, which is not the
/// distance of the places where they cross the border. O(nodes + edges) on average.
struct RandomGeometric {
  static constexpr std::string_view kName = "random_geometric";
  static constexpr std::string_view kHelp =
      "Agents at uniform positions in a square, linked if their distance is below a radius.";
  double radius = 0.2, side = 1;  ///< m
  bool torus = false;
  void describe(Visitor& v);
};

// Each throws TopologyError if no such graph exists.
Draft draw(const Star&, AgentId nodes, const Streams&);
Draft draw(const Ring&, AgentId nodes, const Streams&);
Draft draw(const Complete&, AgentId nodes, const Streams&);
Draft draw(const Grid& options, AgentId nodes, const Streams&);
Draft draw(const Torus& options, AgentId nodes, const Streams&);
Draft draw(const Hypercube& options, AgentId nodes, const Streams&);
Draft draw(const RandomRegular& options, AgentId nodes, const Streams& streams);
Draft draw(const ErdosRenyi& options, AgentId nodes, const Streams& streams);
Draft draw(const StochasticBlock& options, AgentId nodes, const Streams& streams);
Draft draw(const WattsStrogatz& options, AgentId nodes, const Streams& streams);
Draft draw(const BarabasiAlbert& options, AgentId nodes, const Streams& streams);
Draft draw(const PowerLaw& options, AgentId nodes, const Streams& streams);
Draft draw(const Rmat& options, AgentId nodes, const Streams& streams);
Draft draw(const RandomGeometric& options, AgentId nodes, const Streams& streams);

// What draw() refuses for the number of nodes alone.
void require_possible(const RandomRegular& options, AgentId nodes);
void require_possible(const ErdosRenyi& options, AgentId nodes);
void require_possible(const WattsStrogatz& options, AgentId nodes);
void require_possible(const BarabasiAlbert& options, AgentId nodes);

/// The place of a node of random_geometric.
Place place_of_node(AgentId node, double side, const Streams& streams);

/// Every pair that is not in `edges`, which are in ascending order, as are the ends of each.
std::vector<Edge> complement(AgentId nodes, const std::vector<Edge>& edges);

}  // namespace hearsay::sim
