// The end of a run, and the times of its events.
#include <catch2/catch.hpp>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

Engine::Options five_ticks() {
  Engine::Options options;
  options.clocks = ClockTrace{{1, 2, 3, 4, 5}, {0, 1, 0, 1, 0}};
  return options;
}

}  // namespace

TEST_CASE("engine: a run ends as idle when no event is left, with and without observations") {
  for (const double every : {kNever, 2.5}) {
    Engine::Options options = five_ticks();
    options.observe_every = every;
    options.time_limit = 100;
    test::ScriptedEngine engine(options, test::kPair, kStreams);
    CHECK(engine.run() == End::kIdle);
    CHECK(engine.now() == 5);
    CHECK(engine.events() == 5);
    CHECK(engine.log.size() == (every < kNever ? 7u : 5u));  // 2.5 and 5: the last event is still seen
  }
}

TEST_CASE("engine: once all agents are down for good a run is idle, unless a time ends it") {
  Engine::Options options;
  options.clocks = Poisson{};
  const auto random = GENERATE(as<std::optional<OneAvailability>>(), std::nullopt,
                               OnOff{.up = Exponential{0.5}, .down = Constant{0.3}},
                               Crash{.up = Exponential{0.5}, .down = Constant{0.3}});
  const auto run = [&](std::vector<AgentId> gone, std::optional<Time> back) {
    AllOf laws;
    if (random) laws.of.push_back(*random);
    laws.of.emplace_back(Outages{.outages = {{.agents = {0}, .from = 1}}});
    laws.of.emplace_back(Outages{.outages = {{.agents = std::move(gone), .from = 2, .to = back}}});
    options.network.availability = laws;
    test::ScriptedEngine engine(options, test::kPair, kStreams);
    if (back) engine.on_tick = [&](AgentId) { engine.done = engine.now() > 10; };
    const End end = engine.run();
    CHECK(engine.all_gone() == !back);
    return std::pair(end, engine.now());
  };
  CHECK(run({1}, {}) == std::pair(End::kIdle, 2.0));
  CHECK(run({0, 1}, {}) == std::pair(End::kIdle, 2.0));
  CHECK(run({0, 1}, 5).first == End::kFinished);  // agent 1 comes back
  options.time_limit = 50;
  CHECK(run({1}, {}) == std::pair(End::kTime, 50.0));
}

// Agents are up for 0.5 s and down for 5 s, one after the other; agent 0 may be away for good.
TEST_CASE("engine: where no clock ticks, changes of agents for which nothing waits are no reason to go on") {
  const auto run = [](bool gone, bool hears) {
    Engine::Options options;
    options.clocks = ClockTrace{{}, {}};
    options.observe_every = 0.4;
    AllOf laws{{OnOff{.up = Constant{0.5}, .down = Constant{5}, .start = Start::kUp}}};
    if (gone) laws.of.emplace_back(Outages{.outages = {{.agents = {0}, .from = 0.7}}});
    options.network.availability = laws;
    test::ScriptedEngine engine(options, test::kPair, kStreams);
    engine.hears = hears;
    engine.on_start = [&] { engine.after(0, 1, 7, 0); };
    engine.on_up = [&](AgentId) { engine.done = engine.now() > 6; };
    const End end = engine.run();
    return std::pair(end, engine.now());
  };
  CHECK(run(false, false) == std::pair(End::kIdle, 5.5));  // the timer fires when agent 0 returns
  CHECK(run(true, false) == std::pair(End::kIdle, 1.0));   // when it is due
  CHECK(run(false, true) == std::pair(End::kFinished, 11.0));
}

TEST_CASE("engine: until the last message has arrived, agents that are down for good miss ticks") {
  Engine::Options options;
  options.clocks = Poisson{};
  options.network.links.latency = Constant{10};
  options.network.availability = Outages{.outages = {{.agents = {0, 1}, .from = 2}}};
  test::ScriptedEngine engine(options, test::kPair, kStreams);
  engine.on_start = [&] { engine.send(0, 1, 0, 0, {}); };
  CHECK(engine.run() == End::kIdle);
  CHECK(engine.now() == 10);
  const Engine::Options alone = [&] {
    Engine::Options same = options;
    same.time_limit = 10;
    return same;
  }();
  test::ScriptedEngine limited(alone, test::kPair, kStreams);
  limited.on_start = [&] { limited.send(0, 1, 0, 0, {}); };
  CHECK(limited.run() == End::kTime);
  CHECK(engine.fingerprint().value() == limited.fingerprint().value());
}

