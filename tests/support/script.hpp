#pragma once
// A handler for tests of the engine: it logs every event as text and calls the functions that a test sets.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "sim/engine/engine.hpp"
#include "tests/support/streams.hpp"

namespace hearsay::test {

class Script {
 public:
  explicit Script(sim::Engine& engine) : engine_(engine) {}

  std::function<void()> start, observation;
  std::function<void(sim::AgentId)> tick, up, down, reset;
  std::function<void(const sim::Message&)> message;
  std::function<void(sim::AgentId, std::uint16_t, std::uint32_t)> timer;
  bool done = false;
  bool hears = true;  ///< hears_changes()
  bool logging = true;
  std::vector<std::string>
      log;  ///< "TIME tick AGENT", "TIME message FROM>TO #TAG", "TIME timer AGENT #TAG", ...

  sim::End run() { return engine_.run(*this); }

  void on_start() {
    if (start) start();
  }
  void on_tick(sim::AgentId i) {
    if (logging) say("tick {}", i);
    if (tick) tick(i);
  }
  void on_message(const sim::Message& m) {
    if (logging) say("message {}>{} #{}", m.from, m.to, m.tag);
    if (message) message(m);
  }
  void on_timer(sim::AgentId i, std::uint16_t tag, std::uint32_t number) {
    if (logging) say("timer {} #{}", i, tag);
    if (timer) timer(i, tag, number);
  }
  void on_up(sim::AgentId i) {
    if (logging) say("up {}", i);
    if (up) up(i);
  }
  void on_down(sim::AgentId i) {
    if (logging) say("down {}", i);
    if (down) down(i);
  }
  void on_reset(sim::AgentId i) {
    if (logging) say("reset {}", i);
    if (reset) reset(i);
  }
  void on_observation() {
    if (logging) say("observation");
    if (observation) observation();
  }
  bool finished() const { return done; }
  bool hears_changes(bool) const { return hears; }

 private:
  template <class... Args>
  void say(fmt::format_string<Args...> what, Args&&... args) {
    log.push_back(fmt::format("{} ", engine_.now()) + fmt::format(what, std::forward<Args>(args)...));
  }

  sim::Engine& engine_;
};

/// Keeps all records, with copies of their details.
class TraceLog final : public sim::TraceSink {
 public:
  struct Entry {
    sim::TraceRecord record;
    std::string detail;
  };
  std::vector<Entry> entries;

  void record(const sim::TraceRecord& record) override {
    entries.push_back({record, std::string(record.detail)});
    entries.back().record.detail = {};
  }
  std::uint64_t count(sim::TraceKind kind, std::string_view detail = {}) const {
    std::uint64_t n = 0;
    for (const Entry& e : entries) n += e.record.kind == kind && e.detail == detail ? 1u : 0u;
    return n;
  }
};

using Log = std::vector<std::string>;

/// A network for 100 s whose agents tick only when a test schedules it.
struct Net {
  sim::Topology topology;
  sim::Engine::Options options;
  TraceLog trace;

  Net(const sim::TopologyOptions& shape, sim::AgentId agents, bool hub = false)
      : topology(make_topology(shape, agents, kStreams)) {
    options.clocks = sim::ClockTrace{};
    options.time_limit = 100;
    options.payload_width = 1;
    options.hub = hub;
  }
};

/// Two agents and the edge between them.
inline const sim::Topology kPair = make_topology(sim::Ring{}, 2, kStreams);

inline std::uint64_t lost(const sim::Engine& engine, sim::LossReason reason) {
  return engine.traffic().lost[static_cast<int>(reason)];
}

}  // namespace hearsay::test
