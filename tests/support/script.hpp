#pragma once
// An engine for tests: it logs every event as text and calls the functions that a test sets.
#include <fmt/format.h>

#include <functional>
#include <string>
#include <vector>

#include "sim/engine/engine.hpp"
#include "tests/support/streams.hpp"

namespace hearsay::test {

class ScriptedEngine : public sim::Engine {
 public:
  using sim::Engine::Engine;

  std::function<void()> on_start, on_observation;
  std::function<void(sim::AgentId)> on_tick, on_up, on_down, on_reset;
  std::function<void(const sim::Message&)> on_message;
  std::function<void(sim::AgentId, std::uint16_t, std::uint32_t)> on_timer;
  bool done = false;
  bool hears = true;  ///< hears_changes()
  bool logging = true;
  std::vector<std::string>
      log;  ///< "TIME tick AGENT", "TIME message FROM>TO #TAG", "TIME timer AGENT #TAG", ...

  sim::End run() {
    Script script{*this};
    return sim::Engine::run(script);
  }

 private:
  struct Script {
    ScriptedEngine& engine;

    void on_start() {
      if (engine.on_start) engine.on_start();
    }
    void on_tick(sim::AgentId i) {
      say("tick {}", i);
      if (engine.on_tick) engine.on_tick(i);
    }
    void on_message(const sim::Message& m) {
      say("message {}>{} #{}", m.from, m.to, m.tag);
      if (engine.on_message) engine.on_message(m);
    }
    void on_timer(sim::AgentId i, std::uint16_t tag, std::uint32_t number) {
      say("timer {} #{}", i, tag);
      if (engine.on_timer) engine.on_timer(i, tag, number);
    }
    void on_up(sim::AgentId i) {
      say("up {}", i);
      if (engine.on_up) engine.on_up(i);
    }
    void on_down(sim::AgentId i) {
      say("down {}", i);
      if (engine.on_down) engine.on_down(i);
    }
    void on_reset(sim::AgentId i) {
      say("reset {}", i);
      if (engine.on_reset) engine.on_reset(i);
    }
    void on_observation() {
      say("observation");
      if (engine.on_observation) engine.on_observation();
    }
    bool finished() const { return engine.done; }
    bool hears_changes(bool) const { return engine.hears; }

    template <class... Args>
    void say(fmt::format_string<Args...> what, Args&&... args) {
      if (!engine.logging) return;
      engine.log.push_back(fmt::format("{} ", engine.now()) + fmt::format(what, std::forward<Args>(args)...));
    }
  };
};

/// Keeps all records, with copies of their details.
class TraceLog final : public sim::TraceSink {
 public:
  struct Entry {
    sim::TraceRecord record;
    std::string detail;
  };
  std::vector<Entry> entries;
  std::vector<sim::Time> waits;  ///< when messages began to wait for an agent that is up

  void record(const sim::TraceRecord& record) override {
    entries.push_back({record, std::string(record.detail)});
    entries.back().record.detail = {};
  }
  void begins_to_wait(const sim::TraceRecord& record) override { waits.push_back(record.time); }
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
