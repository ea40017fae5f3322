#pragma once
// Writes what the engine does to a trace sink, if there is one.
#include "sim/trace/trace_sink.hpp"

namespace hearsay::sim {

/// The event that is being handled: its time and order key. What has happened before it precedes it in this order.
struct Moment {
  Time time = 0;
  std::uint64_t key = 0;
};

class Tracer {
 public:
  explicit Tracer(TraceSink* sink) : sink_(sink) {}
  explicit operator bool() const { return sink_ != nullptr; }

  /// Something that an agent does.
  void agent(Moment now, TraceKind kind, AgentId agent, std::string_view detail = {}) const {
    sink_->record({.time = now.time, .kind = kind, .agent = agent, .cause = now.key, .detail = detail});
  }
  /// Something that becomes of a message between `agent`, who acts, and `peer`. `staleness`: s since it was sent.
  void message(Moment now, TraceKind kind, AgentId agent, AgentId peer, Cause id, std::uint64_t bytes,
               double staleness, std::string_view detail = {}) const {
    sink_->record({.time = now.time,
                   .kind = kind,
                   .agent = agent,
                   .peer = peer,
                   .message = id,
                   .cause = now.key,
                   .bytes = bytes,
                   .staleness = staleness,
                   .detail = detail});
  }

 private:
  TraceSink* sink_;  // null: nothing is traced
};

}  // namespace hearsay::sim
