#pragma once
// The network of a point, checked against its graph.
#include <vector>

#include "sim/engine/engine.hpp"

namespace hearsay::scenarios {

/// Unfolds the events into `options`, reads the files of network, clocks and events, for all runs to share, and checks
/// that all fit the graph and that messages can arrive. Throws sim::OptionError.
void fit_network(sim::Engine::Options& options, const std::vector<sim::TimelineEvent>& events,
                 const sim::Topology& topology, const sim::Streams& streams);

}  // namespace hearsay::scenarios