// The first of a group has changed, the second is about to at the same time.
TEST_CASE("engine: what happens at the time from which random numbers are drawn again stays") {
  Engine::Options options;
  options.clocks = ClockTrace{{}, {}};
  options.network.availability =
      GroupFailures{.groups = {{"site", {0, 1}}}, .up = Exponential{5}, .down = Constant{1}};
  test::ScriptedEngine engine(options, test::kPair, kStreams);
  engine.on_down = [&](AgentId) { engine.done = true; };
  CHECK(engine.run() == End::kFinished);
  const Time at = engine.now();
  engine.redraw(at);
  engine.done = false;
  CHECK(engine.run() == End::kFinished);
  CHECK(engine.now() == at);
  CHECK(engine.up_count() == 0);
}

TEST_CASE("engine: events at the time limit still happen, later ones do not") {
  for (const auto& [limit, ticks] : {std::pair{3.0, 3u}, {3.5, 3u}, {0.0, 0u}}) {
    Engine::Options options = five_ticks();
    options.time_limit = limit;
    test::ScriptedEngine engine(options, test::kPair, kStreams);
    CHECK(engine.run() == End::kTime);
    CHECK(engine.now() == limit);
    CHECK(engine.log.size() == ticks);
  }
}

TEST_CASE("engine: no more events happen than their limit, and observations do not count") {
  Engine::Options options = five_ticks();
  options.event_limit = 3;
  options.observe_every = 0.5;
  test::ScriptedEngine engine(options, test::kPair, kStreams);
  CHECK(engine.run() == End::kEvents);
  CHECK(engine.now() == 3);
  CHECK(engine.events() == 3);
  CHECK(engine.log == Log{"0.5 observation", "1 tick 0", "1 observation", "1.5 observation", "2 tick 1",
                          "2 observation", "2.5 observation", "3 tick 0"});
}

TEST_CASE("engine: a finished handler is not called again") {
  test::ScriptedEngine engine(five_ticks(), test::kPair, kStreams);
  engine.on_tick = [&](AgentId i) { engine.done = i == 1; };
  CHECK(engine.run() == End::kFinished);
  CHECK(engine.log == Log{"1 tick 0", "2 tick 1"});

  test::ScriptedEngine at_start(five_ticks(), test::kPair, kStreams);
  at_start.on_start = [&] { at_start.done = true; };
  CHECK(at_start.run() == End::kFinished);
  CHECK(at_start.log.empty());
}

TEST_CASE("engine: the hub has no clock") {
  const Topology star = make_topology(Star{}, 3, kStreams);
  Engine::Options options;
  options.hub = true;
  options.time_limit = 20;
  test::ScriptedEngine engine(options, star, kStreams);
  std::vector<int> ticks(3);
  engine.on_tick = [&](AgentId i) { ++ticks[i]; };
  engine.run();
  CHECK(ticks[0] == 0);
  CHECK(ticks[1] > 0);
  CHECK(ticks[2] > 0);
}

TEST_CASE("engine: each message in flight holds a row, all others none") {
  Engine::Options options;
  options.network.links.latency = Exponential{1};
  options.time_limit = 50;
  const Topology graph = make_topology(RandomRegular{4}, 20, kStreams);
  test::ScriptedEngine engine(options, graph, kStreams);
  std::uint64_t settled = 0;
  engine.on_tick = [&](AgentId i) { engine.send(i, graph.neighbours(i)[0], 1, 0, {}); };
  engine.on_message = [&](const Message& m) {
    ++settled;
    if (m.tag == 1) engine.send(m.to, m.from, 2, 0, {});
  };
  engine.run();
  CHECK(engine.payload_rows() == engine.traffic().messages - settled);
  CHECK(engine.payload_rows() > 0);
}

TEST_CASE("engine: an agent's up and down times are its periods one after another, numbered in their keys") {
  const Topology ring = make_topology(Ring{}, 30, kStreams);
  Engine::Options options;
  options.network.availability =
      OnOff{.up = Uniform{0.5, 3}, .down = Exponential{1}, .start = Start::kStationary};
  options.clocks = ClockTrace{};
  options.time_limit = 50;
  test::TraceLog trace;
  test::ScriptedEngine engine(options, ring, kStreams, &trace);
  engine.run();

  const Availability law(options.network.availability, kStreams);
  std::size_t changes = 0;
  for (AgentId i = 0; i < 30; ++i) {
    auto [up, time] = law.first(i);
    std::uint32_t n = 0;
    for (const auto& [r, detail] : trace.entries) {
      if (r.agent != i) continue;
      if (r.time == 0) {
        CHECK(r.kind == TraceKind::kDown);  // agents that are down at the start come first
        CHECK_FALSE(up);
        continue;
      }
      ++n;
      CHECK(r.time == time);
      CHECK(r.kind == (up ? TraceKind::kDown : TraceKind::kUp));
      CHECK(r.cause == order_key(up ? Rank::kDown : Rank::kUp, i, n));
      up = !up;
      time = law.end(i, n, up, time);
      ++changes;
    }
    CHECK(time > 50);
  }
  CHECK(changes == engine.events());
}
