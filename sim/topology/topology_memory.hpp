#pragma once
// The size of a graph and the memory that it needs, from its options.
#include "sim/memory.hpp"
#include "sim/topology/make_topology.hpp"

namespace hearsay::sim {

/// The expected number of links of a graph with so many nodes; of a file, from the number of its lines.
double expected_links(const Star&, double nodes);
double expected_links(const Ring&, double nodes);
double expected_links(const Complete&, double nodes);
double expected_links(const Grid& options, double nodes);
double expected_links(const Torus& options, double nodes);
double expected_links(const RandomRegular& options, double nodes);
double expected_links(const ErdosRenyi& options, double nodes);
double expected_links(const WattsStrogatz& options, double nodes);
double expected_links(const BarabasiAlbert& options, double nodes);
double expected_links(const PowerLaw& options, double nodes);
double expected_links(const Rmat& options, double nodes);
double expected_links(const RandomGeometric& options, double nodes);
double expected_links(const StochasticBlock& options, double nodes);
double expected_links(const GraphFile& options, double nodes);

struct TopologyNeed {
  double links = 0;  ///< of the network, expected
  Memory memory;     ///< of make_topology() and require_connected()
};
/// `similar`: links of the data's similarity graph.
TopologyNeed need_of(const TopologyOptions& options, double agents, double similar);

}  // namespace hearsay::sim
