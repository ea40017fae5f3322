#pragma once
// Whether network and clocks fit the graph they are to run on.
#include "sim/engine/engine.hpp"

namespace hearsay::scenarios {

/// Reads the files that network and clocks name, for all runs to share, and tries everything on the graph.
/// Throws AssemblyError where something does not fit, or no message could ever arrive.
void fit_network(sim::Engine::Options& options, const sim::Topology& topology, const sim::Streams& streams);

}  // namespace hearsay::scenarios
