// Agents that only tick: what the engine's loop and its clocks cost. Each agent draws its gaps from its own stream.
#include <algorithm>
#include <cstdint>
#include <span>

#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/benchmarks/plain_queue.hpp"
#include "scenarios/benchmarks/silent_handler.hpp"
#include "sim/check.hpp"
#include "sim/clocks/clocks.hpp"

namespace hearsay::scenarios {

std::vector<BenchmarkRow> clocks_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  const std::uint64_t ticks = settings.operations.value_or(std::max<std::uint64_t>(3'000'000, agents));
  const auto n = static_cast<sim::AgentId>(agents);
  const sim::Streams streams(1, 0);
  const sim::Topology nobody = sim::Topology::from_edges(n, std::span<const sim::Edge>{});
  double end = 0;
  const auto timing = [&](double seconds, double now) {
    sim::check(end == 0 || end == now, "the engine orders the same ticks differently");
    end = now;
    return Timing{ticks, seconds};
  };
  const auto yardstick = [&] {
    const sim::Clocks clocks(sim::Poisson{}, n, streams);
    PlainQueue queue(agents + 1);
    for (sim::AgentId i = 0; i < n; ++i) queue.push(sim::Event::tick(clocks.tick(i, 0, 0), i, 0));
    double now = 0;
    const double seconds = seconds_of([&] {
      for (std::uint64_t k = 0; k < ticks; ++k) {
        const sim::Event event = queue.pop();
        now = event.time;
        const std::uint32_t next = sim::sequence_of(event.key) + 1;
        queue.push(sim::Event::tick(clocks.tick(event.target, next, now), event.target, next));
      }
    });
    return timing(seconds, now);
  };
  AgentMemory memory(agents);
  const auto ours = [&] {
    Timing result;
    memory.watch([&] {
      sim::Engine engine({}, nobody, streams);
      SilentHandler handler{.last = ticks};
      const double seconds = run_seconds(engine, handler);
      sim::check(engine.events() == ticks, "the engine has lost a tick");
      result = timing(seconds, engine.now());
    });
    return result;
  };
  BenchmarkRow row{.unit = "ticks", .variant = "Poisson", .agents = agents};
  measure_in_turns(row, settings.rounds, yardstick, ours);
  row.bytes_per_agent = memory.bytes_per_agent();
  return {row};
}

}  // namespace hearsay::scenarios
