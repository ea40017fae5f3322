#pragma once
// The size of a graph from its options, before it is drawn.
#include "sim/topology/make_topology.hpp"

namespace hearsay::sim {

/// Expected number of links that a network of so many agents stores; 0 of a graph from a file or the data. A complete graph has
/// one row for all.
double expected_links(const TopologyOptions& options, double agents);

}  // namespace hearsay::sim
