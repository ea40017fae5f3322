#pragma once
// The events of a point, and its network, checked against its graph.
#include <string>
#include <vector>

#include "scenarios/study/parting.hpp"
#include "sim/engine/engine.hpp"

namespace hearsay::scenarios {

struct Scenario;

/// The events of a run with so many agents, as far as they are known before its data are made: sim::unfold.
sim::Timeline timeline_of(const Scenario& s, sim::AgentId agents);

/// A JSON list of the times and texts of events, for figures, and of where branches part; empty if there are none.
std::string events_json(const Scenario& s, const Parting& branches = {});

/// Unfolds the events into `options`, reads the files of network, clocks and events, for all runs to share, and checks
/// that all fit the graph and that messages can arrive. Throws sim::OptionError.
void fit_network(sim::Engine::Options& options, const std::vector<sim::TimelineEvent>& events,
                 const sim::Topology& topology, const sim::Streams& streams);

}  // namespace hearsay::scenarios
