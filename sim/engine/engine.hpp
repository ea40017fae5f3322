#pragma once
// The event loop of one run and the parts that it drives: clocks, transport (links and traffic), presence (which agents
// can act), publications, and the queue of pending events. It enforces for every protocol: an agent that is down does
// not tick, send or receive; a timer of an agent that is down waits for its return; a message is late or lost according
// to its link; an agent that computes does nothing else meanwhile.
//
// A handler (the driver of a protocol) is called at each event: on_start(), on_tick(agent), on_message(Message),
// on_timer(agent, tag, number), on_up(agent), on_down(agent), optionally on_reset(agent) and, when what was computed or
// withheld leaves, on_departure(); on_observation(); after each the loop checks finished(). Optionally arrives(Message) may
// change the numbers of a message that is to be delivered, and returns whether they are finite; timer_name(agent, tag,
// number) names a timer in the trace, and hears_changes(resets) says whether the protocol may do something at on_up(),
// on_down() or, if agents are reset, on_reset().
//
// A handler whose ticks can be prepared on other threads (lookahead.hpp) has preparation(), which says what that costs;
// make_rooms(count); and prepare(agent, moment, room): it only reads what ticks of other agents do not change, read()
// among others, and writes to that room. At the tick prepared() says which.
//
// A handler of which one computes ahead what agents need at their events (speculation.hpp) has speculation(), which says
// what that costs; kSpeculation, at which events; make_rooms(count); and foresee_tick(agent, room), foresee_message(message,
// room), which only read the agent and write to that room. At the event foreseen(agent) says which.
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/clocks/clocks.hpp"
#include "sim/engine/agenda.hpp"
#include "sim/engine/fetch_ahead.hpp"
#include "sim/engine/lookahead.hpp"
#include "sim/engine/message.hpp"
#include "sim/engine/payload_pool.hpp"
#include "sim/engine/presence.hpp"
#include "sim/engine/publications.hpp"
#include "sim/engine/speculation.hpp"
#include "sim/engine/transport.hpp"
#include "sim/events/fingerprint.hpp"
#include "sim/network/network.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

/// How publications reach their readers. Both give the same run.
enum class Delivery {
  kByEvents,
  kLazy  ///< without events where the network allows it (lazy_publications.hpp), in a run in which no message is sent
};

class Engine {
 public:
  /// Of the mean gap of a clock: the coarsest rounding of times.
  static constexpr double kResolution = 1e-3;

  struct Options {
    NetworkOptions network;
    ClockOptions clocks;
    Timeline timeline = {};         ///< what unfold() has left of the events, which are in the network's laws
    std::size_t vector_length = 1;  ///< p: numbers of a vector; see Transport
    std::size_t payload_width = 1;  ///< most numbers in one message
    std::size_t stand_in = 0;       ///< numbers that stand for one vector; 0: its own
    Delivery delivery = Delivery::kByEvents;
    bool hub = false;          ///< agent 0 is a hub: it has no clock, and availability may not apply to it
    Time time_limit = kNever;  ///< s; events at the limit still happen
    std::uint64_t event_limit = std::numeric_limits<std::uint64_t>::max();
    Time observe_every = kNever;  ///< s between observations
    std::shared_ptr<const NetworkFiles> files =
        nullptr;  ///< contents of the options' files; null: read them now
  };

