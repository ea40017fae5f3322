#pragma once
// The event loop of one run. It owns the clock, the pending events, the links, who is up, and the payloads
// under way, and enforces what no protocol may forget: an agent that is down does not tick, send or receive;
// a timer of an agent that is down waits for its return; a message is late or lost as its link says; an agent
// that computes does nothing else meanwhile.
//
// A handler (the driver of a protocol) is told of what happens:
//   on_start(), on_tick(agent), on_message(Message), on_timer(agent, tag, number), on_up(agent),
//   on_down(agent), on_reset(agent) where it has one, on_observation(), and is asked finished() after each.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/availability/availability.hpp"
#include "sim/check.hpp"
#include "sim/clocks/clocks.hpp"
#include "sim/events/event_queue.hpp"
#include "sim/engine/fingerprint.hpp"
#include "sim/engine/heard.hpp"
#include "sim/engine/lazy_publications.hpp"
#include "sim/engine/network_files.hpp"
#include "sim/engine/network_options.hpp"
#include "sim/engine/payload_pool.hpp"
#include "sim/trace/trace_sink.hpp"
#include "sim/engine/waiting.hpp"

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
  std::uint64_t bytes = 0;      ///< headers and numbers
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
  struct Options {
    NetworkOptions network;
    ClockOptions clocks;
    std::size_t vector_length = 1;   ///< p: numbers that count as one vector
    std::size_t payload_width = 1;   ///< most numbers in one message
    bool publications_only = false;  ///< nothing is ever sent: what is published may travel without events
    bool hub = false;                ///< agent 0 is a hub: it has no clock, and availability may spare it
    Time time_limit = kNever;        ///< s; events at the limit still happen
    std::uint64_t event_limit = std::numeric_limits<std::uint64_t>::max();
    Time observe_every = kNever;  ///< s between observations
    std::shared_ptr<const NetworkFiles> files =
        nullptr;  ///< what the options' files hold; null: read them now
  };

  /// The topology must outlive the engine. `trace` may be null. Throws FileError and std::invalid_argument
  /// where files or options do not fit the graph.
  Engine(const Options& options, const Topology& topology, const Streams& streams,
         TraceSink* trace = nullptr);

  Time now() const { return now_; }
  const Topology& topology() const { return topology_; }
  AgentId agents() const { return topology_.agents(); }
  bool up(AgentId i) const { return down_.empty() || down_[i] == 0; }
  /// Whether it is computing.
  bool busy(AgentId i) const { return !busy_.empty() && busy_[i] != 0; }
  AgentId up_count() const { return up_count_; }
  const Traffic& traffic() const { return traffic_; }
  std::uint64_t events() const { return events_; }
  const Fingerprint& fingerprint() const { return fingerprint_; }
  void fingerprint(std::span<const double> numbers) { fingerprint_.add(numbers); }
  const Clocks& clocks() const { return clocks_; }
  /// High-water marks of the queue and the pool: while they stay the same, the engine allocates nothing.
  std::size_t capacity() const { return queue_.capacity() + pool_.capacity() + waiting_.capacity(); }

  /// Whether publications travel without events (lazy_publications.hpp).
  bool lazy() const { return lazy_ != nullptr; }

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
  /// Agent i computes, from now on for a time that is drawn: what it sends and publishes until the handler
  /// returns leaves it when the computation ends, and timers that it sets count from then. Until then its
  /// ticks are missed, and messages and timers wait. An agent that is down when its computation ends has what
  /// it would send lost (sender_down); one that is reset meanwhile sends nothing. Nothing happens where
  /// computations take no time.
  void compute(AgentId i) {
    if (!compute_time_.none()) begin_computation(i);
  }
  /// When what agent i sends now leaves it: when it has computed, if it does.
  Time leaves(AgentId i) const { return i == computing_ ? done_ : now_; }
  /// Fires at `agent` after `delay` s, or when it is up again and free; timers that wait then fire in the
  /// order in which they were due.
  void after(AgentId agent, Time delay, std::uint16_t tag, std::uint32_t number);
  /// The receiver has no more use for a message that it has been handed: counted and traced as lost, `stale`.
  void discard(const Message& message);
  /// Lets a layer above add to the trace; free when there is none.
  void trace_release(AgentId agent, std::string_view detail);
  bool tracing() const { return trace_ != nullptr; }

  /// Runs from the start until the handler is finished or a limit is reached.
  template <class Handler>
  End run(Handler& handler) {
    const End end = loop(handler);
    settle(end);
    return end;
  }

 private:
  template <class Handler>
  End loop(Handler& handler);
  // Takes back what has been counted as delivered and has not arrived.
  void settle(End end);
  // The longest latency if publications may travel without events.
  std::optional<Time> lazy_latency() const;
  std::uint32_t publish_lazily(AgentId from, std::span<const double> payload);
  // Flags of an event.
  static constexpr std::uint8_t kAtDownlink = 1;  // of a message: it has reached its receiver's downlink
  static constexpr std::uint8_t kOffline = 2;     // of a message: the coin has its receiver offline
  static constexpr std::uint8_t kDeferred = 4;    // of a tick: its agent missed it
  static constexpr std::uint8_t kReleased = 8;    // it has waited, and others may wait behind it

  enum class Admission { kTaken, kLost, kWaits };

  void start();
  std::uint32_t message_row(std::uint32_t conversation, std::span<const double> payload);
  std::uint64_t bytes(std::size_t numbers) const {
    return options_.network.links.header + options_.network.links.bytes_per_number * numbers;
  }
  void transmit(AgentId from, AgentId to, std::uint32_t position, std::uint32_t slot, EventKind kind,
                std::uint16_t tag, AgentId source);
  void spread(AgentId from, std::uint32_t slot);
  void lose(const Event& event, LossReason reason);
  void receive(Event event);
  void arrive(const Event& event);

  bool change_state(const Event& event);
  void reset(AgentId i);
  // Whether an agent can handle something now.
  bool acts(AgentId i) const { return !restricted_ || (up(i) && !busy(i)); }
  // What becomes of a message that arrives.
  Admission admit(const Event& event) {
    return restricted_ || coin_ ? admit_strictly(event) : Admission::kTaken;
  }
  Admission admit_strictly(const Event& event);
  void wait(Event event);
  void resume(AgentId i);
  void defer(const Event& event);

  void begin_computation(AgentId i);
  void end_handler() {
    if (computing_ != kNoAgent) [[unlikely]]
      occupy();
  }
  void occupy();
  void depart(const Event& event);
  void free(const Event& event);
  // Which of an agent's lives it is in: a timer or computation of an earlier one is void.
  std::uint32_t life(AgentId i) const { return lives_.empty() ? 0 : lives_[i]; }
  std::uint64_t timer_key(AgentId i);

  void trace_message(TraceKind kind, AgentId agent, AgentId peer, Cause message, std::uint32_t slot,
                     std::string_view detail);
  void trace_agent(TraceKind kind, AgentId agent, std::string_view detail = {});
  void trace_tick(const Event& event, bool ticks);

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
  Bandwidth bandwidth_;
  ComputeTime compute_time_;
  Availability availability_;
  EventQueue queue_;
  PayloadPool pool_;
  Heard heard_;
  std::unique_ptr<LazyPublications> lazy_;  // null: publications are events
  TraceSink* trace_;
  Fingerprint fingerprint_;
  Traffic traffic_;
  Time now_ = 0;
  std::uint64_t events_ = 0;
  Cause cause_ = 0;
  AgentId up_count_;
  bool coin_;                            // being up is also a matter of chance
  bool restricted_ = false;              // agents may be down or busy
  std::vector<std::uint32_t> messages_;  // sent so far, by agent
  std::vector<std::uint32_t> timers_;    // keys given to timers so far, by agent; empty until the first
  std::vector<Time> last_arrival_;       // by position; empty where links may reorder
  // All of these by agent, and empty where no law needs them.
  std::vector<std::uint8_t> down_;  // how many laws have it down
  std::vector<std::uint8_t> busy_;
  std::vector<std::uint32_t> computations_;  // so far
  std::vector<std::uint32_t> lives_;         // resets so far
  std::vector<std::uint32_t> deferred_;  // number of the last tick that it missed and is to have, or kNoSlot
  Waiting waiting_;                      // what waits until it is up and free
  AgentId computing_ = kNoAgent;         // who has begun to compute in the handler that runs
  Time done_ = 0;                        // when that ends
};

