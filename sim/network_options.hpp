#pragma once
// Everything about a network that a scenario can set.
#include "sim/availability.hpp"
#include "sim/links.hpp"
#include "sim/topology.hpp"

namespace hearsay::sim {

struct NetworkOptions {
  TopologyOptions topology;
  LinkOptions links;
  AvailabilityOptions availability;
  void describe(Visitor& v);
};

}  // namespace hearsay::sim
