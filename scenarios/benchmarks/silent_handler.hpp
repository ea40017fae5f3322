#pragma once
// A handler of the engine's events that does nothing and ends the run after some ticks.
#include <chrono>
#include <cstdint>

#include "scenarios/benchmarks/benchmark.hpp"
#include "sim/engine/engine.hpp"

namespace hearsay::scenarios {

struct SilentHandler {
  std::uint64_t last = 0;  ///< ticks
  alignas(sim::kCacheLine) std::uint64_t ticks = 0;
  std::chrono::steady_clock::time_point started{};

  void on_start() { started = std::chrono::steady_clock::now(); }
  void on_tick(sim::AgentId) { ++ticks; }
  void on_message(const sim::Message&) {}
  void on_timer(sim::AgentId, std::uint16_t, std::uint32_t) {}
  void on_up(sim::AgentId) {}
  void on_down(sim::AgentId) {}
  void on_observation() {}
  bool finished() const { return ticks == last; }
};

/// Runs an engine with a handler; the seconds after the engine has started.
template <class Handler>
double run_seconds(sim::Engine& engine, Handler& handler) {
  engine.run(handler);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - handler.started).count();
}

}  // namespace hearsay::scenarios