  /// The topology must outlive the engine. `trace` may be null. Throws FileError and std::invalid_argument if files or
  /// options do not fit the graph.
  Engine(const Options& options, const Topology& topology, const Streams& streams,
         TraceSink* trace = nullptr);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Time now() const { return now_.time; }
  const Topology& topology() const { return topology_; }
  AgentId agents() const { return topology_.agents(); }
  bool up(AgentId i) const { return presence_.up(i); }
  bool busy(AgentId i) const { return presence_.busy(i); }
  AgentId up_count() const { return presence_.up_count(); }
  /// Whether every agent that has a clock is down for good.
  bool all_gone() const { return presence_.all_gone(); }
  /// s; kNever without a limit.
  Time time_limit() const { return options_.time_limit; }
  const Traffic& traffic() const { return transport_.traffic(); }
  /// Who sent the message that was last lost as not_finite.
  AgentId not_finite_from() const { return not_finite_from_; }
  std::uint64_t events() const { return events_; }
  /// Of start, every tick, timer, up, down and message, and the publication number of every reading. The same for any
  /// compiler and flags, unless a computed number determines an event.
  const Fingerprint& fingerprint() const { return fingerprint_; }
  const Clocks& clocks() const { return clocks_; }
  /// Ticks less rates times now(), over all agents, up or down; NaN unless clocks are Poisson. O(agents).
  double tick_residual() const;
  /// Messages lost by links less the probability times those sent on them; NaN unless each is lost independently with one
  /// probability throughout. O(links).
  double loss_residual() const;
  /// The latencies of all messages that were to be carried less their expectations, s; of links or agents that have one
  /// latency for all messages, the sum over links. NaN where no latency is drawn, an event changes their law, messages are
  /// drawn from other streams since draw_from(), or the law has no finite mean, and of graphs without memory for each edge.
  /// Draws them again: O(links + messages).
  double latency_residual() const;
  /// Descriptions of the timeline's entries that have not happened.
  std::vector<std::string> events_to_come() const;
  /// High-water marks of the engine's memory: while they stay the same, it allocates nothing.
  std::size_t capacity() const { return agenda_.capacity() + pool_.capacity() + presence_.capacity(); }
  /// Bytes of events and of messages and publications in memory, at most so far.
  std::size_t memory() const {
    return (agenda_.capacity() + presence_.capacity()) * sizeof(Event) + pool_.bytes();
  }
  /// Whether publications travel without events (lazy_publications.hpp).
  bool lazy() const { return publications_.is_lazy(); }
  /// Payloads in memory: messages in flight, publications in flight or last received by some reader.
  std::size_t payload_rows() const { return pool_.in_use(); }
  /// At most so far.
  std::size_t payload_capacity() const { return pool_.capacity(); }
  bool tracing() const { return trace_ != nullptr; }

  /// What a payload consists of: of numbers, a message with one that is not finite is lost when it leaves, unless its link has lost it.
  enum class Payload { kNumbers, kAnyBits };

  /// Sends a message to a neighbour; `payload` is copied and may be empty. It leaves after `withheld` s, or if the agent
  /// computes that long after the computation. Throws InvariantError without such a link.
  void send(AgentId from, AgentId to, std::uint16_t tag, std::uint32_t conversation,
            std::span<const double> payload, Time withheld = 0, Payload kind = Payload::kNumbers);
  /// Sends the same message to several neighbours, in their order; the payload is copied once.
  void send(AgentId from, std::span<const AgentId> to, std::uint16_t tag, std::uint32_t conversation,
            std::span<const double> payload, Time withheld = 0, Payload kind = Payload::kNumbers);
  /// Keeps the payload of a message that is being handled.
  HeldPayload hold(const Message& message) { return {pool_, message.row}; }
  PayloadPool& pool() { return pool_; }
  /// Sends a new state to all neighbours; it is copied once. Returns its publication number. `withheld`: as send(); where it is
  /// not 0, delivery is by events; kNever: it never leaves.
  std::uint32_t publish(AgentId from, std::span<const double> payload, Time withheld = 0);
  /// Publication that `reader` has received from its k-th neighbour. O(1).
  Latest latest(AgentId reader, std::uint32_t k) {
    const Latest latest = publications_.latest(reader, k, now_);
    note_latest(reader, k, latest.version);
    return latest;
  }
  /// The same in two parts: f(k, neighbour, latest) for all neighbours in order, at this moment or, in what prepares a tick,
  /// at that of the tick; and at that moment a note of each in the fingerprint.
  template <class F>
  void read(AgentId reader, Moment at, F&& f) const {
    publications_.read(reader, at, f);
  }
  void note_latest(AgentId reader, std::uint32_t k, std::uint32_t version) {
    fingerprint_.add(now(), k, reader, version);
  }
  /// Number of agent i's last publication; 0: none.
  std::uint32_t version(AgentId i) const { return publications_.version(i); }
  Moment moment() const { return now_; }
  const Lookahead& lookahead() const { return lookahead_; }
  /// Where the tick that is handled has been prepared; Lookahead::kNone: it has not.
  std::uint32_t prepared() const { return lookahead_.room(); }
  /// Where something has been computed ahead for agent i, whose event is handled; Speculation::kNone: nowhere.
  std::uint32_t foreseen(AgentId i) const { return speculation_.room(i); }
  /// Agent i computes from now on, for a time that is drawn. Messages and publications that it sends until the handler
  /// returns leave it when the computation ends, and timers that it sets count from then. Until then its ticks are
  /// missed, and messages and timers wait. If the agent is down at the end, its messages are lost (sender_down); if it
  /// is reset meanwhile, it sends nothing. Does nothing if computations take no time.
  void compute(AgentId i) { presence_.compute(i, now()); }
  /// Time at which a message that agent i sends now leaves it: at the end of its computation, if any.
  Time leaves(AgentId i) const { return presence_.leaves(i, now()); }
  /// Sets a timer of `agent`. It fires after `delay` s, or later when the agent is up and free; waiting timers fire in
  /// the order in which they were due.
  void after(AgentId agent, Time delay, std::uint16_t tag, std::uint32_t number);
  /// Counts and traces a delivered message as lost, kStale.
  void discard(const Message& message);
  /// The numbers of a message that arrives, to be changed; they must be no other message's.
  std::span<double> numbers_of(const Message& message) {
    return pool_.row(message.row).first(message.payload.size());
  }
  /// Adds to the trace, if there is one, that an agent does not do what its protocol says.
  void trace_hostile(AgentId agent, std::string_view behaviour) {
    if (tracing()) trace(TraceKind::kHostile, agent, behaviour);
  }
  /// Adds a release of some numbers to the trace, if there is one.
  void trace_release(AgentId agent, std::string_view detail, std::span<const double> given_out = {});

