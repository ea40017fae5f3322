// Ticks that are prepared on other threads give the same run.
#include "sim/engine/lookahead.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/random/random.hpp"
#include "tests/support/crew.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

constexpr std::size_t kAheadNumbers = 3;

// An agent that ticks moves to the mean of what it has heard and publishes that, every 17th time something that is not
// finite, or not at all.
struct AheadMean {
  struct Room {
    std::vector<double> sum;
    std::vector<std::uint32_t> versions;
  };

  AheadMean(Engine& e, std::uint64_t last_tick)
      : engine(e), last(last_tick), vectors(e.agents() * kAheadNumbers) {
    for (std::size_t k = 0; k < vectors.size(); ++k) vectors[k] = static_cast<double>(k % 101);
  }
  Engine& engine;
  std::uint64_t last;
  std::vector<double> vectors;
  std::uint64_t ticks = 0, prepared = 0, observations = 0;
  Room now;
  std::vector<Room> rooms;
  std::optional<AgentId> fails;  // agent whose preparation fails

  Preparation preparation() const { return {100, 100}; }
  void make_rooms(std::uint32_t count) { rooms.resize(count); }
  void prepare(AgentId i, Moment at, std::uint32_t room) {
    if (i == fails) throw std::runtime_error("this one fails");
    read(i, at, rooms[room]);
  }
  void read(AgentId i, Moment at, Room& room) const {
    const std::uint32_t degree = engine.topology().degree(i);
    room.sum.assign(vectors.begin() + i * kAheadNumbers, vectors.begin() + (i + 1) * kAheadNumbers);
    room.versions.clear();
    engine.read(i, at, [&](std::uint32_t, AgentId, const Latest& latest) {
      room.versions.push_back(latest.version);
      for (std::size_t j = 0; j < latest.payload.size(); ++j)
        room.sum[j] += (latest.payload[j] + latest.sent) / degree;
    });
  }

  void on_start() {}
  void on_tick(AgentId i) {
    const std::uint32_t at = engine.prepared();
    Room& room = at == Lookahead::kNone ? now : rooms[at];
    if (at == Lookahead::kNone) {
      read(i, engine.moment(), room);
    } else {
      ++prepared;
    }
    for (std::uint32_t k = 0; k < room.versions.size(); ++k) engine.note_latest(i, k, room.versions[k]);
    for (std::size_t j = 0; j < kAheadNumbers; ++j) vectors[i * kAheadNumbers + j] = room.sum[j] / 2;
    if (++ticks % 17 == 0) room.sum[0] = std::numeric_limits<double>::infinity();
    if (ticks % 19 != 0) engine.publish(i, room.sum);
  }
  void on_message(const Message&) {}
  void on_timer(AgentId, std::uint16_t, std::uint32_t) {}
  void on_up(AgentId) {}
  void on_down(AgentId) {}
  void on_observation() { ++observations; }
  bool finished() const { return ticks == last; }
};

struct AheadOutcome {
  End end;
  Time time;
  std::uint64_t fingerprint, ticks, observations, events, delivered, lost;
  std::vector<double> vectors;
  bool operator==(const AheadOutcome&) const = default;
};

struct AheadCase {
  Topology graph;
  Engine::Options options;
  std::uint64_t ticks;
};

AheadCase ahead_case(std::uint64_t number) {
  Stream s = Streams(number, 0)(Purpose::kTopology, 77, 0, 0);
  const auto agents = static_cast<AgentId>(60 + uniform_index(s, 500));
  const std::vector<TopologyOptions> graphs{RandomRegular{4}, Ring{}, ErdosRenyi{.mean_degree = 5}, Star{}};
  const std::vector<LatencyOptions> latencies{0.0, 0.7, Uniform{0, 0.015}, Uniform{0, 1}, Uniform{0.5, 4}};
  const std::vector<ClockOptions> clocks{Poisson{}, Poisson{}, Periodic{}, Poisson{.rate = 0.1}};
  Engine::Options options;
  options.network.links.latency = latencies[uniform_index(s, latencies.size())];
  options.clocks = clocks[uniform_index(s, clocks.size())];
  options.vector_length = options.payload_width = kAheadNumbers;
  options.delivery = Delivery::kLazy;
  if (uniform_index(s, 2) == 0) options.time_limit = 1 + 3 * uniform(s, 0, 1);
  if (uniform_index(s, 2) == 0) options.observe_every = 0.01;
  return {make_topology(graphs[uniform_index(s, graphs.size())], agents, Streams(number, 0)), options,
          1 + uniform_index(s, 3000)};
}

