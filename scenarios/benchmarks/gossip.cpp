// Agents that publish vectors to ten neighbours: without events (sim/engine/lazy_publications.hpp), and with an event
// for each delivery.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scenarios/benchmarks/benchmark.hpp"
#include "scenarios/benchmarks/plain_queue.hpp"
#include "scenarios/benchmarks/silent_handler.hpp"
#include "scenarios/execution/workers/parallel_for.hpp"
#include "sim/check.hpp"
#include "sim/prefetch.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint32_t kDegree = 10;
constexpr double kLongest = 0.015;  // s, of a latency

struct Averaging : SilentHandler {
  struct alignas(sim::kCacheLine) Room {
    std::vector<double> sum;
    double count = 1;
    std::uint32_t versions[kDegree]{};
  };

  Averaging(sim::Engine& e, std::size_t dimension, std::uint64_t limit)
      : SilentHandler{.last = limit}, engine(e), p(dimension), vectors(e.agents() * p, 1.0) {
    now.sum.resize(p);
  }
  sim::Engine& engine;
  std::size_t p;
  std::vector<double> vectors;  // of all agents, one after another
  std::vector<Room> rooms{};
  alignas(sim::kCacheLine) Room now;

  sim::Preparation preparation() const {
    constexpr double kVector = 20, kNumber = 0.5;  // ns
    return {kDegree * (kVector + kNumber * static_cast<double>(p)), sizeof(Room) + p * sizeof(double)};
  }
  void make_rooms(std::uint32_t count) { rooms.resize(count, now); }
  void prepare(sim::AgentId i, sim::Moment at, std::uint32_t room) { sum(i, at, rooms[room]); }

  static constexpr std::size_t kLine = 8;  // numbers of a cache line
  HEARSAY_PREFETCH void prefetch(sim::AgentId i) const {
    for (std::size_t j = 0; j < p; j += kLine) __builtin_prefetch(&vectors[i * p + j], 1);
  }
  HEARSAY_PREFETCH void prefetch_room(std::uint32_t room) const {
    __builtin_prefetch(&rooms[room]);
    for (std::size_t j = 0; j < p; j += kLine) __builtin_prefetch(&rooms[room].sum[j]);
  }
  void on_tick(sim::AgentId i) {
    const std::uint32_t prepared = engine.prepared();
    Room& room = prepared == sim::Lookahead::kNone ? now : rooms[prepared];
    if (prepared == sim::Lookahead::kNone) sum(i, engine.moment(), room);
    for (std::uint32_t k = 0; k < kDegree; ++k) engine.note_latest(i, k, room.versions[k]);
    const std::span<double> own(vectors.data() + i * p, p);
    for (std::size_t j = 0; j < p; ++j) own[j] = room.sum[j] / room.count;
    engine.publish(i, own);
    // The first publication makes the engine's tables of edges.
    if (++ticks == 1) started = std::chrono::steady_clock::now();
  }
  // Of all that has happened and all that the vectors hold, except what is counted at arrivals.
  std::uint64_t digest() const {
    sim::Fingerprint all = engine.fingerprint();
    all.add(vectors);
    return all.value();
  }
  void sum(sim::AgentId i, sim::Moment at, Room& room) const {
    std::copy_n(vectors.data() + i * p, p, room.sum.begin());
    room.count = 1;
    engine.read(i, at, [&](std::uint32_t k, sim::AgentId, const sim::Latest& latest) {
      room.versions[k] = latest.version;
      if (latest.version == 0) return;
      for (std::size_t j = 0; j < p; ++j) room.sum[j] += latest.payload[j];
      ++room.count;
    });
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
  std::optional<std::uint64_t> fingerprint;
  const auto add = [&](bool lazy, unsigned threads) {
    sim::Engine::Options options;
    options.network.links.latency = sim::Uniform{0, kLongest};
    options.vector_length = options.payload_width = p;
    options.delivery = lazy ? sim::Delivery::kLazy : sim::Delivery::kByEvents;
    BenchmarkRow row{.unit = "deliveries",
                     .variant = with_threads(lazy ? "lazily" : "by events", threads),
                     .agents = agents,
                     .dimension = p};
    AgentMemory memory(agents);
    const auto ours = [&] {
      Timing timing;
      memory.watch([&] {
        sim::Engine engine(options, graph, streams);
        sim::check(engine.lazy() == lazy, "publications travel in another way");
        Averaging handler(engine, p, ticks);
        double seconds = 0;
        parallel_for(1, threads, [&](std::size_t) { seconds = run_seconds(engine, handler); });
        sim::check(fingerprint.value_or(handler.digest()) == handler.digest(), "threads change the results");
        fingerprint = handler.digest();
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
  };
  add(true, 1);
  if (settings.threads > 1) add(true, settings.threads);
  add(false, 1);
  return rows;
}

}  // namespace hearsay::scenarios
