#pragma once
// Everything about a network that a scenario can set.
#include "sim/availability/availability.hpp"
#include "sim/availability/compute_time.hpp"
#include "sim/links/links.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

/// What happens to a message that arrives while its receiver is down.
enum class InFlight { kLost, kHeld };
template <>
struct Choices<InFlight> {
  static constexpr std::array kValues{
      Choice{"lost", "the message is lost"},
      Choice{
          "held",
          "the message waits until the receiver is up; waiting messages are delivered in order of arrival"}};
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
