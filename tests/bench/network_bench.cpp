// What each law of a network costs. A hundred thousand agents on a random regular graph of degree 10 tick
// once a second and send one number to one neighbour: ns per event with nothing but a constant latency, and
// with each law in its place, in time of the processor. `memory`: a million agents with on_off availability,
// bytes per agent beyond those without.
//
// Sizes of files: a matrix of 100 nodes stands for its rows being looked up; its agents are 100, on a
// complete graph.
#include <benchmark/benchmark.h>

#include <ctime>
#include <fstream>
#include <functional>

#include "sim/engine/engine.hpp"
#include "tests/support/counting_new.hpp"
#include "tests/support/scratch.hpp"

namespace {

using namespace hearsay;
using namespace hearsay::sim;
using Change = std::function<void(Engine::Options&)>;

struct Talker {
  Engine& engine;
  const Topology& graph;
  std::size_t set_up = 0;

  void on_start() { set_up = test::allocations.peak; }
  void on_tick(AgentId i) {
    engine.compute(i);
    const double number = 1;
    const auto neighbours = graph.neighbours(i);
    engine.send(i, neighbours[engine.events() % neighbours.size()], 0, 0, {&number, 1});
  }
  void on_message(const Message&) {}
  void on_timer(AgentId, std::uint16_t, std::uint32_t) {}
  void on_up(AgentId) {}
  void on_down(AgentId) {}
  void on_observation() {}
  bool finished() const { return false; }
};

void law(benchmark::State& state, const Change& change, AgentId agents, const TopologyOptions& topology) {
  const Streams streams(1, 0);
  const Topology graph = make_topology(topology, agents, streams);
  double seconds = 0, events = 0, allocations = 0;
  for (auto _ : state) {
    Engine::Options options;
    options.network.links.latency = 0.1;
    options.event_limit = 2'000'000;
    change(options);
    Engine engine(options, graph, streams);
    Talker talker{engine, graph};
    const std::size_t before = test::allocations.made;
    const std::clock_t begin = std::clock();
    engine.run(talker);
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    events += static_cast<double>(engine.events());
    allocations += static_cast<double>(test::allocations.made - before);
  }
  state.counters["ns_per_event"] = seconds / events * 1e9;
  state.counters["allocations"] = allocations;
}

void memory(benchmark::State& state, const AvailabilityOptions& availability) {
  constexpr AgentId kAgents = 1'000'000;
  const Streams streams(1, 0);
  const Topology graph = make_topology(Ring{}, kAgents, streams);
  double bytes = 0;
  for (auto _ : state) {
    const std::size_t before = test::allocations.live;
    test::allocations.peak = before;
    Engine::Options options;
    options.clocks = ClockTrace{};
    options.network.links.latency = 0.1;
    options.network.availability = availability;
    options.event_limit = 3'000'000;
    options.time_limit = 100;
    Engine engine(options, graph, streams);
    Talker talker{engine, graph};
    engine.run(talker);
    bytes = static_cast<double>(test::allocations.peak - before) / kAgents;
  }
  state.counters["B_per_agent"] = bytes;
}

const OnOff kOnOff{.up = Exponential{60}, .down = Exponential{5}, .start = Start::kStationary, .hub = false};

void add(const char* name, Change change, AgentId agents = 100'000,
         TopologyOptions topology = RandomRegular{10}) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { law(state, change, agents, topology); })
      ->Iterations(2)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  const test::Scratch folder;
  std::string rows;
  for (int i = 0; i < 100; ++i) {
    for (int j = 0; j < 100; ++j)
      rows += std::to_string(i == j ? 0 : 50 + (7 * i + 11 * j) % 200) + (j < 99 ? "\t" : "\n");
  }
  const InputFile matrix{"matrix", folder.write("matrix", rows)};
  std::string sessions = "agent,start,end\n";
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 1000; ++k)
      sessions +=
          std::to_string(i) + "," + std::to_string(k + 0.001 * i) + "," + std::to_string(k + 0.8) + "\n";
  }
  const InputFile trace{"sessions.csv", folder.write("sessions.csv", sessions)};

  add("nothing", [](auto&) {});
  add("latency uniform", [](auto& o) { o.network.links.latency = Uniform{0, 0.2}; });
  add("latency lognormal", [](auto& o) { o.network.links.latency = Lognormal{0.1, 0.5}; });
  add("latency lognormal per link", [](auto& o) {
    o.network.links.latency = LatencyOptions(Lognormal{0.1, 0.5}, Drawn::kPerLink);
  });
  add("latency mixture", [](auto& o) {
    o.network.links.latency = Mixture{{{9, Constant{0.05}}, {1, Exponential{0.5}}}};
  });
  add("loss bernoulli", [](auto& o) { o.network.links.loss = BernoulliLoss{0.01}; });
  add("loss gilbert_elliott", [](auto& o) { o.network.links.loss = GilbertElliott{}; });
  add("loss partition", [](auto& o) {
    o.network.links.loss = PartitionLoss{.agents = {}, .share = 0.5, .from = 5, .to = 6.0};
  });
  add("availability on_off", [](auto& o) { o.network.availability = kOnOff; });
  add("availability diurnal", [](auto& o) {
    o.network.availability = Diurnal{
        .mean = 0.6, .amplitude = 0.3, .period = 600, .phase = Uniform{0, 1}, .memory = 60, .hub = false};
  });
  add("availability coin", [](auto& o) { o.network.availability = Coin{.probability = 0.9, .hub = false}; });
  add("bandwidth", [](auto& o) { o.network.links.bandwidth = EqualBandwidth{1e4}; });
  add("fifo", [](auto& o) { o.network.links.send_order = MessageOrder::kFifo; });
  add("compute_time", [](auto& o) { o.network.compute_time = 0.05; });
  add(
      "100 agents, nothing", [](auto&) {}, 100, Complete{});
  add(
      "100 agents, latency matrix",
      [=](auto& o) {
        o.network.links.latency = MatrixLatency{
            .path = matrix, .unit = 1e-3, .round_trip = true, .nodes = NodeChoice::kRandom, .plus = 0.0};
      },
      100, Complete{});
  add(
      "100 agents, availability trace",
      [=](auto& o) {
        o.network.availability =
            AvailabilityTrace{.path = trace, .unit = 1, .from = 0, .repeat = 1000.0, .absent = Absent::kUp};
      },
      100, Complete{});
  for (const auto& [name, availability] :
       {std::pair<const char*, AvailabilityOptions>{"memory, always", Always{}},
        {"memory, on_off", kOnOff}}) {
    benchmark::RegisterBenchmark(name, [law = availability](benchmark::State& state) {
      memory(state, law);
    })->Iterations(1);
  }
  benchmark::RunSpecifiedBenchmarks();
}
