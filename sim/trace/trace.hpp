#pragma once
// What a run records: counters of its messages and, if traced, each event. Recording draws nothing and changes nothing.
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>

#include "sim/events/event.hpp"
#include "sim/options/choices.hpp"

namespace hearsay::sim {

enum class TraceKind : std::uint8_t {
  kStart,
  kTick,
  kSkip,
  kSend,
  kPublish,
  kDeliver,
  kLose,
  kUp,
  kDown,
  kTimer,
  kRelease,
  kCompute,
  kComputed,
  kReset,
  kEvent,
  kView,
  kHostile
};
constexpr auto choices_of(TraceKind) {
  return std::to_array<Choice>(
      {{"start", "the run begins"},
       {"tick", "an agent's clock ticks"},
       {"skip", "an agent misses a tick; detail: down, busy (it computes), offline (a coin)"},
       {"send", "a message is sent"},
       {"publish", "a new state is published to a neighbour"},
       {"deliver", "a message reaches its receiver"},
       {"lose", "a message is lost; the reason is in detail"},
       {"up", "an agent comes up"},
       {"down", "an agent goes down"},
       {"timer", "a timer fires; its name is in detail"},
       {"release", "a noisy release of private data; the charge is in detail"},
       {"compute", "an agent begins to compute"},
       {"computed", "an agent has computed: what it sent meanwhile leaves"},
       {"reset", "an agent returns from a crash with its initial state"},
       {"event", "an entry of the scenario's events; its description is in detail"},
       {"view", "an adversary, named in detail, sees something of an agent's data for the first time"},
       {"hostile", "an agent sends something else than its protocol says; detail: its behaviour"}});
}

constexpr std::string_view name(TraceKind kind) {
  constexpr std::string_view kNames[] = {"start",    "tick",  "skip",  "send",  "publish", "deliver",
                                         "lose",     "up",    "down",  "timer", "release", "compute",
                                         "computed", "reset", "event", "view",  "hostile"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// Why a message was lost.
enum class LossReason : std::uint8_t { kLoss, kReceiverDown, kSenderDown, kStale, kPartition, kNotFinite };
inline constexpr int kLossReasons = 6;
constexpr std::string_view name(LossReason reason) {
  constexpr std::string_view kNames[] = {"loss",  "receiver_down", "sender_down",
                                         "stale", "partition",     "not_finite"};
  return kNames[static_cast<std::size_t>(reason)];
}

/// Messages sent since the start of a run.
struct Traffic {
  std::uint64_t messages = 0;   ///< sent, lost or not; a broadcast is one per neighbour
  std::uint64_t vectors = 0;    ///< p-vectors in them
  std::uint64_t bytes = 0;      ///< headers and numbers
  std::uint64_t delivered = 0;  ///< handed to their receiver
  std::uint64_t lost[kLossReasons] = {};

  std::uint64_t lost_as(LossReason reason) const { return lost[static_cast<int>(reason)]; }
  /// Sent, and neither delivered nor lost.
  std::uint64_t in_flight() const { return messages - std::accumulate(lost, lost + kLossReasons, delivered); }
};

/// Of a message and its receiver's computation, for the end of which it waits.
enum class Waits : std::uint8_t { kNo, kBegins, kEnds };

/// Order key of an event: "tick 3.17" is tick 17 of agent 3, counted from 0. 0 is the start.
using Cause = std::uint64_t;

/// The event that is being handled: its time and order key.
struct Moment {
  Time time = 0;
  Cause key = 0;
};

struct TraceRecord {
  Time time = 0;
  TraceKind kind = TraceKind::kStart;
  AgentId agent = kNoAgent;  ///< that acts: the sender of a send, the receiver of a delivery
  AgentId peer = kNoAgent;   ///< the other end of a message
  Cause message = 0;         ///< order key of the message that is sent, delivered or lost
  Cause cause = 0;           ///< order key of the event that is being handled
  /// Of a timer, an end of a computation and what is sent then: the event that set it; 0: the start.
  Cause origin = 0;
  std::uint64_t bytes = 0;
  double staleness = std::numeric_limits<double>::quiet_NaN();  ///< s since the message was sent
  std::uint64_t iteration = 0;  ///< that what runs on the network has completed; set by it
  std::string_view detail =
      {};  ///< reason of a loss or a missed tick, name of a timer, privacy loss of a release, ...
  std::span<const double> payload =
      {};                    ///< numbers of a message, or those that are released; valid while it is recorded
  Waits waits = Waits::kNo;  ///< of a delivery
  Time sent = 0;             ///< of a message
  bool leaves = true;        ///< of a send: false if its sender is down, and no link gets it
};

class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void record(const TraceRecord& record) = 0;
  /// A message has reached an agent that computes, and will be delivered later (kDeliver, Waits::kBegins): no event.
  virtual void begins_to_wait(const TraceRecord&) {}

 protected:
  TraceSink() = default;
  TraceSink(const TraceSink&) = default;
  TraceSink& operator=(const TraceSink&) = default;
};

}  // namespace hearsay::sim
