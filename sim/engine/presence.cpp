#include "sim/engine/presence.hpp"

#include <utility>

#include "sim/check.hpp"

namespace hearsay::sim {

Presence::Presence(const NetworkOptions& network, const NetworkFiles& files, AgentId agents, bool hub,
                   bool defers, const Streams& streams, bool may_compute)
    : availability_(network.availability, streams, agents, hub ? 1 : 0, files.sessions),
      compute_time_(network.compute_time, agents, hub ? 1 : 0, streams),
      agents_(agents),
      hub_(hub),
      held_(network.in_flight == InFlight::kHeld),
      coin_(availability_.coin()),
      restricted_(!availability_.always() || may_compute || !compute_time_.none()),
      up_count_(agents) {
  if (may_compute || !compute_time_.none()) {
    busy_.assign(agents, 0);
    computations_.assign(agents, 0);
  }
  if (!availability_.always()) down_.assign(agents, 0);
  if (availability_.resets()) lives_.assign(agents, 0);
  if (restricted_) waiting_.resize(agents);
  if (restricted_ && defers) deferred_.assign(agents, kNone);
}

// The n-th change of state under law l, n = 1, 2, ..., has the number n laws + l.
void Presence::start(EventQueue& queue) {
  const std::uint32_t laws = availability_.laws();
  for (AgentId i = 0; laws > 0 && i < agents_; ++i) {
    for (std::uint32_t l = 0; l < laws; ++l) {
      if (!availability_.applies_to(i, hub_ && i == 0, l)) continue;
      const Availability::Period first = availability_.first(i, l);
      if (!first.up) ++down_[i];
      if (first.length < kNever) {
        queue.push(Event::change(first.length, i, !first.up, laws + l));
      } else if (!first.up) {
        leave(i);
      }
    }
    if (down_[i] != 0) --up_count_;
  }
}

bool Presence::change(const Event& event, EventQueue& queue) {
  const AgentId i = event.target;
  const bool up = event.kind == EventKind::kUp;
  const std::uint32_t laws = availability_.laws(), number = sequence_of(event.key);
  const bool changed = up ? --down_[i] == 0 : down_[i]++ == 0;
  if (changed) up ? ++up_count_ : --up_count_;
  const Time end = availability_.end(i, number / laws, up, event.time, number % laws);
  if (end < kNever) {
    queue.push(Event::change(end, i, !up, next_number(number, "changes of an agent's availability", laws)));
  } else if (!up) {
    leave(i);
  }
  return changed;
}

// Agent i is down for good under some law.
void Presence::leave(AgentId i) {
  if ((down_[i] & kForGood) == 0 && !(hub_ && i == 0)) ++gone_;
  down_[i] |= kForGood;
}

bool Presence::resets(const Event& event) const {
  return event.kind == EventKind::kUp && availability_.resets(sequence_of(event.key) % availability_.laws());
}

void Presence::reset(AgentId i) {
  lives_[i] = next_number(lives_[i], "crashes of an agent");
  if (!busy_.empty()) busy_[i] = 0;
  if (!deferred_.empty()) deferred_[i] = kNone;
}

Admission Presence::admit_strictly(const Event& event) const {
  if (!up(event.target)) return held_ ? Admission::kWaits : Admission::kLost;
  if (event.has(Event::kOffline)) return Admission::kLost;
  // A publication needs no handler; a message waits for it.
  const bool waits = event.kind == EventKind::kMessage && busy(event.target);
  return waits ? Admission::kWaits : Admission::kAccepted;
}

void Presence::begin_computation(AgentId i, Time now) {
  check(!busy(i) && (computing_ == kNoAgent || computing_ == i), "two computations at one time");
  if (computing_ == kNoAgent) done_ = now;
  computing_ = i;
  done_ += compute_time_.of(i, computations_[i]);
  computations_[i] = next_number(computations_[i], "computations of an agent");
}

Event Presence::occupy(std::uint64_t key) {
  const AgentId i = std::exchange(computing_, kNoAgent);
  busy_[i] = 1;
  return Event::free(done_, key, life(i));
}

void Presence::wait(Event event) {
  const bool first = event.has(Event::kReleased);
  event.clear(Event::kReleased);
  first ? waiting_.push_front(event.target, event) : waiting_.push_back(event.target, event);
}

void Presence::resume(AgentId i, Time now, EventQueue& queue) {
  if (!acts(i)) return;
  if (!waiting_.empty(i)) {
    Event event = waiting_.pop_front(i);
    event.time = now;
    event.flags |= Event::kReleased;
    queue.push(event);
  }
  if (!deferred_.empty() && deferred_[i] != kNone) {
    Event tick = Event::tick(now, i, std::exchange(deferred_[i], kNone));
    tick.flags = Event::kDeferred;
    queue.push(tick);
  }
}

}  // namespace hearsay::sim
