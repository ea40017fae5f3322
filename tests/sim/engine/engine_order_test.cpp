// Order of events at the same time.
#include <catch2/catch.hpp>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

TEST_CASE(
    "engine: at one time agents go down, come up, then messages, timers, ticks and observations follow") {
  const Topology star = make_topology(Star{}, 3, kStreams);
  Engine::Options options;
  options.hub = true;
  options.network.availability = OnOff{.up = 2.0, .down = 3.0};
  options.network.links.latency = 5.0;
  options.clocks = ClockTrace{{2, 5, 5}, {1, 2, 1}};
  options.observe_every = 5;
  options.time_limit = 5;
  test::ScriptedEngine engine(options, star, kStreams);
  engine.on_start = [&] {
    engine.after(2, 5, 22, 0);
    engine.after(1, 5, 21, 0);
    engine.send(0, 2, 12, 0, {});
    engine.send(0, 1, 11, 0, {});
  };
  CHECK(engine.run() == End::kTime);
  CHECK(engine.log == Log{"2 down 1", "2 down 2", "5 up 1", "5 up 2", "5 message 0>2 #12",
                          "5 message 0>1 #11", "5 timer 1 #21", "5 timer 2 #22", "5 tick 1", "5 tick 2",
                          "5 observation"});
}

TEST_CASE("engine: an agent that goes down at the time of its tick, timer and message misses all of them") {
  const Topology star = make_topology(Star{}, 2, kStreams);
  Engine::Options options;
  options.hub = true;
  options.network.availability = OnOff{.up = 2.0, .down = 3.0};
  options.network.links.latency = 2.0;
  options.clocks = ClockTrace{{2}, {1}};
  options.time_limit = 4;
  test::ScriptedEngine engine(options, star, kStreams);
  engine.on_start = [&] {
    engine.send(0, 1, 0, 0, {});
    engine.after(1, 2, 0, 0);
  };
  engine.run();
  CHECK(engine.log == Log{"2 down 1"});
}

TEST_CASE("engine: a message without latency is handled before the next tick and timer of the same time") {
  Engine::Options options;
  options.clocks = ClockTrace{{1, 1}, {0, 1}};
  test::ScriptedEngine engine(options, test::kPair, kStreams);
  engine.on_tick = [&](AgentId i) {
    engine.after(i, 0, 5, 0);
    engine.send(i, 1 - i, 7, 0, {});
  };
  CHECK(engine.run() == End::kIdle);
  CHECK(engine.log ==
        Log{"1 tick 0", "1 message 0>1 #7", "1 timer 0 #5", "1 tick 1", "1 message 1>0 #7", "1 timer 1 #5"});
}

TEST_CASE("engine: messages of one time arrive in order of their senders, then of sending") {
  const Topology all = make_topology(Complete{}, 3, kStreams);
  Engine::Options options;
  options.clocks = ClockTrace{};
  options.network.links.latency = 1.0;
  test::ScriptedEngine engine(options, all, kStreams);
  engine.on_start = [&] {
    engine.send(2, 0, 1, 0, {});
    engine.send(1, 0, 2, 0, {});
    engine.send(1, 2, 3, 0, {});
    engine.send(0, 1, 4, 0, {});
  };
  engine.run();
  CHECK(engine.log == Log{"1 message 0>1 #4", "1 message 1>0 #2", "1 message 1>2 #3", "1 message 2>0 #1"});
}

TEST_CASE("engine: ticks of one time run in order of the agents, whatever their order in the trace") {
  const Topology ring = make_topology(Ring{}, 3, kStreams);
  Engine::Options options;
  options.clocks = ClockTrace{{1, 1, 1, 2}, {2, 0, 0, 1}};
  test::ScriptedEngine engine(options, ring, kStreams);
  engine.run();
  CHECK(engine.log == Log{"1 tick 0", "1 tick 0", "1 tick 2", "2 tick 1"});
}

TEST_CASE("engine: timers of one agent and time fire in the order they were set") {
  Engine::Options options;
  options.clocks = ClockTrace{};
  test::ScriptedEngine engine(options, test::kPair, kStreams);
  std::vector<std::uint32_t> numbers;
  engine.on_start = [&] {
    engine.after(0, 2, 1, 100);
    engine.after(0, 1, 2, 200);
    engine.after(0, 2, 3, 300);
  };
  engine.on_timer = [&](AgentId, std::uint16_t, std::uint32_t number) { numbers.push_back(number); };
  engine.run();
  CHECK(engine.log == Log{"1 timer 0 #2", "2 timer 0 #1", "2 timer 0 #3"});
  CHECK(numbers == std::vector<std::uint32_t>{200, 100, 300});
}

TEST_CASE("engine: decreasing time throws") {
  Engine::Options options;
  options.clocks = ClockTrace{{2, 1}, {0, 0}};
  test::ScriptedEngine engine(options, test::kPair, kStreams);
  CHECK_THROWS_AS(engine.run(), InvariantError);
}
