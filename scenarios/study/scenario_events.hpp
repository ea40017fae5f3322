#pragma once
// The events of a scenario, as far as they are known before its data are made.
#include <string>

#include "scenarios/study/parting.hpp"

namespace hearsay::scenarios {

struct Scenario;

/// Throws sim::OptionError for events that do not fit the run: unknown agents, where the data options give the number of
/// owners, times after the end, agents that join or leave twice.
void require_events(const Scenario& s);

/// A JSON list of their times and texts, for figures, and of where branches part; empty if there are none.
std::string events_json(const Scenario& s, const Parting& branches = {});

}  // namespace hearsay::scenarios