  /// The start of a run, if it has not been made.
  template <class Handler>
  void begin(Handler& handler) {
    if (std::exchange(begun_, true)) return;
    start();
    handler.on_start();
    end_handler();
  }
  /// Runs from the start, or from a pause, until the handler is finished or a limit is reached, or pauses: when it is
  /// finished for now (handler.pauses(), optional), or before the first event after the time of pause_after(), if any. Throws
  /// LimitError where times have become so large that the doubles around them are more than kResolution mean gaps of the
  /// fastest clock apart.
  template <class Handler>
  End run(Handler& handler) {
    begin(handler);
    const End end = loop(handler);
    if (end != End::kPaused) settle(end);
    return end;
  }
  /// s; kNever: not. A time at or after the limit is none.
  void pause_after(Time time) { stop_at_ = time < last_time_ ? time : last_time_; }
  /// The state between events: at the start, or while the run pauses.
  void save(cereal::BinaryOutputArchive& archive) const;
  /// After begin(), with the options of the saved one.
  void load(cereal::BinaryInputArchive& archive);
  /// What was loaded is the state before all events from `at` on (s), or after one at `at`, of an engine whose options were
  /// these without the last entries of the timeline, and what unfold() made of them, which are all from then on. Its
  /// delivery was by events.
  void branch(Time at);
  /// What is pending by Poisson clocks and memoryless periods is drawn again, given that it is after `from`, s: whoever knows
  /// what has happened until then knows no more about it.
  void redraw(Time from);
  /// What is drawn from now on, ticks that are in no state included, is drawn from these streams; what links and agents
  /// keep stays. Before load(), where a state is loaded.
  void draw_from(const Streams& streams);

 private:
  // The functions that loop() calls with the handler are part of it, and compiled as one function.
  template <class Handler>
  End loop(Handler& handler) {
    const auto nothing = [](const auto&...) {};
    if constexpr (requires { handler.preparation(); }) {
      auto job = [&](std::size_t begin, std::size_t end) {
        lookahead_.prepare(begin, end, topology_, publications_, handler);
      };
      const auto make_rooms = [&](std::uint32_t count) { handler.make_rooms(count); };
      const Lookahead::Use use(lookahead_, topology_, lazy() ? handler.preparation() : Preparation{});
      return loop(
          handler, [&] { lookahead_.advance(agenda_.ticks(), publications_, make_rooms, job); }, nothing);
    } else if constexpr (requires { handler.speculation(); }) {
      auto job = [&](std::size_t begin, std::size_t end) { foresee(begin, end, handler); };
      const auto make_rooms = [&](std::uint32_t count) { handler.make_rooms(count); };
      const Speculation::Use use(speculation_, agents(), handler.speculation());
      return loop(handler, nothing, [&](const Event& event) {
        speculation_.reach(event, agenda_, Handler::kSpeculation, make_rooms, job);
        fetch_foreseen(agenda_, speculation_, handler);
      });
    } else {
      return loop(handler, nothing, nothing);
    }
  }
  template <class Handler>
  void foresee(std::size_t begin, std::size_t end, const Handler& handler) {
    speculation_.compute(
        begin, end, [&](AgentId i) { handler.prefetch(i); },
        [&](const Event& event, std::uint32_t room) {
          if (event.kind == EventKind::kTick) {
            handler.foresee_tick(event.target, room);
          } else {
            handler.foresee_message(message_of(event), room);
          }
        });
  }
  // `before_tick` is called before a tick, `reach` before any event.
  template <class Handler, class BeforeTick, class Reach>
  [[gnu::always_inline]] End loop(Handler& handler, BeforeTick&& before_tick, Reach&& reach) {
    while (!handler.finished()) {
      const Time at = agenda_.next_time();
      if (at == kNever || (agenda_.nothing_left(now()) && presence_.endless_are_vain(hears_changes(handler))))
        return stop_at_ < last_time_ ? End::kPaused : End::kIdle;
      if (at > stop_at_) return stop_at_ < last_time_ ? End::kPaused : pass_last_time();
      if (events_ >= options_.event_limit) return End::kEvents;
      if (agenda_.tick_is_next()) before_tick();
      if (large_) fetch_ahead(handler);
      const Event event = agenda_.pop();
      check(event.time >= now(), "time runs backwards");
      now_ = {event.time, event.key};
      reach(event);
      if (event.kind == EventKind::kObservation) {
        const std::uint32_t next = next_number(sequence_of(event.key), "measurements");
        push(Event::observation(options_.observe_every * next, next));
        handler.on_observation();
        continue;
      }
      ++events_;
      handle(event, handler);
      end_handler();
      if (event.has(Event::kReleased)) [[unlikely]]
        presence_.resume(event.target, now(), agenda_.queue());
    }
    if constexpr (requires { handler.pauses(); }) {
      if (handler.pauses()) return End::kPaused;
    }
    return End::kFinished;
  }

