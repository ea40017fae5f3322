#pragma once
// Which agents can act: those that are up and not computing. What finds an agent unable to act waits here until it
// can, or is lost.
#include <cstdint>
#include <vector>

#include "sim/availability/availability.hpp"
#include "sim/engine/network_files.hpp"
#include "sim/engine/network_options.hpp"
#include "sim/engine/waiting.hpp"
#include "sim/events/event_queue.hpp"

namespace hearsay::sim {

/// What becomes of a message or publication that arrives.
enum class Admission { kAccepted, kLost, kWaits };

class Presence {
 public:
  /// `hub`: agent 0 is a hub, which availability may spare. `defers`: an agent has a tick that it missed when it can
  /// act again. Throws std::invalid_argument where options do not fit the agents.
  Presence(const NetworkOptions& network, const NetworkFiles& files, AgentId agents, bool hub, bool defers,
           const Streams& streams);

  bool up(AgentId i) const { return down_.empty() || down_[i] == 0; }
  /// Whether it is computing.
  bool busy(AgentId i) const { return !busy_.empty() && busy_[i] != 0; }
  AgentId up_count() const { return up_count_; }
  /// Whether agent i can act now.
  bool acts(AgentId i) const { return !restricted_ || (up(i) && !busy(i)); }
  /// Whether every agent can act all the time.
  bool always() const { return !restricted_ && !coin_; }
  /// The agent's life, from 0: a reset begins the next, in which timers and computations of the last are void.
  std::uint32_t life(AgentId i) const { return lives_.empty() ? 0 : lives_[i]; }
  /// Events that there is room for to wait: a high-water mark.
  std::size_t capacity() const { return waiting_.capacity(); }

  /// Whether the coin has agent i online at its n-th tick, and the receiver of the n-th message on an edge.
  bool online_at_tick(AgentId i, std::uint32_t n) const {
    return !coin_ || availability_.online_at_tick(i, n);
  }
  bool online_at_message(AgentId from, AgentId to, std::uint32_t n) const {
    return !coin_ || availability_.online_at_message(from, to, n);
  }
  Admission admit(const Event& event) const {
    return always() ? Admission::kAccepted : admit_strictly(event);
  }

  /// The state of all agents at time 0, and the events that change it first.
  void start(EventQueue& queue);
  /// An agent's period of one law ends (kUp, kDown): the next begins, and its end is queued. Returns whether the
  /// agent's state changes: under several laws it is up when all have it up.
  bool change(const Event& event, EventQueue& queue);
  /// Whether the agent of such an event loses its state.
  bool resets(const Event& event) const;
  /// Agent i begins its next life.
  void reset(AgentId i);

  /// Agent i computes from now on, for a time that is drawn; the times of several computations in one handler add up.
  void compute(AgentId i, Time now) {
    if (!compute_time_.none()) begin_computation(i, now);
  }
  /// The agent that has begun to compute in the handler that runs, or kNoAgent.
  AgentId computing() const { return computing_; }
  /// When what agent i sends now leaves it: when it has computed, if it does.
  Time leaves(AgentId i, Time now) const { return i == computing_ ? done_ : now; }
  /// The handler has returned: the agent that has begun to compute is busy until the event that is returned, whose
  /// order key is given.
  Event occupy(std::uint64_t key);
  /// Its computation has ended.
  void free(AgentId i) { busy_[i] = 0; }

  /// An event that its agent can not handle now waits until it can.
  void wait(Event event);
  /// Agent i has missed its n-th tick.
  void miss(AgentId i, std::uint32_t n) {
    if (!deferred_.empty()) deferred_[i] = n;
  }
  /// Queues the first event that waits for agent i, and the last tick that it is to have, if it can act. The next
  /// follows when the first has been handled, unless that keeps the agent busy.
  void resume(AgentId i, Time now, EventQueue& queue);
  /// Calls f with each timer that waits for agent i, in order.
  template <class F>
  void for_each_waiting_timer(AgentId i, F f) {
    waiting_.for_each(i, [&f](Event& event) {
      if (event.kind == EventKind::kTimer) f(event);
    });
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  Admission admit_strictly(const Event& event) const;
  void begin_computation(AgentId i, Time now);

  Availability availability_;
  ComputeTime compute_time_;
  AgentId agents_;
  bool hub_;
  bool held_;        // messages wait for a receiver that is down
  bool coin_;        // being up is also a matter of chance
  bool restricted_;  // agents may be down or busy
  AgentId up_count_;
  // All of these by agent, and empty where no law needs them.
  std::vector<std::uint8_t> down_;  // how many laws have it down
  std::vector<std::uint8_t> busy_;
  std::vector<std::uint32_t> computations_;  // so far
  std::vector<std::uint32_t> lives_;         // resets so far
  std::vector<std::uint32_t> deferred_;  // number of the last tick that it missed and is to have, or kNone
  Waiting waiting_;
  AgentId computing_ = kNoAgent;
  Time done_ = 0;  // when that agent's computation ends
};

}  // namespace hearsay::sim
