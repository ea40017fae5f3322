// What the engine writes into a trace.
#include "sim/engine/engine.hpp"

namespace hearsay::sim {

void Engine::trace(TraceKind kind, AgentId agent, std::string_view detail) {
  const bool was_set = kind == TraceKind::kTimer || kind == TraceKind::kComputed;
  trace_->record({.time = now(),
                  .kind = kind,
                  .agent = agent,
                  .cause = now_.key,
                  .origin = was_set ? take_origin(now_.key) : 0,
                  .detail = detail});
}

// The event that is being handled has set a timer, or something for the end of a computation.
void Engine::keep_origin(std::uint64_t key) {
  if (now_.key != 0) set_by_[key] = now_.key;
}

Cause Engine::take_origin(std::uint64_t key) {
  const auto node = set_by_.extract(key);
  return node.empty() ? 0 : node.mapped();
}

// A timer that waits gets another key.
void Engine::move_origin(std::uint64_t from, std::uint64_t to) {
  if (const Cause origin = take_origin(from); origin != 0) set_by_[to] = origin;
}

TraceRecord Engine::record_of(TraceKind kind, const Event& event, std::string_view detail) const {
  const PayloadPool::Header& header = pool_.header(event.slot());
  const bool arrives = kind == TraceKind::kDeliver || kind == TraceKind::kLose;
  return {.time = now(),
          .kind = kind,
          .agent = arrives ? event.target : event.source(),
          .peer = arrives ? event.source() : event.target,
          .message = event.key,
          .cause = now_.key,
          .origin = departing_,
          .bytes = transport_.bytes(header.numbers),
          .staleness = arrives ? now() - header.sent : TraceRecord{}.staleness,
          .detail = detail,
          .payload = pool_.row(event.slot()).first(header.numbers),
          .waits = event.has(Event::kReceived) ? Waits::kEnds : Waits::kNo,
          .sent = header.sent,
          .leaves = arrives || up(event.source())};
}

void Engine::trace_message(TraceKind kind, const Event& event, std::string_view detail) const {
  trace_->record(record_of(kind, event, detail));
}

void Engine::trace_tick(const Event& event, bool ticks) {
  const AgentId i = event.target;
  if (ticks) return trace(TraceKind::kTick, i, event.has(Event::kDeferred) ? "deferred" : "");
  trace(TraceKind::kSkip, i, !up(i) ? "down" : busy(i) ? "busy" : "offline");
}

void Engine::trace_release(AgentId agent, std::string_view detail, std::span<const double> given_out) {
  if (!tracing()) return;
  trace_->record({.time = now(),
                  .kind = TraceKind::kRelease,
                  .agent = agent,
                  .cause = now_.key,
                  .detail = detail,
                  .payload = given_out});
}

// An event of the scenario comes before the changes of state at its time, which it may be the cause of.
void Engine::trace_timeline() {
  const std::vector<Timeline::Entry>& entries = options_.timeline.entries;
  for (; traced_ < entries.size() && entries[traced_].at <= now(); ++traced_) {
    const Event event = Event::timeline(now(), static_cast<std::uint32_t>(traced_));
    trace_->record({.time = now(),
                    .kind = TraceKind::kEvent,
                    .agent = kNoAgent,
                    .cause = event.key,
                    .detail = entries[traced_].text});
  }
}

}  // namespace hearsay::sim
