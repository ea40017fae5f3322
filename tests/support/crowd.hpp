#pragma once
// Very many agents, for laws of their availability.
#include <utility>

#include "tests/support/script.hpp"

namespace hearsay::test {

inline constexpr sim::AgentId kCrowd = 20'000;

/// Agents that only go down and come up. Their ring is the same in all runs.
class Crowd : public ScriptedEngine {
 public:
  Crowd(std::uint64_t seed, sim::AvailabilityOptions law, sim::Time every, sim::Time until)
      : ScriptedEngine({.network = {.availability = std::move(law)},
                        .clocks = sim::ClockTrace{},
                        .time_limit = until,
                        .observe_every = every},
                       ring(), sim::Streams(seed, 0)) {
    logging = false;
  }

 private:
  static const sim::Topology& ring() {
    static const sim::Topology ring = make_topology(sim::Ring{}, kCrowd, kStreams);
    return ring;
  }
};

}  // namespace hearsay::test
