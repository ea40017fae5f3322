// Agents that publish vectors to ten neighbours: without events (sim/engine/lazy_publications.hpp), and with an event
// for each delivery.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/benchmarks/plain_queue.hpp"
#include "scenarios/benchmarks/silent_handler.hpp"
#include "sim/check.hpp"
#include "sim/prefetch.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint32_t kDegree = 10;
constexpr double kLongest = 0.015;  // s, of a latency

struct Averaging : SilentHandler {
  Averaging(sim::Engine& e, std::size_t p, std::uint64_t limit)
      : SilentHandler{.last = limit}, engine(e), vectors(e.agents() * p, 1.0), sum(p) {}
  sim::Engine& engine;
  std::vector<double> vectors;  // of all agents, one after another
  std::vector<double> sum;

  HEARSAY_PREFETCH void prefetch(sim::AgentId i) const {
    constexpr std::size_t kLine = 8;  // numbers of a cache line
    for (std::size_t j = 0; j < sum.size(); j += kLine) __builtin_prefetch(&vectors[i * sum.size() + j], 1);
  }
  void on_tick(sim::AgentId i) {
    const std::size_t p = sum.size();
    const std::span<double> own(vectors.data() + i * p, p);
    std::copy(own.begin(), own.end(), sum.begin());
    double count = 1;
    for (std::uint32_t k = 0; k < kDegree; ++k) {
      const sim::Latest latest = engine.latest(i, k);
      if (latest.version == 0) continue;
      for (std::size_t j = 0; j < p; ++j) sum[j] += latest.payload[j];
      ++count;
    }
    for (std::size_t j = 0; j < p; ++j) own[j] = sum[j] / count;
    engine.publish(i, own);
    // The first publication makes the engine's tables of edges.
    if (++ticks == 1) started = std::chrono::steady_clock::now();
  }
};

struct Delivered {
  std::uint64_t deliveries = 0;
  double seconds = 0;
};

// The same ticks and deliveries on the yardstick's queue. A receiver notes the number of a publication.
Delivered deliver_plainly(const sim::Topology& graph, const sim::Streams& streams, std::uint64_t last) {
  const sim::AgentId n = graph.agents();
  const sim::Clocks clocks(sim::Poisson{}, n, streams);
  const auto most = static_cast<std::size_t>(n * (1 + 2 * kDegree * kLongest)) + 1000;
  PlainQueue queue(most);
  std::vector<std::uint32_t> heard(n);
  for (sim::AgentId i = 0; i < n; ++i) queue.push(sim::Event::tick(clocks.tick(i, 0, 0), i, 0));
  Delivered all;
  const auto publish = [&](const sim::Event& tick) {
    const sim::AgentId from = tick.target;
    const std::uint32_t version = sim::sequence_of(tick.key);
    for (std::uint32_t k = 0; k < kDegree; ++k) {
      const sim::AgentId to = graph.neighbours(from)[k];
      sim::Stream s = streams(sim::Purpose::kLatency, from, to, version);
      const std::uint64_t key = sim::order_key(sim::Rank::kMessage, from, version * kDegree + k);
      queue.push(sim::Event::publication(tick.time + sim::uniform(s, 0, kLongest), key, to, version, k));
    }
    queue.push(sim::Event::tick(clocks.tick(from, version + 1, tick.time), from, version + 1));
  };
  all.seconds = seconds_of([&] {
    for (std::uint64_t ticks = 0; ticks < last;) {
      const sim::Event event = queue.pop();
      if (event.kind == sim::EventKind::kTick) {
        publish(event);
        ++ticks;
      } else {
        heard[event.target] = event.slot();
        ++all.deliveries;
      }
    }
  });
  return all;
}

}  // namespace

std::vector<BenchmarkRow> gossip_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  const std::uint64_t p = settings.dimension.value_or(kVectorLength);
  const std::uint64_t usual = std::max<std::uint64_t>(300'000, agents);
  const std::uint64_t ticks = settings.operations.value_or(usual);
  const std::uint64_t plain_ticks = std::min(ticks, usual);  // the yardstick would take many times as long
  const sim::Streams streams(1, 0);
  const sim::Topology graph =
      sim::make_topology(sim::RandomRegular{kDegree}, static_cast<sim::AgentId>(agents), streams);
  std::vector<BenchmarkRow> rows;
  for (const bool lazy : {true, false}) {
    sim::Engine::Options options;
    options.network.links.latency = sim::Uniform{0, kLongest};
    options.vector_length = options.payload_width = p;
    options.delivery = lazy ? sim::Delivery::kLazy : sim::Delivery::kByEvents;
    BenchmarkRow row{
        .unit = "deliveries", .variant = lazy ? "lazily" : "by events", .agents = agents, .dimension = p};
    AgentMemory memory(agents);
    const auto ours = [&] {
      Timing timing;
      memory.watch([&] {
        sim::Engine engine(options, graph, streams);
        sim::check(engine.lazy() == lazy, "publications travel in another way");
        Averaging handler(engine, p, ticks);
        const double seconds = run_seconds(engine, handler);
        const sim::Traffic& traffic = engine.traffic();
        row.counts = {{"ticks", handler.ticks},
                      {"messages", traffic.messages},
                      {"in_flight", traffic.messages - traffic.delivered}};
        timing = {traffic.delivered, seconds};
      });
      return timing;
    };
    const auto yardstick = [&] {
      const Delivered plain = deliver_plainly(graph, streams, plain_ticks);
      return Timing{plain.deliveries, plain.seconds};
    };
    measure_in_turns(row, settings.rounds, yardstick, ours);
    sim::check(plain_ticks < ticks || row.operations == row.yardstick_operations,
               "the engine has lost a delivery");
    row.bytes_per_agent = memory.bytes_per_agent();
    rows.push_back(row);
  }
  return rows;
}

}  // namespace hearsay::scenarios
