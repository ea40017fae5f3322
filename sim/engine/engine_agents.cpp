// The part of the engine that says when an agent can act: it is up, and it is not computing.
#include <algorithm>

#include "sim/engine/engine.hpp"

namespace hearsay::sim {

// Returns whether the agent's state has changed: under several laws it is up when all have it up.
bool Engine::change_state(const Event& event) {
  const bool comes_up = event.kind == EventKind::kUp;
  const AgentId i = event.target;
  const std::uint32_t laws = availability_.laws();
  const std::uint32_t period = sequence_of(event.key) / laws, law = sequence_of(event.key) % laws;
  const bool changed = comes_up ? --down_[i] == 0 : down_[i]++ == 0;
  fingerprint_.add(event.time, event.key, i, comes_up ? 1 : 0);
  if (changed) {
    up_count_ += comes_up ? 1u : ~0u;
    if (trace_ != nullptr) trace_agent(comes_up ? TraceKind::kUp : TraceKind::kDown, i);
  }
  const Time end = availability_.end(i, period, comes_up, now_, law);
  if (end < kNever) {
    queue_.push({end, order_key(comes_up ? Rank::kDown : Rank::kUp, i, (period + 1) * laws + law), i, i,
                 kNoSlot, comes_up ? EventKind::kDown : EventKind::kUp, 0, 0});
  }
  if (comes_up && availability_.resets(law)) reset(i);
  if (comes_up && changed) {
    // Timers that were due are new ones now: they come after all that have been set.
    waiting_.for_each(i, [this, i](Event& waiting) {
      if (waiting.kind == EventKind::kTimer) waiting.key = timer_key(i);
    });
    resume(i);
  }
  return changed;
}

// An agent begins its next life: timers and computations of the last one are void, and it has heard nothing.
void Engine::reset(AgentId i) {
  ++lives_[i];
  if (!busy_.empty()) busy_[i] = 0;
  if (!deferred_.empty()) deferred_[i] = kNoSlot;
  heard_.forget(i, topology_, pool_);
}

Engine::Admission Engine::admit_strictly(const Event& event) {
  if (!up(event.target))
    return options_.network.in_flight == InFlight::kHeld ? Admission::kWaits : Admission::kLost;
  if ((event.flags & kOffline) != 0) return Admission::kLost;
  // What is published is there to be read; only what has to be handled waits.
  const bool waits = event.kind == EventKind::kMessage && busy(event.target);
  return waits ? Admission::kWaits : Admission::kTaken;
}

void Engine::wait(Event event) {
  const bool first = (event.flags & kReleased) != 0;
  event.flags = static_cast<std::uint8_t>(event.flags & ~kReleased);
  if (first) {
    waiting_.push_front(event.target, event);
  } else {
    waiting_.push_back(event.target, event);
  }
}

// One at a time: the next follows when the first has been handled, unless that keeps the agent busy.
void Engine::resume(AgentId i) {
  if (!acts(i)) return;
  if (!waiting_.empty(i)) {
    Event event = waiting_.pop_front(i);
    event.time = now_;
    event.flags |= kReleased;
    queue_.push(event);
  }
  if (!deferred_.empty() && deferred_[i] != kNoSlot) {
    const std::uint32_t n = std::exchange(deferred_[i], kNoSlot);
    queue_.push({now_, order_key(Rank::kTick, i, n), i, i, kNoSlot, EventKind::kTick, kDeferred, 0});
  }
}

void Engine::defer(const Event& event) {
  std::uint32_t& n = deferred_[event.target];
  if (n == kNoSlot || n < sequence_of(event.key)) n = sequence_of(event.key);
}

void Engine::begin_computation(AgentId i) {
  check(!busy(i) && (computing_ == kNoAgent || computing_ == i), "two computations at one time");
  if (computing_ == kNoAgent) done_ = now_;
  computing_ = i;
  done_ += compute_time_.of(i, computations_[i]++);
}

void Engine::occupy() {
  const AgentId i = std::exchange(computing_, kNoAgent);
  busy_[i] = 1;
  queue_.push({done_, timer_key(i), i, life(i), kNoSlot, EventKind::kFree, 0, 0});
}

void Engine::depart(const Event& event) {
  PayloadPool::Header& header = pool_.header(event.slot);
  const bool message = event.kind == EventKind::kSendMessage;
  const AgentId from = source_of(event.key);
  if ((message ? header.version : event.source) != life(from)) {
    pool_.drop(event.slot);
    return;
  }
  header.sent = now_;
  if (message) {
    header.version = 0;
    transmit(from, event.target, topology_.edge(from, event.target), event.slot, EventKind::kMessage,
             event.tag, from);
  } else {
    spread(from, event.slot);
  }
}

void Engine::free(const Event& event) {
  if (event.source != life(event.target)) return;
  busy_[event.target] = 0;
  resume(event.target);
}

}  // namespace hearsay::sim