  template <class Handler>
  [[gnu::always_inline]] void handle(const Event& event, Handler& handler) {
    switch (event.kind) {
      case EventKind::kTick:
        return tick(event, handler);
      case EventKind::kMessage:
        return message(event, handler);
      case EventKind::kPublication:
        if (accept(event)) {
          deliver(event);
          publications_.arrive(event.edge(), event.slot());
        }
        return;
      case EventKind::kTimer:
        return timer(event, handler);
      case EventKind::kUp:
      case EventKind::kDown:
        return change(event, handler);
      case EventKind::kSendMessage:
      case EventKind::kSendPublication:
        depart(event);
        if constexpr (requires { handler.on_departure(); }) handler.on_departure();
        return;
      case EventKind::kFree:
        return free(event);
      case EventKind::kTimeline:
        return follow(event);
      case EventKind::kObservation:
        return;
    }
  }

  template <class Handler>
  [[gnu::always_inline]] void tick(const Event& event, Handler& handler) {
    const AgentId i = event.target;
    const std::uint32_t n = sequence_of(event.key);
    const bool acts = presence_.acts(i), ticks = acts && presence_.online_at_tick(i, n);
    fingerprint_.add(event.time, event.key, i, ticks ? 1 : 0);
    if (tracing()) trace_tick(event, ticks);
    if (ticks) {
      handler.on_tick(i);
    } else if (!acts) {
      presence_.miss(i, n);
    }
  }

  template <class Handler>
  [[gnu::always_inline]] void message(const Event& event, Handler& handler) {
    if (!accept(event)) return;
    const Message message = message_of(event);
    if constexpr (requires { handler.arrives(message); }) {
      if (!handler.arrives(message)) [[unlikely]]
        return lose(event, LossReason::kNotFinite);
    }
    deliver(event);
    handler.on_message(message);
    pool_.drop(event.slot());
  }

  template <class Handler>
  [[gnu::always_inline]] void timer(const Event& event, Handler& handler) {
    const AgentId i = event.target;
    if (event.life() != presence_.life(i)) return;
    if (!presence_.acts(i)) return presence_.wait(event);
    fingerprint_.add(event.time, event.key, i, 1);
    if (tracing()) trace(TraceKind::kTimer, i, timer_name(handler, event));
    handler.on_timer(i, event.tag, event.number());
  }

  template <class Handler>
  [[gnu::always_inline]] void change(const Event& event, Handler& handler) {
    const AgentId i = event.target;
    const bool changed = change_state(event);
    if constexpr (requires { handler.on_reset(i); }) {
      if (presence_.resets(event)) handler.on_reset(i);
    }
    if (!changed) return;
    event.kind == EventKind::kUp ? handler.on_up(i) : handler.on_down(i);
  }

  Message message_of(const Event& event) const {
    const PayloadPool::Header& header = pool_.header(event.slot());
    return {event.source(),      event.target, event.tag,
            header.conversation, header.sent,  pool_.row(event.slot()).first(header.numbers),
            event.key,           event.slot()};
  }

  // Whether a message or publication is delivered now; otherwise it is lost, waits, or is on the downlink.
  [[gnu::always_inline]] bool accept(const Event& event) {
    if (event.has(Event::kAtDownlink)) {
      pass_downlink(event);
      return false;
    }
    const Admission admission = presence_.admit(event);
    if (admission == Admission::kWaits) {
      wait(event);
      return false;
    }
    const bool accepted = admission == Admission::kAccepted;
    if (event.kind == EventKind::kMessage)
      fingerprint_.add(event.time, event.key, event.target, accepted ? 1 : 0);
    if (!accepted) {
      lose(event, LossReason::kReceiverDown);
      return false;
    }
    return true;
  }
  [[gnu::always_inline]] void deliver(const Event& event) {
    transport_.deliver();
    if (tracing()) trace_message(TraceKind::kDeliver, event);
  }

