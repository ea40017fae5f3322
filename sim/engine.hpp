#pragma once
// The event loop of one run. It owns the clock, the pending events, the links, who is up, and the payloads
// under way, and enforces what no protocol may forget: an agent that is down does not tick, send or receive;
// a timer of an agent that is down waits for its return; a message is late or lost as its link says.
//
// A handler (the driver of a protocol) is told of what happens:
//   on_start(), on_tick(agent), on_message(Message), on_timer(agent, tag, number), on_up(agent),
//   on_down(agent), on_observation(), and is asked finished() after each.
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sim/availability.hpp"
#include "sim/check.hpp"
#include "sim/clocks.hpp"
#include "sim/event_queue.hpp"
#include "sim/fingerprint.hpp"
#include "sim/network_options.hpp"
#include "sim/payload_pool.hpp"
#include "sim/trace_sink.hpp"

namespace hearsay::sim {

/// A message as its receiver sees it; the payload is only valid while it is handled.
struct Message {
  AgentId from, to;
  std::uint16_t tag;           ///< the protocol's own: what kind of message
  std::uint32_t conversation;  ///< number of the exchange it belongs to
  Time sent;
  std::span<const double> payload;
  Cause id;
};

/// What has been put on the links since the start.
struct Traffic {
  std::uint64_t messages = 0;   ///< sent, lost or not; a broadcast is one per neighbour
  std::uint64_t vectors = 0;    ///< p-vectors in them
  std::uint64_t bytes = 0;      ///< header and 8 per number
  std::uint64_t delivered = 0;  ///< handed to their receiver
  std::uint64_t lost[kLossReasons] = {};
};

/// Why a run ended.
enum class End : std::uint8_t { kFinished, kTime, kEvents, kIdle };

/// The last publication of a neighbour that has reached a reader.
struct Latest {
  std::uint32_t version = 0;        ///< publication number, 0: none has arrived, the public start holds
  Time sent = 0;                    ///< when it was published
  std::span<const double> payload;  ///< empty at version 0; valid until the next event
};

class Engine {
 public:
  static constexpr std::uint64_t kHeaderBytes = 64;
  static constexpr std::uint64_t kNumberBytes = 8;

  struct Options {
    NetworkOptions network;
    ClockOptions clocks;
    std::size_t vector_length = 1;  ///< p: numbers that count as one vector
    std::size_t payload_width = 1;  ///< most numbers in one message
    bool hub = false;               ///< agent 0 is a hub: it has no clock, and availability may spare it
    Time time_limit = kNever;       ///< s; events at the limit still happen
    std::uint64_t event_limit = std::numeric_limits<std::uint64_t>::max();
    Time observe_every = kNever;  ///< s between observations
  };

  /// The topology must outlive the engine. `trace` may be null.
  Engine(const Options& options, const Topology& topology, const Streams& streams,
         TraceSink* trace = nullptr);

  Time now() const { return now_; }
  const Topology& topology() const { return topology_; }
  AgentId agents() const { return topology_.agents(); }
  bool up(AgentId i) const { return up_.empty() || up_[i] != 0; }
  AgentId up_count() const { return up_count_; }
  const Traffic& traffic() const { return traffic_; }
  std::uint64_t events() const { return events_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }
  void fingerprint(std::span<const double> numbers) { fingerprint_.add(numbers); }
  const Clocks& clocks() const { return clocks_; }
  /// High-water marks of the queue and the pool: while they stay the same, the engine allocates nothing.
  std::size_t capacity() const { return queue_.capacity() + pool_.capacity() + held_.size(); }

  /// Payloads that are held: messages under way, publications under way or last heard by somebody.
  std::size_t payload_rows() const { return pool_.in_use(); }

  /// Sends a message to a neighbour; `payload` is copied and may be empty. Throws InvariantError if there is
  /// no such link.
  void send(AgentId from, AgentId to, std::uint16_t tag, std::uint32_t conversation,
            std::span<const double> payload);
  /// Tells all neighbours a new state; it is copied once. Returns its publication number.
  std::uint32_t publish(AgentId from, std::span<const double> payload);
  /// What `reader` last heard of its k-th neighbour. O(1).
  Latest latest(AgentId reader, std::uint32_t k);
  /// Fires at `agent` after `delay` s, or when it is up again; timers that wait then fire in the order in
  /// which they were due.
  void after(AgentId agent, Time delay, std::uint16_t tag, std::uint32_t number);
  /// The receiver has no more use for a message that it has been handed: counted and traced as lost, `stale`.
  void discard(const Message& message);
  /// Lets a layer above add to the trace; free when there is none.
  void trace_release(AgentId agent, std::string_view detail);
  bool tracing() const { return trace_ != nullptr; }

  /// Runs from the start until the handler is finished or a limit is reached.
  template <class Handler>
  End run(Handler& handler);

 private:
  struct Held {
    Event event;
    std::uint32_t next;
  };

