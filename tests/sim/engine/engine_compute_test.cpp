// Computations that take time: values are read at the start, messages sent at the end, no event is handled in between.
#include <catch2/catch.hpp>

#include <map>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

// A handler computes for 2 s.
struct SlowRing : test::Net {
  SlowRing() : Net(Ring{}, 3) { options.network.compute_time = 2.0; }
};

}  // namespace

TEST_CASE(
    "compute: a handler's messages leave when its computation ends, with the values read at its start") {
  SlowRing net;
  net.options.network.links.latency = 0.5;
  net.options.clocks = ClockTrace{{1}, {0}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  double state = 7;
  std::vector<double> got;
  engine.on_tick = [&](AgentId i) {
    engine.compute(i);
    engine.send(i, 1, 5, 0, {&state, 1});
    engine.publish(i, {&state, 1});
    engine.after(i, 1, 9, 0);
    CHECK_FALSE(engine.busy(i));  // until the handler returns
    state = 8;
  };
  engine.on_message = [&](const Message& m) {
    CHECK(m.sent == 3);
    got.push_back(m.payload[0]);
    const Latest heard = engine.latest(1, 0);
    CHECK(heard.version == 0);  // the publication, sent after it, is one key behind
  };
  engine.on_timer = [&](AgentId, std::uint16_t, std::uint32_t) {
    CHECK_FALSE(engine.busy(0));
    const Latest heard = engine.latest(1, 0);
    CHECK(heard.version == 1);
    CHECK(heard.sent == 3);
    CHECK(heard.payload[0] == 7);
  };
  engine.run();
  CHECK(engine.log == Log{"1 tick 0", "3.5 message 0>1 #5", "4 timer 0 #9"});
  CHECK(got == std::vector<double>{7});
}

TEST_CASE(
    "compute: messages and timers of a busy agent are handled one after another, first come "
    "first") {
  // Agent 0 computes 2 s on each message. They arrive at 1 (from 2), 1.5 (from 1) and 2 (from 2): handled at
  // 1, 3 and 5. A timer due at 4 comes between what arrived before it and what did after.
  SlowRing net;
  net.options.clocks = ClockTrace{{1, 1.5, 2, 4.5}, {2, 1, 2, 1}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  std::uint16_t tag = 0;
  engine.on_start = [&] { engine.after(0, 4, 50, 0); };
  engine.on_tick = [&](AgentId i) { engine.send(i, 0, ++tag, 0, {}); };
  engine.on_message = [&](const Message& m) { engine.compute(m.to); };
  engine.run();
  CHECK(engine.log == Log{"1 tick 2", "1 message 2>0 #1", "1.5 tick 1", "2 tick 2", "3 message 1>0 #2",
                          "4.5 tick 1", "5 message 2>0 #3", "7 timer 0 #50", "7 message 1>0 #4"});
  CHECK(engine.traffic().delivered == 4);
  // #3 waits for two computations, and is received once.
  CHECK(net.trace.waits == std::vector<Time>{1.5, 2, 4.5});
  std::vector<Waits> waited;
  for (const auto& entry : net.trace.entries)
    if (entry.record.kind == TraceKind::kDeliver) waited.push_back(entry.record.waits);
  CHECK(waited == std::vector{Waits::kNo, Waits::kEnds, Waits::kEnds, Waits::kEnds});
}

TEST_CASE("compute: the trace says what began a computation, and what set a timer") {
  // Agent 0's tick at 1 sets a timer for 2 s; it computes for 2 s and sends then. Its timer of the start is due while it
  // computes, and waits.
  SlowRing net;
  net.options.clocks = ClockTrace{{1}, {0}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_start = [&] { engine.after(0, 3, 1, 0); };
  engine.on_tick = [&](AgentId i) { engine.after(i, 1, 2, 0); };
  engine.on_timer = [&](AgentId i, std::uint16_t tag, std::uint32_t) {
    if (tag != 2) return;
    engine.compute(i);
    engine.send(i, 1, 5, 0, {});
    engine.after(i, 1, 3, 0);
  };
  engine.run();
  // Timers of agent 0 in order: at the start (tag 1), of the tick (tag 2), the departure, of the timer (tag 3), the end.
  const auto timer = [](std::uint32_t n) { return order_key(Rank::kTimer, 0, n); };
  const Cause tick = order_key(Rank::kTick, 0, 0);
  std::map<TraceKind, std::vector<std::pair<Cause, Cause>>> seen;  // cause, origin
  for (const auto& entry : net.trace.entries)
    seen[entry.record.kind].emplace_back(entry.record.cause, entry.record.origin);
  CHECK(seen[TraceKind::kTick] == std::vector{std::pair(tick, Cause{0})});
  CHECK(seen[TraceKind::kTimer] ==
        std::vector{std::pair(timer(1), tick), std::pair(timer(0), Cause{0}), std::pair(timer(3), timer(1))});
  CHECK(seen[TraceKind::kSend] == std::vector{std::pair(timer(2), timer(1))});
  CHECK(seen[TraceKind::kComputed] == std::vector{std::pair(timer(4), timer(1))});
  CHECK(seen[TraceKind::kDeliver].front().second == 0);
}

TEST_CASE("compute: a busy agent's ticks are skipped, or deferred to one when it is done") {
  for (const Missed missed : {Missed::kSkip, Missed::kDefer}) {
    SlowRing net;
    ClockTrace ticks{{1, 1.5, 2, 3.5}, {0, 0, 0, 0}};
    ticks.missed = missed;
    net.options.clocks = ticks;
    test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
    engine.on_tick = [&](AgentId i) { engine.compute(i); };
    engine.run();
    // Deferred: the ticks of 1.5 and 2 are one at 3, which keeps the agent busy until 5; that of 3.5 is one
    // at 5.
    CHECK(engine.log == (missed == Missed::kSkip ? Log{"1 tick 0", "3.5 tick 0"}
                                                 : Log{"1 tick 0", "3 tick 0", "5 tick 0"}));
    CHECK(net.trace.count(TraceKind::kSkip, "busy") == (missed == Missed::kSkip ? 2 : 3));
  }
}

TEST_CASE("compute: two computations in one handler take the sum of their times") {
  SlowRing net;
  net.options.clocks = ClockTrace{{1}, {0}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.on_tick = [&](AgentId i) {
    engine.compute(i);
    engine.compute(i);
    engine.send(i, 1, 5, 0, {});
  };
  engine.run();
  CHECK(engine.log == Log{"1 tick 0", "5 message 0>1 #5"});
}

TEST_CASE("compute: an agent that is down when its computation ends loses its messages") {
  // All are up on [0, 2) and [5, 7), down on [2, 5): a computation begun at 1 ends at 3, one begun at 6 at 8.
  SlowRing net;
  net.options.clocks = ClockTrace{{1, 6}, {0, 0}};
  net.options.network.availability = OnOff{.up = 2.0, .down = 3.0};
  net.options.time_limit = 9;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  const double number = 1;
  engine.on_tick = [&](AgentId i) {
    engine.compute(i);
    engine.send(i, 1, 5, 0, {});
    engine.publish(i, {&number, 1});
  };
  engine.run();
  CHECK(engine.traffic().messages == 6);  // one message and two copies of the publication, twice
  CHECK(lost(engine, LossReason::kSenderDown) == 6);
  CHECK(net.trace.count(TraceKind::kLose, "sender_down") == 6);
  CHECK(engine.payload_rows() == 0);
}

TEST_CASE(
    "compute: computation n of an agent draws from (compute, agent), index n, per agent it is drawn once") {
  for (const ComputeDrawn drawn : {ComputeDrawn::kPerComputation, ComputeDrawn::kPerAgent}) {
    SlowRing net;
    net.options.network.compute_time = ComputeOptions(Uniform{0.5, 1}, drawn);
    net.options.clocks = ClockTrace{{1, 3, 3, 5}, {0, 0, 2, 0}};
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    std::map<AgentId, std::vector<Time>> took;
    engine.on_tick = [&](AgentId i) {
      engine.compute(i);
      engine.send(i, 1, 0, 0, {});
    };
    engine.on_message = [&](const Message& m) { took[m.from].push_back(engine.now()); };
    engine.run();
    const auto expected = [&](AgentId i, std::uint32_t n) {
      Stream s = drawn == ComputeDrawn::kPerAgent ? kStreams(Purpose::kPerAgent, i, 0, 3)
                                                  : kStreams(Purpose::kCompute, i, 0, n);
      return Uniform{0.5, 1}.sample(s);
    };
    CHECK(took[0] == std::vector<Time>{1 + expected(0, 0), 3 + expected(0, 1), 5 + expected(0, 2)});
    CHECK(took[2] == std::vector<Time>{3 + expected(2, 0)});
  }
}

TEST_CASE("compute: agents with times of their own, by a list or by their number, a hub has none in a list") {
  // One tick of each agent at 1 s; agent 0 is the hub.
  const auto times = [](const ComputeOptions& options) {
    const ComputeTime time(options, 4, 1, kStreams);
    return std::vector<Time>{time.of(0, 0), time.of(1, 0), time.of(2, 0), time.of(3, 0)};
  };
  CHECK(times(ValueList{{1, 2, 3}}) == std::vector<Time>{0, 1, 2, 3});
  CHECK(times(ByAgent{0.5, {{2, 4.0}}}) == std::vector<Time>{0, 0.5, 4, 0.5});
  CHECK(times(0.5) == std::vector<Time>{0.5, 0.5, 0.5, 0.5});
  // The draws of the agents that have the common law stay.
  const auto drawn = times(Uniform{1, 2}), others = times(ByAgent{Uniform{1, 2}, {{2, 4.0}}});
  CHECK(others == std::vector<Time>{0, drawn[1], 4, drawn[3]});
  CHECK_THROWS_WITH(times(ValueList{{1, 2, 3, 4}}), "expected a list of 3 numbers, found 4");
  CHECK_THROWS_WITH(times(ByAgent{0.5, {{0, 4.0}}}), "expected agents 1 to 3, found agent 0");
  CHECK(ComputeTime(ByAgent{0.0, {{2, 0.0}}}, 4, 1, kStreams).none());
  CHECK_FALSE(ComputeTime(ByAgent{0.0, {{2, 1.0}}}, 4, 1, kStreams).none());
}

TEST_CASE("compute: a computation without duration makes no event and changes nothing") {
  const auto run = [](ComputeOptions time) {
    SlowRing net;
    net.options.network.compute_time = time;
    net.options.clocks = Poisson{};
    net.options.network.links.latency = Uniform{0, 1};
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.on_tick = [&](AgentId i) {
      engine.compute(i);
      engine.send(i, (i + 1) % 3, 5, 0, {});
    };
    engine.run();
    return std::pair(engine.fingerprint().value(), engine.events());
  };
  CHECK(run(0.0) == run(Uniform{0, 0}));
  CHECK(run(0.0) != run(0.1));
}
