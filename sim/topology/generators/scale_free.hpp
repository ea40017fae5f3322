#pragma once
// Random graphs with a few agents of many neighbours.
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/generators/draft.hpp"

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
      "Preferential attachment: agents join one by one and link to earlier ones with probability "
      "proportional to their degree.";
  AgentId links = 2;
  void describe(Visitor& v);
};
/// Throws TopologyError for fewer than links + 1 nodes. O(nodes * links^2).
Draft draw(const BarabasiAlbert& options, AgentId nodes, const Streams& streams);

/// Power law out degree (PLOD: Palmer and Steffan, "Generating network topologies that obey power laws",
/// GLOBECOM 2000), stubs paired as in the erased configuration model: agent i is given max(1, min(n - 1,
/// floor(beta x_i^-alpha))) stubs, x_i uniform on {1 .. n}, alpha = 1/(exponent - 1), beta = mean_degree (1 -
/// alpha) n^alpha; all stubs are paired at random; pairs of one agent, repeated ones and a stub left over are
/// dropped. So the share of agents with k stubs or more is floor((beta/k)^(exponent - 1))/n, and their mean
/// before rounding down is about mean_degree. Boost's plod_iterator is not used: it pairs agents, whatever
/// the number of their stubs, so that those with many are paired with each other again and again, and with
/// the repetitions goes the tail.
struct PowerLaw {
  static constexpr std::string_view kName = "power_law";
  static constexpr std::string_view kHelp =
      "Degrees drawn from a power law (PLOD), links between random endpoints.";
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
      "Recursive matrix (R-MAT): nested communities, heavy-tailed degrees, some agents without links.";
  double mean_degree = 8, a = 0.57, b = 0.19, c = 0.19;
  void describe(Visitor& v);
};
/// Throws TopologyError where so many different links do not come up.
Draft draw(const Rmat& options, AgentId nodes, const Streams& streams);

}  // namespace hearsay::sim
