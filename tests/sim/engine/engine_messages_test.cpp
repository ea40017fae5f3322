// Messages and timers when agents go down and come up. In all of these agent 1 and the others are up on [0,
// 2), down on [2, 5), up on [5, 7), down on [7, 10), ...; the hub, agent 0, is always up.
#include <catch2/catch.hpp>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

// A hub and its neighbours, up for 2 s and down for 3 s in turn.
struct OnOffStar : test::Net {
  explicit OnOffStar(AgentId agents) : Net(Star{}, agents, true) {
    options.network.availability = OnOff{.up = 2.0, .down = 3.0};
    options.time_limit = 12;
    options.vector_length = 2;
    options.payload_width = 5;
  }
};

}  // namespace

TEST_CASE(
    "engine: a message that arrives at an agent that is down is lost, with its reason in counters and "
    "trace") {
  for (const double latency : {2.0, 3.0, 4.9}) {
    OnOffStar net(2);
    net.options.network.links.latency = latency;
    test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
    engine.on_start = [&] { engine.send(0, 1, 7, 0, {}); };
    engine.run();
    CHECK(engine.log == Log{"2 down 1", "5 up 1", "7 down 1", "10 up 1", "12 down 1"});
    CHECK(engine.traffic().messages == 1);
    CHECK(engine.traffic().delivered == 0);
    CHECK(lost(engine, LossReason::kReceiverDown) == 1);
    CHECK(net.trace.count(TraceKind::kLose, "receiver_down") == 1);
    CHECK(net.trace.count(TraceKind::kDeliver) == 0);
    CHECK(engine.payload_rows() == 0);
  }
}

TEST_CASE("engine: a message with a number that is not finite is lost when it leaves") {
  OnOffStar net(2);
  net.options.network.links.latency = 0.5;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  const double numbers[] = {1, -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::max()};
  engine.on_start = [&] {
    for (std::uint16_t k = 0; k < 4; ++k) engine.send(0, 1, k, 0, {&numbers[k], 1});
    engine.send(0, 1, 4, 0, {numbers, 4}, 0, Engine::Payload::kAnyBits);
    engine.send(0, 1, 5, 0, {&numbers[0], 1}, 1);  // withheld
  };
  engine.run();
  CHECK(Log(engine.log.begin(), engine.log.begin() + 4) ==
        Log{"0.5 message 0>1 #0", "0.5 message 0>1 #3", "0.5 message 0>1 #4", "1.5 message 0>1 #5"});
  CHECK(engine.traffic().messages == 6);
  CHECK(lost(engine, LossReason::kNotFinite) == 2);
  CHECK(net.trace.count(TraceKind::kLose, "not_finite") == 2);
  CHECK(engine.payload_rows() == 0);
}

TEST_CASE("engine: a message that arrives when the agent is back is delivered") {
  for (const double latency : {1.9, 5.0, 6.9}) {
    OnOffStar net(2);
    net.options.network.links.latency = latency;
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.on_start = [&] { engine.send(0, 1, 7, 0, {}); };
    engine.run();
    CHECK(engine.traffic().delivered == 1);
  }
}