  // Whether the handler may do something when an agent changes its state.
  template <class Handler>
  bool hears_changes([[maybe_unused]] const Handler& handler) const {
    if constexpr (requires { handler.hears_changes(true); })
      return handler.hears_changes(presence_.any_resets());
    return true;
  }
  template <class Handler>
  static std::string_view timer_name([[maybe_unused]] const Handler& handler, const Event& event) {
    if constexpr (requires { handler.timer_name(event.target, event.tag, event.number()); })
      return handler.timer_name(event.target, event.tag, event.number());
    return {};
  }

  template <class Handler>
  HEARSAY_PREFETCH void fetch_ahead(const Handler& handler) {
    if (!agenda_.tick_is_next()) return fetch_for_arrivals(agenda_.queue(), publications_);
    fetch_for_ticks(agenda_.ticks(), topology_, transport_, publications_, lookahead_, handler);
  }
  void push(const Event& event) { agenda_.queue().push(event); }

  void start();
  void settle(End end);
  End pass_last_time();
  std::optional<Time> lazy_latency(const Options& options) const;
  double fastest_clock() const;
  Time last_resolved() const;
  AgentId first_clock() const { return options_.hub ? 1 : 0; }

  // Sending: from a payload to events, and on to their receivers.
  std::uint32_t store(std::span<const double> payload, std::uint32_t conversation, std::uint32_t version,
                      Payload kind = Payload::kNumbers);
  void send_copies(AgentId from, std::uint32_t slot);
  void push_departure(Time withheld, AgentId from, EventKind kind, AgentId to, std::uint32_t slot,
                      std::uint16_t tag = 0);
  void transmit(Event& event, EdgePosition position, const Time* latency = nullptr);
  void pass_downlink(Event event);
  void lose(const Event& event, LossReason reason);

  // Agents change state, begin and end computations.
  bool change_state(const Event& event);
  Event received(Event event);
  [[gnu::noinline]] void wait(const Event& event);
  void pass_waiting(AgentId i);
  void lose_received(AgentId i);
  void depart(const Event& event);
  void occupy();
  void free(const Event& event);
  void follow(const Event& event);
  void change_laws(std::size_t entry);
  void change_laws(const LawChanges& changes, const NetworkFiles& files);
  template <class Archive>
  void serialize(Archive& archive);
  void note_what_is_vain();
  std::uint64_t timer_key(AgentId i);
  // The handler has returned.
  void end_handler() {
    if (presence_.computing() != kNoAgent) [[unlikely]]
      occupy();
  }

  void trace(TraceKind kind, AgentId agent, std::string_view detail = {});
  TraceRecord record_of(TraceKind kind, const Event& event, std::string_view detail = {}) const;
  void trace_message(TraceKind kind, const Event& event, std::string_view detail = {}) const;
  void trace_tick(const Event& event, bool ticks);
  void trace_timeline();
  void keep_origin(std::uint64_t key);
  Cause take_origin(std::uint64_t key);
  void move_origin(std::uint64_t from, std::uint64_t to);

  Options options_;
  const Topology& topology_;
  Streams streams_, drawn_;  // of what agents and links keep, and of what is drawn while the run goes on
  Clocks clocks_;
  Transport transport_;
  Presence presence_;
  bool begun_ = false;
  Time last_time_;  // no event is later: the time limit, or the last time that resolves the clocks
  Time stop_at_;    // last_time_, or that of a pause before it
  Agenda agenda_;
  PayloadPool pool_;
  TraceSink* trace_;  // null: no trace
  Publications publications_;
  Lookahead lookahead_;
  Speculation speculation_;
  Fingerprint fingerprint_;
  Moment now_;
  bool large_;  // the state of all agents is larger than the cache
  std::uint64_t events_ = 0;
  std::size_t followed_ = 0;  // entries of the timeline
  std::size_t traced_ = 0;    // entries that are in the trace
  // With a trace: by order key of a timer or the end of a computation, the event that set it; and that of the departure
  // that is being handled.
  std::map<std::uint64_t, Cause> set_by_;
  Cause departing_ = 0;
  AgentId not_finite_from_ = kNoAgent;
  std::vector<std::uint32_t> timers_;  // timer keys used so far, by agent; empty until the first
};

}  // namespace hearsay::sim
