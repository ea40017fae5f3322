#include "sim/topology/expected_links.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace hearsay::sim {

namespace {

double pairs(double nodes) {
  return nodes * (nodes - 1) / 2;
}

double links_of_grid(const std::optional<AgentId>& columns, double nodes) {
  const double wide = columns ? *columns : std::sqrt(nodes);
  return 2 * nodes - wide - nodes / wide;
}

double expected_links(const Star&, double nodes) {
  return nodes - 1;
}
double expected_links(const Ring&, double nodes) {
  return nodes;
}
double expected_links(const Complete&, double nodes) {
  return nodes;
}
double expected_links(const Grid& options, double nodes) {
  return links_of_grid(options.columns, nodes);
}
double expected_links(const Torus&, double nodes) {
  return 2 * nodes;
}
double expected_links(const Hypercube&, double nodes) {
  return nodes * std::log2(nodes) / 2;
}
double expected_links(const RandomRegular& options, double nodes) {
  return nodes * options.degree / 2;
}
double expected_links(const ErdosRenyi& options, double nodes) {
  return options.probability ? *options.probability * pairs(nodes)
                             : options.mean_degree.value_or(4) * nodes / 2;
}
double expected_links(const WattsStrogatz& options, double nodes) {
  return nodes * options.neighbours / 2;
}
double expected_links(const BarabasiAlbert& options, double nodes) {
  return nodes * options.links;
}
double expected_links(const PowerLaw& options, double nodes) {
  return nodes * std::min(options.mean_degree, nodes) / 2;
}
double expected_links(const Rmat& options, double nodes) {
  return nodes * options.mean_degree / 2;
}
double expected_links(const RandomGeometric& options, double nodes) {
  // The probability that two points of a square or torus of side 1 are nearer than r, for r up to 1 and 1/2.
  const double r = options.radius / options.side, disc = std::numbers::pi * r * r;
  const double border = options.torus ? 0 : 8 * r * r * r / 3 - r * r * r * r / 2;
  return r >= 1 ? pairs(nodes) : pairs(nodes) * std::min(1.0, disc - border);
}
double expected_links(const StochasticBlock& options, double nodes) {
  const double blocks =
      options.sizes.empty() ? options.blocks.value_or(2) : static_cast<double>(options.sizes.size());
  double within = blocks * pairs(nodes / blocks);
  if (!options.sizes.empty()) {
    within = std::accumulate(options.sizes.begin(), options.sizes.end(), 0.0,
                             [](double sum, AgentId size) { return sum + pairs(size); });
  }
  return options.within * within + options.between * std::max(0.0, pairs(nodes) - within);
}
// Only known once a file or the data are read.
double expected_links(const GraphFile&, double) {
  return 0;
}
double expected_links(const Similarity&, double) {
  return 0;
}

}  // namespace

double expected_links(const TopologyOptions& options, double agents) {
  const GraphOptions& o = options.graph();
  if (o.overlay) return agents - 1;
  const double nodes = o.size ? std::max<double>(*o.size, agents) : agents, kept = agents / nodes;
  return std::visit(
      [&](const auto& kind) { return std::max(0.0, expected_links(kind, nodes)) * kept * kept; },
      options.kind());
}

}  // namespace hearsay::sim