TEST_CASE("engine: a message sent before the sender went down still arrives") {
  OnOffStar net(2);
  net.options.network.links.latency = 1.0;
  net.options.clocks = ClockTrace{{1.5}, {1}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.on_tick = [&](AgentId i) { engine.send(i, 0, 7, 0, {}); };
  engine.run();
  CHECK(engine.log ==
        Log{"1.5 tick 1", "2 down 1", "2.5 message 1>0 #7", "5 up 1", "7 down 1", "10 up 1", "12 down 1"});
}

TEST_CASE("engine: an agent that is down does not tick, and its clock continues") {
  OnOffStar net(2);
  net.options.clocks = ClockTrace{{1, 2, 3, 4.9, 5, 6, 8}, {1, 1, 1, 1, 1, 1, 1}};
  net.options.time_limit = 9;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.run();
  CHECK(engine.log == Log{"1 tick 1", "2 down 1", "5 up 1", "5 tick 1", "6 tick 1", "7 down 1"});
  CHECK(net.trace.count(TraceKind::kTick) == 3);
  CHECK(net.trace.count(TraceKind::kSkip, "down") == 4);
}

TEST_CASE("engine: messages and publications of an agent that is down are lost at once") {
  OnOffStar net(2);
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  const double number = 1;
  engine.on_down = [&](AgentId i) {
    engine.send(i, 0, 7, 0, {});
    engine.publish(i, {&number, 1});
  };
  net.options.time_limit = 6;
  engine.run();
  CHECK(lost(engine, LossReason::kSenderDown) == 6);  // at 2, 7 and 12
  CHECK(engine.traffic().messages == 6);
  CHECK(net.trace.count(TraceKind::kLose, "sender_down") == 6);
  CHECK(net.trace.count(TraceKind::kSend) == 3);
  CHECK(net.trace.count(TraceKind::kPublish) == 3);
  CHECK(engine.payload_rows() == 0);
}

TEST_CASE("engine: a message to several neighbours is one payload, and otherwise as sent to each in turn") {
  const std::vector<AgentId> receivers{3, 1, 2};
  const std::vector<double> numbers{5, 6};
  const auto run = [&](bool at_once, double compute_time) {
    test::Net net(Star{}, 4, true);
    net.options.network.links.latency = Uniform{.min = 0.5, .max = 1};
    net.options.time_limit = 12;
    net.options.network.links.loss = BernoulliLoss{0.5};
    net.options.network.compute_time = compute_time;
    net.options.payload_width = 2;
    test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
    HeldPayload kept;
    engine.on_start = [&] {
      engine.compute(0);
      for (std::uint16_t tag = 0; tag < 5; ++tag) {
        if (at_once) {
          engine.send(0, receivers, tag, 9, numbers);
        } else {
          for (const AgentId to : receivers) engine.send(0, to, tag, 9, numbers);
        }
      }
      CHECK(engine.payload_rows() <= (at_once ? 5 : 15));
    };
    engine.on_message = [&](const Message& message) { kept = engine.hold(message); };
    engine.run();
    CHECK(engine.traffic().messages == 15);
    CHECK(engine.traffic().delivered > 0);
    CHECK(lost(engine, LossReason::kLoss) > 0);
    CHECK(engine.payload_rows() == 1);
    CHECK(std::ranges::equal(kept.numbers(), numbers));
    kept = {};
    CHECK(engine.payload_rows() == 0);
    return std::pair(engine.fingerprint().value(), engine.log);
  };
  for (const double compute_time : {0.0, 2.0}) CHECK(run(true, compute_time) == run(false, compute_time));
}

TEST_CASE("engine: up() and up_count() follow the agents") {
  OnOffStar net(4);
  net.options.observe_every = 1;
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  std::vector<AgentId> counts;
  engine.on_observation = [&] {
    counts.push_back(engine.up_count());
    CHECK(engine.up(0));
    CHECK(engine.up(3) == (engine.up_count() == 4));
  };
  engine.run();
  CHECK(counts == std::vector<AgentId>{4, 1, 1, 1, 4, 4, 1, 1, 1, 4, 4, 1});
}

TEST_CASE("engine: the hub goes down too if the law applies to it") {
  OnOffStar net(2);
  net.options.network.availability = OnOff{.up = 2.0, .down = 3.0, .hub = true};
  net.options.time_limit = 5;
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.run();
  CHECK(engine.log == Log{"2 down 0", "2 down 1", "5 up 0", "5 up 1"});
}

TEST_CASE(
    "engine: timers of an agent that is down wait for its return and fire in the order in which they were "
    "due") {
  OnOffStar net(3);
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.on_start = [&] {
    engine.after(1, 4, 1, 0);
    engine.after(1, 3, 2, 0);
    engine.after(1, 2, 3, 0);
    engine.after(1, 6, 4, 0);  // up
    engine.after(1, 8, 5, 0);
    engine.after(2, 9, 6, 0);
    engine.after(0, 4, 7, 0);  // the hub is up
  };
  engine.run();
  CHECK(engine.log == Log{"2 down 1", "2 down 2", "4 timer 0 #7", "5 up 1", "5 up 2", "5 timer 1 #3",
                          "5 timer 1 #2", "5 timer 1 #1", "6 timer 1 #4", "7 down 1", "7 down 2", "10 up 1",
                          "10 up 2", "10 timer 1 #5", "10 timer 2 #6", "12 down 1", "12 down 2"});
}

TEST_CASE("engine: any number of timers can wait, again and again, with their numbers") {
  OnOffStar net(4);
  net.options.time_limit = 52;
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.logging = false;
  std::vector<std::pair<Time, std::uint32_t>> fired, expected;
  // Agent i = 1 .. 3 goes down at 2 + 5k; then it sets 3 i timers that are due while it is down.
  engine.on_down = [&](AgentId i) {
    for (std::uint32_t n = 0; n < 3 * i; ++n) engine.after(i, 2.0 - 0.1 * n, 1, 100 * i + n);
  };
  engine.on_timer = [&](AgentId, std::uint16_t, std::uint32_t number) {
    fired.emplace_back(engine.now(), number);
  };
  engine.run();
  for (int k = 1; k <= 10; ++k) {
    for (std::uint32_t i = 1; i <= 3; ++i) {
      for (std::uint32_t n = 3 * i; n-- > 0;) expected.emplace_back(5.0 * k, 100 * i + n);
    }
  }
  CHECK(fired == expected);
}

TEST_CASE("engine: a message carries its payload, and its traffic is counted") {
  OnOffStar net(3);
  net.options.network.links.latency = 0.5;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  std::vector<double> numbers{1, 2, 3, 4, 5};
  int handled = 0;
  engine.on_start = [&] {
    engine.send(0, 2, 9, 77, numbers);
    numbers.assign(5, 0);  // it has been copied
    engine.send(0, 1, 8, 78, {});
  };
  engine.on_message = [&](const Message& m) {
    ++handled;
    CHECK(m.from == 0);
    CHECK(m.sent == 0);
    if (m.to == 2) {
      CHECK(m.tag == 9);
      CHECK(m.conversation == 77);
      CHECK(std::vector<double>(m.payload.begin(), m.payload.end()) == std::vector<double>{1, 2, 3, 4, 5});
      CHECK(m.id == order_key(Rank::kMessage, 0, 0));
    } else {
      CHECK(m.conversation == 78);
      CHECK(m.payload.empty());
      CHECK(m.id == order_key(Rank::kMessage, 0, 1));
    }
  };
  engine.run();
  CHECK(handled == 2);
  CHECK(engine.traffic().messages == 2);
  CHECK(engine.traffic().vectors == 2);  // 5 numbers: two vectors of 2 and a number beside them
  CHECK(engine.traffic().bytes == 64 + 5 * 8 + 64);
  CHECK(engine.traffic().delivered == 2);
  CHECK(engine.payload_rows() == 0);

  const auto& sent = net.trace.entries[1].record;
  CHECK(sent.kind == TraceKind::kSend);
  CHECK(sent.agent == 0);
  CHECK(sent.peer == 2);
  CHECK(sent.message == order_key(Rank::kMessage, 0, 0));
  CHECK(sent.cause == 0);
  CHECK(sent.bytes == 104);
  const auto& delivered = net.trace.entries[3].record;
  CHECK(delivered.kind == TraceKind::kDeliver);
  CHECK(delivered.agent == 2);
  CHECK(delivered.peer == 0);
  CHECK(delivered.message == sent.message);
  CHECK(delivered.staleness == 0.5);
}

TEST_CASE("engine: the trace names the event that caused a message") {
  OnOffStar net(2);
  net.options.network.links.latency = 0.5;
  net.options.clocks = ClockTrace{{0.25}, {1}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_tick = [&](AgentId) { engine.send(1, 0, 1, 0, {}); };
  engine.on_message = [&](const Message& m) {
    if (m.to == 0) engine.send(0, 1, 2, 0, {});
  };
  engine.run();
  std::vector<Cause> causes;
  for (const auto& e : net.trace.entries)
    if (e.record.kind == TraceKind::kSend) causes.push_back(e.record.cause);
  CHECK(causes == std::vector<Cause>{order_key(Rank::kTick, 1, 0), order_key(Rank::kMessage, 1, 0)});
}

TEST_CASE("engine: a message that its receiver discards counts as stale instead of delivered") {
  OnOffStar net(2);
  net.options.network.links.latency = 1.0;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_start = [&] {
    engine.send(0, 1, 1, 0, {});
    engine.send(0, 1, 2, 0, {});
  };
  engine.on_message = [&](const Message& m) {
    if (m.tag == 1) engine.discard(m);
  };
  engine.run();
  CHECK(engine.traffic().delivered == 1);
  CHECK(lost(engine, LossReason::kStale) == 1);
  CHECK(net.trace.count(TraceKind::kLose, "stale") == 1);
  CHECK(net.trace.count(TraceKind::kDeliver) == 2);
}

TEST_CASE("engine: misuse by a protocol throws") {
  OnOffStar net(3);
  const double numbers[6] = {};
  const auto misuse = [&](auto&& act) {
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.on_start = [&] { act(engine); };
    engine.run();
  };
  CHECK_NOTHROW(misuse([&](Engine& e) { e.send(0, 1, 0, 0, {numbers, 5}); }));
  CHECK_THROWS_AS(misuse([&](Engine& e) { e.send(0, 1, 0, 0, numbers); }), InvariantError);
  CHECK_THROWS_AS(misuse([&](Engine& e) { e.publish(0, numbers); }), InvariantError);
  CHECK_THROWS_AS(misuse([&](Engine& e) { e.send(1, 2, 0, 0, {}); }), InvariantError);
  CHECK_THROWS_AS(misuse([&](Engine& e) { e.send(1, 1, 0, 0, {}); }), InvariantError);
  CHECK_THROWS_AS(misuse([&](Engine& e) { e.after(1, -1e-9, 0, 0); }), InvariantError);
  CHECK_THROWS_AS(misuse([&](Engine& e) { e.after(1, kNever, 0, 0); }), InvariantError);
  net.options.observe_every = 0;
  CHECK_THROWS_AS(misuse([](Engine&) {}), InvariantError);
}