  void start();
  std::uint32_t message_row(std::uint32_t conversation, std::span<const double> payload);
  void transmit(AgentId from, AgentId to, std::uint32_t position, std::uint32_t slot, EventKind kind,
                std::uint16_t tag, AgentId source);
  void lose(const Event& event, LossReason reason);
  void arrive(const Event& event);
  void change_state(const Event& event);
  void hold(const Event& event);
  void release_held(AgentId agent);
  void trace_message(TraceKind kind, AgentId agent, AgentId peer, Cause message, std::uint32_t slot,
                     std::string_view detail);
  void trace_agent(TraceKind kind, AgentId agent);

  void next_tick(AgentId i, Time previous, std::uint32_t n) {
    const Time at = clocks_.tick(i, n, previous);
    if (at < kNever) queue_.push({at, order_key(Rank::kTick, i, n), i, i, kNoSlot, EventKind::kTick, 0, 0});
  }
  void next_observation(std::uint32_t n) {
    queue_.push({options_.observe_every * n, order_key(Rank::kObservation, 0, n), 0, 0, kNoSlot,
                 EventKind::kObservation, 0, 0});
  }

  // Nothing will happen any more, and what is observed now has been.
  bool only_observations_left() {
    return queue_.size() == 1 && queue_.top().kind == EventKind::kObservation && queue_.top().time > now_;
  }

  Options options_;
  const Topology& topology_;
  Clocks clocks_;
  Links links_;
  Availability availability_;
  EventQueue queue_;
  PayloadPool pool_;
  TraceSink* trace_;
  Fingerprint fingerprint_;
  Traffic traffic_;
  Time now_ = 0;
  std::uint64_t events_ = 0;
  Cause cause_ = 0;
  AgentId up_count_;
  std::vector<std::uint8_t> up_;             // empty where everybody is always up
  std::vector<std::uint32_t> messages_;      // sent so far, by agent
  std::vector<std::uint32_t> timers_;        // set so far, by agent; empty until the first
  std::vector<std::uint32_t> publications_;  // so far, by agent; empty until the first
  std::vector<std::uint32_t> latest_;        // row that was last heard, by position of (reader, neighbour)
  std::vector<std::uint32_t> reverse_;       // position of (b, a), by position of (a, b)
  std::vector<std::uint32_t> first_held_;    // timers that wait for their agent, by agent
  std::vector<Held> held_;
  std::uint32_t free_held_ = kNoSlot;
};

template <class Handler>
End Engine::run(Handler& handler) {
  start();
  handler.on_start();
  while (!handler.finished()) {
    if (queue_.empty() || only_observations_left()) return End::kIdle;
    if (queue_.top().time > options_.time_limit) {
      now_ = options_.time_limit;
      return End::kTime;
    }
    if (events_ >= options_.event_limit) return End::kEvents;
    const Event event = queue_.pop();
    check(event.time >= now_, "time runs backwards");
    now_ = event.time;
    if (event.kind == EventKind::kObservation) {
      next_observation(sequence_of(event.key) + 1);
      handler.on_observation();
      continue;
    }
    ++events_;
    cause_ = event.key;
    switch (event.kind) {
      case EventKind::kTick: {
        const bool ticks = up(event.target);
        fingerprint_.add(event.time, event.key, event.target, ticks ? 1 : 0);
        next_tick(event.target, event.time, sequence_of(event.key) + 1);
        if (trace_ != nullptr) trace_agent(ticks ? TraceKind::kTick : TraceKind::kSkip, event.target);
        if (ticks) handler.on_tick(event.target);
        break;
      }
      case EventKind::kMessage: {
        const bool receives = up(event.target);
        fingerprint_.add(event.time, event.key, event.target, receives ? 1 : 0);
        if (!receives) {
          lose(event, LossReason::kReceiverDown);
          break;
        }
        ++traffic_.delivered;
        const PayloadPool::Header& header = pool_.header(event.slot);
        if (trace_ != nullptr)
          trace_message(TraceKind::kDeliver, event.target, event.source, event.key, event.slot, {});
        handler.on_message(Message{event.source, event.target, event.tag, header.conversation, header.sent,
                                   std::as_const(pool_).row(event.slot).first(header.numbers), event.key});
        pool_.drop(event.slot);
        break;
      }
      case EventKind::kPublication:
        arrive(event);
        break;
      case EventKind::kTimer:
        if (!up(event.target)) {
          hold(event);
          break;
        }
        fingerprint_.add(event.time, event.key, event.target, 1);
        if (trace_ != nullptr) trace_agent(TraceKind::kTimer, event.target);
        handler.on_timer(event.target, event.tag, event.slot);
        break;
      case EventKind::kUp:
        change_state(event);
        handler.on_up(event.target);
        break;
      case EventKind::kDown:
        change_state(event);
        handler.on_down(event.target);
        break;
      case EventKind::kObservation:
        break;
    }
  }
  return End::kFinished;
}

}  // namespace hearsay::sim
