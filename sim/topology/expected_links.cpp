#include "sim/topology/expected_links.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sim/overloaded.hpp"

namespace hearsay::sim {

namespace {

double pairs(double nodes) {
  return nodes * (nodes - 1) / 2;
}

}  // namespace

double expected_links(const TopologyOptions& options, double agents) {
  const GraphOptions& o = options.graph();
  if (o.overlay) return agents - 1;
  const double nodes = o.size ? std::max<double>(*o.size, agents) : agents, kept = agents / nodes;
  const Overloaded links{
      [&](const Star&) { return nodes - 1; },
      [&](const Ring&) { return nodes; },
      [&](const Complete&) { return nodes; },
      [&](const Grid& g) {
        const double wide = g.columns ? *g.columns : std::sqrt(nodes);
        return 2 * nodes - wide - nodes / wide;
      },
      [&](const Torus&) { return 2 * nodes; },
      [&](const Hypercube&) { return nodes * std::log2(nodes) / 2; },
      [&](const RandomRegular& g) { return nodes * g.degree / 2; },
      [&](const ErdosRenyi& g) {
        return g.probability ? *g.probability * pairs(nodes) : g.mean_degree.value_or(4) * nodes / 2;
      },
      [&](const WattsStrogatz& g) { return nodes * g.neighbours / 2; },
      [&](const BarabasiAlbert& g) { return nodes * g.links; },
      [&](const PowerLaw& g) { return nodes * std::min(g.mean_degree, nodes) / 2; },
      [&](const Rmat& g) { return nodes * g.mean_degree / 2; },
      [&](const RandomGeometric& g) {
        // The probability that two points of a square or torus of side 1 are nearer than r, for r up to 1 and 1/2.
        const double r = g.radius / g.side, disc = std::numbers::pi * r * r;
        const double border = g.torus ? 0 : 8 * r * r * r / 3 - r * r * r * r / 2;
        return r >= 1 ? pairs(nodes) : pairs(nodes) * std::min(1.0, disc - border);
      },
      [&](const StochasticBlock& g) {
        const double blocks = g.sizes.empty() ? g.blocks.value_or(2) : static_cast<double>(g.sizes.size());
        double within = blocks * pairs(nodes / blocks);
        if (!g.sizes.empty()) {
          within = std::accumulate(g.sizes.begin(), g.sizes.end(), 0.0,
                                   [](double sum, AgentId size) { return sum + pairs(size); });
        }
        return g.within * within + g.between * std::max(0.0, pairs(nodes) - within);
      },
      // Only known once a file or the data are read.
      [](const GraphFile&) { return 0.0; },
      [](const Similarity&) { return 0.0; },
  };
  return std::max(0.0, std::visit(links, options.kind())) * kept * kept;
}

}  // namespace hearsay::sim
