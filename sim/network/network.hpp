#pragma once
// Options of a network, and the contents of the files that they name.
#include <memory>
#include <vector>

#include "sim/clocks/clocks.hpp"
#include "sim/network/availability.hpp"
#include "sim/network/compute_time.hpp"
#include "sim/network/links.hpp"
#include "sim/network/timeline.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

/// Handling of a message that arrives while its receiver is down.
enum class InFlight { kLost, kHeld };
constexpr auto choices_of(InFlight) {
  return std::to_array<Choice>(
      {{"lost", "the message is lost"},
       {"held",
        "the message waits until the receiver is up; waiting messages are delivered in order of arrival"}});
}

struct NetworkOptions {
  TopologyOptions topology;
  LinkOptions links;
  ComputeOptions compute_time;
  AvailabilityOptions availability;
  InFlight in_flight = InFlight::kLost;
  void describe(Visitor& v);
};

/// Files of a network and its clocks. Read once, shared by all runs of a point.
struct NetworkFiles {
  std::shared_ptr<const SquareMatrix> latency;  ///< of a latency "matrix"
  std::vector<std::shared_ptr<const EdgeList>>
      losses;  ///< by number of the law, null for laws without a file
  std::vector<std::shared_ptr<const Sessions>> sessions;  ///< of availability, likewise
  std::shared_ptr<const TickList> ticks;                  ///< of a clock "trace"
  std::vector<NetworkFiles> changes;                      ///< of the laws of a timeline, by entry

  // Each reads its part, where agents may have the names of `topology`; throw FileError.
  void read_latency(const LatencyOptions& options);
  void read_losses(const LossOptions& options, const Names& names);
  void read_sessions(const AvailabilityOptions& options, const Topology& topology);
  void read_ticks(const ClockOptions& options, const Names& names);
  void read_changes(const Timeline& timeline, const Names& names);
  /// All of them.
  static NetworkFiles of(const NetworkOptions& network, const ClockOptions& clocks, const Timeline& timeline,
                         const Topology& topology);
};

/// Throws std::invalid_argument if laws of a timeline do not fit the graph. `hub`: the agent that is one, or kNoAgent.
void require_fit(const Timeline& timeline, const NetworkFiles& files, const Topology& topology,
                 const Streams& streams, AgentId hub);

}  // namespace hearsay::sim
