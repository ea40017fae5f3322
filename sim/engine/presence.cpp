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
      computes_(may_compute || !compute_time_.none()),
      defers_(defers),
      restricted_(!availability_.always() || computes_),
      laws_(availability_.laws()),
      up_count_(agents) {
  allocate();
}

// What the laws need and is not there.
void Presence::allocate() {
  if (computes_ && busy_.empty()) {
    busy_.assign(agents_, 0);
    computations_.assign(agents_, 0);
  }
  if (!availability_.always() && down_.empty()) down_.assign(agents_, 0);
  if (availability_.resets() && lives_.empty()) lives_.assign(agents_, 0);
  if (restricted_ && waiting_.agents() == 0) waiting_.resize(agents_);
  if (restricted_ && defers_ && deferred_.empty()) deferred_.assign(agents_, kNone);
}

// The n-th change of state under law l, n = 1, 2, ..., has the number n laws + l.
void Presence::start(EventQueue& queue) {
  for (AgentId i = 0; laws_ > 0 && i < agents_; ++i) {
    for (std::uint32_t l = 0; l < laws_; ++l) {
      if (!availability_.applies_to(i, hub_ && i == 0, l)) continue;
      const Availability::Period first = availability_.first(i, l);
      if (!first.up) ++down_[i];
      if (first.length < kNever) {
        queue.push(Event::change(first.length, i, !first.up, laws_ + l));
        if (!availability_.known(l)) ++endless_;
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
  const std::uint32_t number = sequence_of(event.key);
  const bool changed = up ? --down_[i] == 0 : down_[i]++ == 0;
  if (changed) up ? ++up_count_ : --up_count_;
  const Time end = availability_.end(i, number / laws_, up, event.time, number % laws_);
  if (end < kNever) {
    queue.push(Event::change(end, i, !up, next_number(number, "changes of an agent's availability", laws_)));
    return changed;
  }
  if (!availability_.known(number % laws_)) --endless_;
  if (!up) leave(i);
  return changed;
}

bool Presence::endless_are_vain(bool heard) {
  if (endless_ == 0) return true;
  const auto is_gone = [this](AgentId i) { return (down_[i] & kForGood) != 0; };
  if (all_gone() && (!hub_ || is_gone(0))) return true;
  if (heard) return false;
  // It is asked often, and the same agent may wait for long.
  for (AgentId n = 0; n < agents_; ++n, waits_at_ = (waits_at_ + 1) % agents_)
    if (!is_gone(waits_at_) && waits(waits_at_)) return false;
  return true;
}

bool Presence::waits(AgentId i) const {
  return !waiting_.empty(i) || (!deferred_.empty() && deferred_[i] != kNone);
}

// Laws of random periods are the first of both runs, and their pending changes get the numbers of these laws. Those of
// known periods are replaced. Which laws an agent is down in for good is not kept, but known.
void Presence::branch(Moment from, std::vector<Event>& pending) {
  allocate();
  const std::uint32_t before = std::exchange(laws_, availability_.laws());
  endless_ = 0;
  std::erase_if(pending, [&](Event& event) {
    if (event.kind != EventKind::kUp && event.kind != EventKind::kDown) return false;
    const std::uint32_t number = sequence_of(event.key), l = number % before;
    if (l >= laws_ || availability_.known(l)) return true;
    event =
        Event::change(event.time, event.target, event.kind == EventKind::kUp, number / before * laws_ + l);
    ++endless_;
    return false;
  });
  for (AgentId i = 0; i < down_.size(); ++i) {
    const bool was_gone = (down_[i] & kForGood) != 0;
    bool gone = false;
    for (std::uint32_t l = 0; l < laws_; ++l) {
      if (!availability_.applies_to(i, hub_ && i == 0, l)) continue;
      if (!availability_.known(l)) {
        gone |= availability_.never_up(l);
        continue;
      }
      Availability::Period period = availability_.first(i, l);
      std::uint32_t n = 1;
      const auto has_ended = [&] {
        const std::uint64_t key = order_key(period.up ? Rank::kDown : Rank::kUp, i, 0);
        return period.length < from.time || (period.length == from.time && key < from.key);
      };
      for (; has_ended(); ++n) period = {!period.up, availability_.end(i, n, !period.up, period.length, l)};
      if (period.length < kNever) {
        pending.push_back(Event::change(period.length, i, !period.up, n * laws_ + l));
      } else {
        gone |= !period.up;
      }
    }
    if (was_gone) down_[i] &= static_cast<std::uint8_t>(~kForGood);
    if (was_gone && !(hub_ && i == 0)) --gone_;
    if (gone) leave(i);
  }
}

void Presence::redraw(Time from, std::vector<Event>& pending) const {
  for (Event& event : pending) {
    const bool change = event.kind == EventKind::kUp || event.kind == EventKind::kDown;
    if (!change || event.time <= from) continue;  // agents of a group change one after another at one time
    const std::uint32_t number = sequence_of(event.key), l = number % laws_;
    const bool up = event.kind == EventKind::kDown;  // until then
    if (availability_.memoryless(l, up))
      event.time = availability_.end(event.target, number / laws_ - 1, up, from, l);
  }
}

// Agent i is down for good under some law.
void Presence::leave(AgentId i) {
  if ((down_[i] & kForGood) == 0 && !(hub_ && i == 0)) ++gone_;
  down_[i] |= kForGood;
}

bool Presence::any_resets() const {
  for (std::uint32_t l = 0; l < laws_; ++l)
    if (availability_.resets(l) && !availability_.known(l)) return true;
  return false;
}

bool Presence::resets(const Event& event) const {
  return event.kind == EventKind::kUp && availability_.resets(sequence_of(event.key) % laws_);
}

void Presence::reset(AgentId i) {
  lives_[i] = next_number(lives_[i], "crashes of an agent");
  if (!busy_.empty()) busy_[i] = 0;
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
