#include "sim/topology/topology_memory.hpp"

#include <numbers>
#include <numeric>

#include "sim/files/text_shape.hpp"

namespace hearsay::sim {

namespace {

constexpr double kEdge = sizeof(Edge), kAgent = sizeof(AgentId), kNumber = sizeof(double);

double pairs(double nodes) {
  return nodes * (nodes - 1) / 2;
}

double links_of_grid(const std::optional<AgentId>& columns, double nodes) {
  const double wide = columns ? *columns : std::sqrt(nodes);
  return 2 * nodes - wide - nodes / wide;
}

// Bytes for a link, beside its place in the list of links, while its kind of graph is drawn.
template <class Kind>
double drawing(const Kind& kind, double links) {
  if constexpr (std::is_same_v<Kind, RandomRegular>) {
    return links * 2 * kAgent * 3;  // partners, stubs, and those that are paired
  } else if constexpr (std::is_same_v<Kind, BarabasiAlbert> || std::is_same_v<Kind, PowerLaw>) {
    return grown(2 * links, kAgent).peak();
  } else if constexpr (std::is_same_v<Kind, GraphFile>) {
    return 4 * file_bytes(kind.path);  // the text, and the graph of its parser
  } else {
    return 0;
  }
}

}  // namespace

double expected_links(const Star&, double nodes) {
  return nodes - 1;
}
double expected_links(const Ring&, double nodes) {
  return nodes;
}
double expected_links(const Complete&, double nodes) {
  return pairs(nodes);
}
double expected_links(const Grid& options, double nodes) {
  return links_of_grid(options.columns, nodes);
}
double expected_links(const Torus&, double nodes) {
  return 2 * nodes;
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
double expected_links(const GraphFile& options, double) {
  return text_shape(options.path).rows;
}

TopologyNeed need_of(const TopologyOptions& options, double agents, double similar) {
  const GraphOptions& o = options.graph();
  return std::visit(
      [&]<class Kind>(const Kind& kind) -> TopologyNeed {
        constexpr bool kSimilar = std::is_same_v<Kind, Similarity>, kFile = std::is_same_v<Kind, GraphFile>;
        double nodes = o.size ? std::max<double>(*o.size, agents) : agents, links = similar;
        if constexpr (!kSimilar) links = std::max(0.0, expected_links(kind, nodes));
        if constexpr (kFile) nodes = std::max(nodes, 0.7 * links);
        const bool placed = std::is_same_v<Kind, RandomGeometric> || kFile;
        const bool weighted = kSimilar || o.weights == EdgeWeights::kMetropolis;
        const double places = placed ? nodes * sizeof(Place) : 0;

        // Each step of drawing, and of checking that the graph is connected, follows the one before.
        const Memory list = grown(links, kEdge);
        const double values = weighted ? links * kNumber : 0;
        const double drawn = list.held + places + values;
        const double sets = nodes * (2 * sizeof(std::size_t) + 2 * kAgent) + list.held;
        const double kept = o.overlay ? agents - 1 : links * std::min(1.0, agents / nodes * agents / nodes);
        const double held = agents * kAgent + 2 * kept * (kAgent + (weighted ? kNumber : 0)) +
                            (placed ? agents * sizeof(Place) : 0) +
                            (o.overlay ? 4 * kept * kNumber : 0);  // latency and length
        const double paths = o.overlay ? nodes * 120 + links * 100 : 0;
        const double most =
            std::max({drawn + list.making, drawn + drawing(kind, links), drawn + paths,
                      drawn + (o.connected == Connected::kRequire ? 0 : sets), drawn + held, held + sets});
        return {kept, {held, most - held}};
      },
      options.kind());
}

}  // namespace hearsay::sim
