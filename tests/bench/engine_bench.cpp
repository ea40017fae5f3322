// A million agents on a random regular graph of degree 10 with Poisson clocks: time to set up, memory, and
// events per second. `ticks`: nobody says anything. `publish`: an agent that ticks tells its neighbours one
// number over U(0, 15 ms) links, and reads what it last heard of one of them.
//
// set_up_s: graph and engine, up to the first event. B_per_agent: peak over the run above what there was
// before it, as malloc rounds it. ns_per_event: everything after the set-up.
#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>

#include "sim/engine/engine.hpp"
#include "tests/support/counting_new.hpp"

namespace {

using namespace hearsay;
using namespace hearsay::sim;
using Clock = std::chrono::steady_clock;

double seconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

struct Silent {
  Clock::time_point started;
  std::size_t set_up_bytes = 0;

  void on_start() {
    started = Clock::now();
    set_up_bytes = test::allocations.peak;
  }
  void on_tick(AgentId) {}
  void on_message(const Message&) {}
  void on_timer(AgentId, std::uint16_t, std::uint32_t) {}
  void on_up(AgentId) {}
  void on_down(AgentId) {}
  void on_observation() {}
  bool finished() const { return false; }
};

struct Publisher : Silent {
  explicit Publisher(Engine& e) : engine(e) {}
  Engine& engine;
  double heard = 0;

  void on_tick(AgentId i) {
    const Latest latest = engine.latest(i, static_cast<std::uint32_t>(engine.events() % 10));
    if (latest.version > 0) heard += latest.payload[0];
    const double number = engine.now();
    engine.publish(i, {&number, 1});
  }
};

template <class Make>
void million(benchmark::State& state, Make make) {
  constexpr AgentId kAgents = 1'000'000;
  double set_up = 0, running = 0, events = 0, set_up_bytes = 0, peak_bytes = 0;
  for (auto _ : state) {
    const std::size_t before = test::allocations.live;
    test::allocations.peak = before;
    const auto begin = Clock::now();
    const Streams streams(1, 0);
    const Topology graph = make_topology(RandomRegular{10}, kAgents, streams);
    Engine::Options options;
    options.network.links.latency = Uniform{0, 0.015};
    options.event_limit = static_cast<std::uint64_t>(state.range(0));
    Engine engine(options, graph, streams);
    auto handler = make(engine);
    engine.run(handler);
    const auto end = Clock::now();
    set_up += seconds(begin, handler.started);
    running += seconds(handler.started, end);
    events += static_cast<double>(engine.events());
    set_up_bytes = static_cast<double>(handler.set_up_bytes - before);
    peak_bytes = static_cast<double>(test::allocations.peak - before);
  }
  state.counters["set_up_s"] = set_up / static_cast<double>(state.iterations());
  state.counters["set_up_B_per_agent"] = set_up_bytes / kAgents;
  state.counters["B_per_agent"] = peak_bytes / kAgents;
  state.counters["ns_per_event"] = running / events * 1e9;
  state.counters["events_per_s"] = events / running;
}

void ticks(benchmark::State& state) {
  million(state, [](Engine&) { return Silent{}; });
}
void publish(benchmark::State& state) {
  million(state, [](Engine& engine) { return Publisher(engine); });
}

BENCHMARK(ticks)->Arg(5'000'000)->Iterations(1)->Unit(benchmark::kSecond);
BENCHMARK(publish)->Arg(30'000'000)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

BENCHMARK_MAIN();
