// What is computed ahead on other threads gives the same run.
#include "sim/engine/speculation.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <vector>

#include "sim/engine/engine.hpp"
#include "sim/random/random.hpp"
#include "tests/support/crew.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

// An agent that ticks changes its number by a function of it and sends it to a neighbour, which changes its own by a
// function of both, and sets a timer that changes it once more. Each function is computed ahead where that is possible.
struct AheadChain {
  static constexpr Speculation::Kinds kSpeculation{true, true};
  struct Room {
    AgentId agent = kNoAgent;
    double own = 0, other = 0, result = 0;
  };

  AheadChain(Engine& e, std::uint64_t last_event) : engine(e), last(last_event), numbers(e.agents()) {
    for (AgentId i = 0; i < e.agents(); ++i) numbers[i] = i % 101;
  }
  Engine& engine;
  std::uint64_t last;
  std::vector<double> numbers;
  mutable std::vector<Room> rooms;
  std::uint64_t handled = 0, used = 0, observations = 0, resets = 0;
  bool fails = false;  // all that is computed ahead

  static double function(double own, double other) { return (own + 3 * other + 1) / 4.000001; }
  double value(AgentId i, double other) {
    test::wait_for_help(handled);
    const std::uint32_t at = engine.foreseen(i);
    if (at != Speculation::kNone && rooms[at].agent == i && rooms[at].own == numbers[i] &&
        rooms[at].other == other) {
      ++used;
      return rooms[at].result;
    }
    return function(numbers[i], other);
  }

  Preparation speculation() const { return {100, 100}; }
  void make_rooms(std::uint32_t count) { rooms.assign(count, {}); }
  void prefetch(AgentId) const {}
  void prefetch_room(std::uint32_t) const {}
  void foresee_tick(AgentId i, std::uint32_t room) const { foresee(i, 0, room); }
  void foresee_message(const Message& message, std::uint32_t room) const {
    foresee(message.to, message.payload[0], room);
  }
  void foresee(AgentId i, double other, std::uint32_t room) const {
    if (fails) throw std::runtime_error("ahead of its turn");
    rooms[room] = {i, numbers[i], other, function(numbers[i], other)};
  }

  void on_start() {}
  void on_tick(AgentId i) {
    ++handled;
    numbers[i] = value(i, 0);
    engine.compute(i);
    const Neighbours all = engine.topology().neighbours(i);
    const AgentId to = all[static_cast<std::uint32_t>(handled % all.size())];
    engine.send(i, {&to, 1}, 0, 0, {&numbers[i], 1});
  }
  void on_message(const Message& message) {
    ++handled;
    numbers[message.to] = value(message.to, message.payload[0]);
    if (handled % 3 == 0) engine.after(message.to, 0.01, 0, 0);
  }
  void on_timer(AgentId i, std::uint16_t, std::uint32_t) { numbers[i] += 0.5; }
  void on_up(AgentId i) { numbers[i] += 1; }
  void on_down(AgentId i) { numbers[i] -= 1; }
  void on_reset(AgentId i) {
    numbers[i] = 0;
    ++resets;
  }
  void on_observation() { ++observations; }
  bool finished() const { return handled == last; }
};

struct ChainOutcome {
  End end;
  Time time;
  std::uint64_t fingerprint, handled, observations, events, resets;
  std::vector<double> numbers;
  bool operator==(const ChainOutcome&) const = default;
};

struct ChainCase {
  Topology graph;
  Engine::Options options;
  std::uint64_t events;
};

ChainCase chain_case(std::uint64_t number) {
  Stream s = Streams(number, 0)(Purpose::kTopology, 78, 0, 0);
  const auto agents = static_cast<AgentId>(30 + uniform_index(s, 500));
  const std::vector<TopologyOptions> graphs{RandomRegular{4}, Ring{}, Star{}, Complete{}};
  const std::vector<LatencyOptions> latencies{0.0, 0.7, Uniform{0, 0.015}, Uniform{0.001, 0.016},
                                              Uniform{0, 4}};
  const std::vector<ClockOptions> clocks{Poisson{}, Poisson{}, Periodic{}, Poisson{.rate = 0.1}};
  Engine::Options options;
  options.network.links.latency = latencies[uniform_index(s, latencies.size())];
  if (uniform_index(s, 3) == 0) options.network.links.loss = BernoulliLoss{0.2};
  if (uniform_index(s, 3) == 0) options.network.compute_time = ComputeOptions(Uniform{0, 0.3});
  const std::uint64_t availability = uniform_index(s, 4);
  if (availability == 0) options.network.availability = Crash{.up = Exponential{5}, .down = Exponential{1}};
  if (availability == 1) options.network.availability = OnOff{.up = Exponential{5}, .down = Exponential{1}};
  options.clocks = clocks[uniform_index(s, clocks.size())];
  if (uniform_index(s, 2) == 0) options.time_limit = 1 + 3 * uniform(s, 0, 1);
  if (uniform_index(s, 2) == 0) options.observe_every = 0.01;
  return {make_topology(graphs[uniform_index(s, graphs.size())], agents, Streams(number, 0)), options,
          1 + uniform_index(s, 5000)};
}

ChainOutcome chain_outcome(const ChainCase& of, std::uint64_t number, std::uint64_t& used,
                           bool fails = false) {
  Engine engine(of.options, of.graph, Streams(number, 0));
  AheadChain chain(engine, of.events);
  chain.fails = fails;
  const End end = engine.run(chain);
  used += chain.used;
  return {end,           engine.now(),       engine.fingerprint().value(),
          chain.handled, chain.observations, engine.events(),
          chain.resets,  chain.numbers};
}

}  // namespace

TEST_CASE("speculation: random runs are the same to the bit on 1, 2 and 4 threads") {
  std::uint64_t alone = 0, together = 0, handled = 0, resets = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    const ChainCase of = chain_case(number);
    const ChainOutcome one = chain_outcome(of, number, alone);
    handled += one.handled;
    resets += one.resets;
    for (const unsigned threads : {2U, 4U}) {
      const test::HelpedThread helped(threads);
      const ChainOutcome several = chain_outcome(of, number, together);
      INFO("draw " << number << ", " << threads << " threads");
      CHECK((several == one));
    }
  }
  CHECK(alone == 0);
  CHECK(resets > 100);
  CHECK(together > handled / 100);
}

TEST_CASE("speculation: what fails ahead of its turn is computed at its turn") {
  const ChainCase of{make_topology(RandomRegular{4}, 300, Streams(1, 0)), {}, 3000};
  std::uint64_t used = 0;
  const ChainOutcome one = chain_outcome(of, 1, used);
  const test::HelpedThread helped(2);
  const ChainOutcome two = chain_outcome(of, 1, used, true);
  CHECK((two == one));
  CHECK(used == 0);
}