AheadOutcome ahead_outcome(const AheadCase& of, std::uint64_t number, std::uint64_t& prepared) {
  Engine engine(of.options, of.graph, Streams(number, 0));
  AheadMean mean(engine, of.ticks);
  const End end = engine.run(mean);
  prepared += mean.prepared;
  return {end,
          engine.now(),
          engine.fingerprint().value(),
          mean.ticks,
          mean.observations,
          engine.events(),
          engine.traffic().delivered,
          engine.traffic().lost_as(LossReason::kNotFinite),
          mean.vectors};
}

}  // namespace

TEST_CASE("lookahead: random runs are the same to the bit on 1, 2 and 4 threads") {
  std::uint64_t alone = 0, together = 0, ticks = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const AheadCase of = ahead_case(number);
    const AheadOutcome one = ahead_outcome(of, number, alone);
    ticks += one.ticks;
    for (const unsigned threads : {2U, 4U}) {
      const test::HelpedThread helped(threads);
      const AheadOutcome several = ahead_outcome(of, number, together);
      INFO("draw " << number << ", " << threads << " threads");
      CHECK((several == one));
    }
  }
  CHECK(alone == 0);
  CHECK(together > ticks / 2);  // of 2 ticks each
}

TEST_CASE("lookahead: most ticks of a large sparse network are prepared") {
  const Topology graph = make_topology(RandomRegular{4}, 2000, Streams(1, 0));
  Engine::Options options;
  options.network.links.latency = Uniform{0, 0.015};
  options.vector_length = options.payload_width = kAheadNumbers;
  options.delivery = Delivery::kLazy;
  std::uint64_t prepared = 0;
  const test::HelpedThread helped(2);
  ahead_outcome({graph, options, 10'000}, 1, prepared);
  // 2000 agents in windows of 2000/(16 * 5) = 25: of the 49 other ticks in two windows one is of the agent or a neighbour
  // with probability about 49 * 5/2000 = 0.12. Four standard deviations of 10,000 independent ticks are 0.013.
  CHECK(static_cast<double>(prepared) / 10'000 > 1 - 0.1225 - 0.013 - 64.0 / 10'000);
}

TEST_CASE("lookahead: a run goes on where it has paused, and ends where a preparation fails") {
  const Topology graph = make_topology(RandomRegular{4}, 300, Streams(1, 0));
  Engine::Options options;
  options.network.links.latency = Uniform{0, 1};
  options.vector_length = options.payload_width = kAheadNumbers;
  options.delivery = Delivery::kLazy;
  std::uint64_t prepared = 0;
  const AheadOutcome at_once = ahead_outcome({graph, options, 3000}, 1, prepared);
  const test::HelpedThread helped(3);
  {
    Engine engine(options, graph, Streams(1, 0));
    AheadMean mean(engine, 3000);
    for (Time at = 0.3; at < 9; at += 0.3) {
      engine.pause_after(at);
      CHECK(engine.run(mean) == End::kPaused);
    }
    engine.pause_after(kNever);
    CHECK(engine.run(mean) == End::kFinished);
    CHECK(engine.fingerprint().value() == at_once.fingerprint);
    CHECK(mean.vectors == at_once.vectors);
    CHECK(mean.prepared > 0);
  }
  Engine engine(options, graph, Streams(1, 0));
  AheadMean mean(engine, 1'000'000);
  mean.fails = 7;
  CHECK_THROWS_WITH(engine.run(mean), "this one fails");
}
