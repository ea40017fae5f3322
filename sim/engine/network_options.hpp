#pragma once
// Everything about a network that a scenario can set.
#include "sim/availability/availability.hpp"
#include "sim/availability/compute_time.hpp"
#include "sim/links/links.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

/// What becomes of a message whose receiver is down when it arrives.
enum class InFlight { kLost, kHeld };
template <>
struct Choices<InFlight> {
  static constexpr std::array kValues{
      Choice{"lost", "it is lost"},
      Choice{"held", "it waits until its receiver is up; those that wait are handed over as they arrived"}};
};

struct NetworkOptions {
  TopologyOptions topology;
  LinkOptions links;
  ComputeOptions compute_time;
  AvailabilityOptions availability;
  InFlight in_flight = InFlight::kLost;
  void describe(Visitor& v);
};

}  // namespace hearsay::sim
