#pragma once
// What happens next: the next tick of a clock, or the first event in the queue.
#include "sim/clocks/ticks.hpp"
#include "sim/events/event.hpp"
#include "sim/events/event_queue.hpp"

namespace hearsay::sim {

class Agenda {
 public:
  /// Arguments of Ticks.
  Agenda(const Clocks& clocks, AgentId first, AgentId agents, Time last)
      : ticks_(clocks, first, agents, last) {}

  /// All but ticks of clocks.
  EventQueue& queue() { return queue_; }
  const EventQueue& queue() const { return queue_; }
  const Ticks& ticks() const { return ticks_; }
  Ticks& ticks() { return ticks_; }
  /// Whether ticks are skipped for ever, and how many of the events in the queue there always are: alone they are no reason
  /// to go on.
  void are_vain(bool ticks, std::size_t events) {
    vain_ticks_ = ticks;
    vain_events_ = events;
  }
  /// Of Poisson clocks: see Ticks::redraw().
  void redraw_ticks(Time from) { ticks_.redraw(from); }
  std::size_t capacity() const { return queue_.capacity() + ticks_.capacity(); }

  auto state() { return std::tie(queue_, ticks_); }

  /// Time of the next event, kNever if there is none; determines what pop() returns.
  Time next_time() {
    const Tick& tick = ticks_.top();
    tick_is_next_ = queue_.empty() || tick_before(tick, queue_.top());
    return tick_is_next_ ? tick.time : queue_.top().time;
  }
  bool tick_is_next() const { return tick_is_next_; }
  /// Whether nothing is left except what is vain, in the queue later than `now`.
  bool nothing_left(Time now) {
    return (!tick_is_next_ || vain_ticks_) && queue_.size() <= vain_events_ && only_in_vain(now);
  }
  /// Removes the event that next_time() was asked about, and returns it.
  Event pop() {
    if (!tick_is_next_) return queue_.pop();
    const Tick tick = ticks_.top();
    ticks_.pop();
    return Event::tick(tick.time, tick.agent, tick.n);
  }

 private:
  // Apart from the loop of events, which asks after each one.
  [[gnu::noinline]] bool only_in_vain(Time now) {
    return (queue_.empty() || queue_.top().time > now) && (vain_ticks_ || ticks_.top().time == kNever);
  }
  static bool tick_before(const Tick& tick, const Event& event) {
    if (tick.time != event.time) return tick.time < event.time;
    return order_key(Rank::kTick, tick.agent, tick.n) < event.key;
  }

  EventQueue queue_;
  Ticks ticks_;
  bool tick_is_next_ = false;
  bool vain_ticks_ = false;
  std::size_t vain_events_ = 0;
};

}  // namespace hearsay::sim
