#pragma once
// Which agents can act: those that are up and not computing. Events of other agents wait here or are lost.
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/waiting.hpp"
#include "sim/events/event_queue.hpp"
#include "sim/network/availability.hpp"
#include "sim/network/network.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

/// Outcome of the arrival of a message or publication.
enum class Admission { kAccepted, kLost, kWaits };

class Presence {
 public:
  /// `hub`: agent 0 is a hub, to which availability may not apply. `defers`: an agent makes a missed tick when it can
  /// act again. `may_compute`: computations may take time even if now they do not. Throws std::invalid_argument if
  /// options do not fit the agents.
  Presence(const NetworkOptions& network, const NetworkFiles& files, AgentId agents, bool hub, bool defers,
           const Streams& streams, bool may_compute = false);

  bool up(AgentId i) const { return down_.empty() || down_[i] == 0; }
  /// Whether every agent that has a clock is down for good.
  bool all_gone() const { return gone_ == agents_ - (hub_ ? 1 : 0); }
  bool busy(AgentId i) const { return !busy_.empty() && busy_[i] != 0; }
  AgentId up_count() const { return up_count_; }
  /// Pending changes of random laws, which follow each other for ever.
  std::size_t endless() const { return endless_; }
  /// Whether none of them lets an agent act: all are down for good, or nothing waits for the others, and what handles
  /// events does nothing when one comes up (`heard`: it may).
  bool endless_are_vain(bool heard);
  /// Whether agent i can act now.
  bool acts(AgentId i) const { return !restricted_ || (up(i) && !busy(i)); }
  /// Whether every agent can act all the time.
  bool always() const { return !restricted_ && !coin_; }
  /// Resets of the agent so far: timers and computations of an earlier life are void.
  std::uint32_t life(AgentId i) const { return lives_.empty() ? 0 : lives_[i]; }
  /// Waiting events there is memory for: a high-water mark.
  std::size_t capacity() const { return waiting_.capacity(); }

  /// Whether, by the coin, agent i is online at its n-th tick, and the receiver at the n-th message on an edge.
  bool online_at_tick(AgentId i, std::uint32_t n) const {
    return !coin_ || availability_.online_at_tick(i, n);
  }
  bool online_at_message(AgentId from, AgentId to, std::uint32_t n) const {
    return !coin_ || availability_.online_at_message(from, to, n);
  }
  Admission admit(const Event& event) const {
    return always() ? Admission::kAccepted : admit_strictly(event);
  }

  /// Sets the state of all agents at time 0 and queues their first changes.
  void start(EventQueue& queue);
  /// An agent's period of one law ends (kUp, kDown) and the next begins, whose end is queued. Returns whether the
  /// agent's state changes: it is up when it is up in all laws.
  bool change(const Event& event, EventQueue& queue);
  /// Whether some of the endless changes reset an agent.
  bool any_resets() const;
  /// Whether the agent of such an event is reset.
  bool resets(const Event& event) const;
  void reset(AgentId i);

  /// Agent i computes from now on, for a time that is drawn; the times of several computations in a handler add up.
  void compute(AgentId i, Time now) {
    if (!compute_time_.none()) begin_computation(i, now);
  }
  /// Computations that begin from now on have another law.
  void change(ComputeTime compute_time) { compute_time_ = std::move(compute_time); }
  /// Periods and computations that begin from now on, and coins, are drawn from these streams.
  void draw_from(const Streams& streams) {
    availability_.draw_from(streams);
    compute_time_.draw_from(streams);
  }
  /// The agent that has begun to compute in the current handler, or kNoAgent.
  AgentId computing() const { return computing_; }
  /// Time at which a message that agent i sends now leaves it.
  Time leaves(AgentId i, Time now) const { return i == computing_ ? done_ : now; }
  /// The handler has returned: the computing agent is busy until the returned event, whose order key is given.
  Event occupy(std::uint64_t key);
  void free(AgentId i) { busy_[i] = 0; }

  /// The event waits until its agent can handle it.
  void wait(Event event);
  /// Agent i has missed its n-th tick.
  void miss(AgentId i, std::uint32_t n) {
    if (!deferred_.empty()) deferred_[i] = n;
  }
  /// Queues the first event that waits for agent i, and its last missed tick, if it can act. The next event follows
  /// when the first has been handled, unless the agent is busy then.
  void resume(AgentId i, Time now, EventQueue& queue);
  /// Takes the events that wait for agent i and for which f(event) is true, in order; f lets none wait.
  template <class F>
  void take_waiting(AgentId i, F f) {
    waiting_.take_if(i, f);
  }
  /// Calls f with each event that waits for agent i, in order.
  template <class F>
  void for_each_waiting(AgentId i, F f) {
    waiting_.for_each(i, f);
  }

  /// What was loaded, together with the `pending` events, is the state of a run without some of the events of these
  /// laws, all of which happen from `from` on, before anything that does. From now on these are its laws.
  void branch(Moment from, std::vector<Event>& pending);
  /// Draws pending changes again, given that they are after `from`, where a period's law is memoryless.
  void redraw(Time from, std::vector<Event>& pending) const;

  /// Between events, where no handler has begun a computation. Laws that have changed are set again before.
  auto state() {
    return std::tie(laws_, up_count_, gone_, endless_, down_, busy_, computations_, lives_, deferred_,
                    waiting_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  static constexpr std::uint8_t kForGood = 0x80;  // there are fewer laws

  Admission admit_strictly(const Event& event) const;
  void allocate();
  void leave(AgentId i);
  bool waits(AgentId i) const;
  void begin_computation(AgentId i, Time now);

  Availability availability_;
  ComputeTime compute_time_;
  AgentId agents_;
  bool hub_;
  bool held_;           // messages wait for a receiver that is down
  bool coin_;           // there is a law Coin
  bool computes_;       // computations may take time
  bool defers_;         // an agent makes a missed tick when it can act again
  bool restricted_;     // agents may be down or busy
  std::uint32_t laws_;  // by which changes are numbered
  AgentId up_count_;
  AgentId gone_ = 0;  // agents with a clock that are down for good
  std::size_t endless_ = 0;
  AgentId waits_at_ = 0;  // where an agent was found for which something waits
  // By agent; empty if no law needs them.
  std::vector<std::uint8_t> down_;  // number of laws in which it is down, and kForGood
  std::vector<std::uint8_t> busy_;
  std::vector<std::uint32_t> computations_;  // so far
  std::vector<std::uint32_t> lives_;         // resets so far
  std::vector<std::uint32_t> deferred_;      // number of the last missed tick, or kNone
  Waiting waiting_;
  AgentId computing_ = kNoAgent;
  Time done_ = 0;  // end of its computation
};

}  // namespace hearsay::sim