template <class Handler>
End Engine::loop(Handler& handler) {
  start();
  handler.on_start();
  end_handler();
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
    cause_ = event.key;
    if (event.kind == EventKind::kObservation) {
      next_observation(sequence_of(event.key) + 1);
      handler.on_observation();
      continue;
    }
    ++events_;
    switch (event.kind) {
      case EventKind::kTick: {
        const std::uint32_t n = sequence_of(event.key);
        const bool can = acts(event.target);
        const bool ticks = can && (!coin_ || availability_.online_at_tick(event.target, n));
        fingerprint_.add(event.time, event.key, event.target, ticks ? 1 : 0);
        if ((event.flags & kDeferred) == 0) next_tick(event.target, event.time, n + 1);
        if (trace_ != nullptr) trace_tick(event, ticks);
        if (ticks) {
          handler.on_tick(event.target);
        } else if (!can && clocks_.defers()) {
          defer(event);
        }
        break;
      }
      case EventKind::kMessage: {
        if ((event.flags & kAtDownlink) != 0) {
          receive(event);
          break;
        }
        const Admission admission = admit(event);
        if (admission == Admission::kWaits) {
          wait(event);
          break;
        }
        fingerprint_.add(event.time, event.key, event.target, admission == Admission::kTaken ? 1 : 0);
        if (admission == Admission::kLost) {
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
        if (event.source != life(event.target)) break;
        if (!acts(event.target)) {
          wait(event);
          break;
        }
        fingerprint_.add(event.time, event.key, event.target, 1);
        if (trace_ != nullptr) trace_agent(TraceKind::kTimer, event.target);
        handler.on_timer(event.target, event.tag, event.slot);
        break;
      case EventKind::kUp: {
        const bool is_up = change_state(event);
        if constexpr (requires { handler.on_reset(event.target); }) {
          if (availability_.resets(sequence_of(event.key) % availability_.laws()))
            handler.on_reset(event.target);
        }
        if (is_up) handler.on_up(event.target);
        break;
      }
      case EventKind::kDown:
        if (change_state(event)) handler.on_down(event.target);
        break;
      case EventKind::kSendMessage:
      case EventKind::kSendPublication:
        depart(event);
        break;
      case EventKind::kFree:
        free(event);
        break;
      case EventKind::kObservation:
        break;
    }
    end_handler();
    if ((event.flags & kReleased) != 0) [[unlikely]]
      resume(event.target);
  }
  return End::kFinished;
}

}  // namespace hearsay::sim
