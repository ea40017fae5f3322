// Agents that lose their state, messages that wait for their receiver, ticks that wait for their agent. In all of these
// the agents are up on [0, 2), down on [2, 5), up on [5, 7), down on [7, 10),
// ...
#include <catch2/catch.hpp>

#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

// A hub and its neighbours, by default up for 2 s and down for 3 s in turn.
struct CrashingStar : test::Net {
  explicit CrashingStar(AgentId agents, AvailabilityOptions availability = OnOff{.up = 2.0, .down = 3.0})
      : Net(Star{}, agents, true) {
    options.network.availability = std::move(availability);
    options.time_limit = 11.5;
  }
};

}  // namespace

TEST_CASE(
    "in flight: held messages are delivered when the receiver is up, in the order in which they arrived") {
  // To agent 1: #2 arrives at 2.5 and #1 at 4, both wait until 5; #3 arrives at 6.
  CrashingStar net(3);
  net.options.network.in_flight = InFlight::kHeld;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_start = [&] {
    engine.after(0, 4, 1, 0);
    engine.after(0, 2.5, 2, 0);
    engine.after(0, 6, 3, 0);
  };
  engine.on_timer = [&](AgentId, std::uint16_t tag, std::uint32_t) { engine.send(0, 1, tag, 0, {}); };
  engine.on_message = [&](const Message& m) { CHECK(m.sent == (m.tag == 1 ? 4 : m.tag == 2 ? 2.5 : 6)); };
  engine.run();
  CHECK(engine.log == Log{"2 down 1", "2 down 2", "2.5 timer 0 #2", "4 timer 0 #1", "5 up 1", "5 up 2",
                          "5 message 0>1 #2", "5 message 0>1 #1", "6 timer 0 #3", "6 message 0>1 #3",
                          "7 down 1", "7 down 2", "10 up 1", "10 up 2"});
  CHECK(engine.traffic().delivered == 3);
  CHECK(net.trace.count(TraceKind::kLose) == 0);
  CHECK(net.trace.waits == std::vector<Time>{5, 5});  // who is down has received nothing
}

TEST_CASE(
    "in flight: a held publication is read from the reader's return on, and one that waits at the end is not "
    "lost") {
  CrashingStar net(2);
  net.options.network.in_flight = InFlight::kHeld;
  net.options.network.links.latency = 3.0;
  net.options.observe_every = 0.5;
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.logging = false;
  const double number = 4;
  engine.on_start = [&] {
    engine.publish(0, {&number, 1});
    engine.after(0, 5.5, 0, 0);  // arrives at 8.5, waits until 10
    engine.after(0, 11, 0, 0);   // under way at the end
  };
  engine.on_timer = [&](AgentId, std::uint16_t, std::uint32_t) { engine.publish(0, {&number, 1}); };
  engine.on_observation = [&] {
    CHECK(engine.latest(1, 0).version == (engine.now() < 5 ? 0u : engine.now() < 10 ? 1u : 2u));
  };
  engine.run();
  CHECK(engine.traffic().delivered == 2);
  CHECK(engine.payload_rows() == 2);  // the last received by agent 1, and the one in flight
}

namespace {

// The neighbour, agent 1, needs time to compute, and is down once; messages take 0.5 s.
struct BusyAndDown : test::Net {
  BusyAndDown(Time computing, Time down, Time up) : Net(Ring{}, 2) {
    options.network.links.latency = 0.5;
    options.network.compute_time = ByAgent{0.0, {{1, computing}}};
    options.network.availability = Outages{{{{1}, down, up}}};
    options.network.in_flight = InFlight::kHeld;
  }
  // Times at which messages and publications were delivered.
  std::vector<Time> delivered() const {
    std::vector<Time> times;
    for (const auto& [r, detail] : trace.entries)
      if (r.kind == TraceKind::kDeliver) times.push_back(r.time);
    return times;
  }
};

}  // namespace

TEST_CASE("in flight: held publications arrive when their reader returns, also if it computes") {
  // Published at 2, waits from 2.5 to 5; published at 6, arrives at 6.5. Agent 1 computes until 10, or from 5 on,
  // when it handles a message that was sent at 2 too.
  const bool busy_before = GENERATE(true, false);
  for (const PublicationOrder order :
       {PublicationOrder::kNewest, PublicationOrder::kArrival, PublicationOrder::kFifo}) {
    BusyAndDown net(9, 2, 5);
    net.options.network.links.order = order;
    net.options.clocks = ClockTrace{{1, 2, 6}, {1, 0, 0}};
    test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
    const double number = 4;
    engine.on_tick = [&](AgentId i) {
      if (i == 1 && busy_before) engine.compute(i);
      if (i == 1) return;
      if (engine.now() == 2 && !busy_before) engine.send(0, 1, 1, 0, {});
      engine.publish(0, {&number, 1});
    };
    engine.on_message = [&](const Message& m) { engine.compute(m.to); };
    engine.run();
    CHECK(net.delivered() == (busy_before ? std::vector<Time>{5, 6.5} : std::vector<Time>{5, 5, 6.5}));
    CHECK(engine.latest(1, 0).version == 2);
    CHECK(engine.payload_rows() == 1);
  }
}

TEST_CASE("in flight: held messages use the downlink from the receiver's return on, also if it computes") {
  // 72 B at 72 B/s. Agent 1 computes from 1.5 to 11.5. What is sent at 3.5 waits at the downlink from 4 to 6, has
  // been received at 7, and is handled at 11.5 for 10 s. What is sent at 6 is there at 6.5, has been received at 8,
  // and is handled at 21.5.
  BusyAndDown net(10, 3, 6);
  net.options.network.links.bandwidth = UpDownBandwidth{.uplink = 1e300, .downlink = 72.0};
  net.options.clocks = ClockTrace{{1.5, 3.5, 6}, {1, 0, 0}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  const double number = 4;
  std::uint16_t tag = 0;
  engine.on_tick = [&](AgentId i) { i == 1 ? engine.compute(i) : engine.send(0, 1, ++tag, 0, {&number, 1}); };
  engine.on_message = [&](const Message& m) { engine.compute(m.to); };
  engine.run();
  CHECK(engine.log == Log{"1.5 tick 1", "3 down 1", "3.5 tick 0", "6 up 1", "6 tick 0", "11.5 message 0>1 #1",
                          "21.5 message 0>1 #2"});
}

TEST_CASE(
    "crash: messages that wait for a busy agent are lost with its state, unless the network holds them") {
  // Agent 1 computes 5 s on each message. Those of 1, 1.5 and 2 arrive at 1.5, 2 and 2.5, that of 10 at 10.5.
  for (const InFlight in_flight : {InFlight::kLost, InFlight::kHeld}) {
    BusyAndDown net(5, 3, 4);
    net.options.network.availability = Outages{{{{1}, 3, 4}}, StateOnReturn::kReset};
    net.options.network.in_flight = in_flight;
    net.options.clocks = ClockTrace{{1, 1.5, 2, 10}, {0, 0, 0, 0}};
    test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
    std::uint16_t tag = 0;
    engine.on_tick = [&](AgentId) { engine.send(0, 1, ++tag, 0, {}); };
    engine.on_message = [&](const Message& m) { engine.compute(m.to); };
    engine.run();
    const bool held = in_flight == InFlight::kHeld;
    CHECK(net.delivered() == (held ? std::vector<Time>{1.5, 4, 9, 14} : std::vector<Time>{1.5, 10.5}));
    CHECK(lost(engine, LossReason::kReceiverDown) == (held ? 0 : 2));
    CHECK(net.trace.count(TraceKind::kLose, "receiver_down") == (held ? 0 : 2));
    for (const auto& [r, detail] : net.trace.entries)
      if (r.kind == TraceKind::kLose) CHECK(r.time == 4);
    CHECK(engine.payload_rows() == 0);
  }
}

TEST_CASE("crash: an agent is reset before it comes up, its received values and timers are lost") {
  CrashingStar net(2, Crash{.up = 2.0, .down = 3.0});
  net.options.observe_every = 0.5;
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  const double number = 4;
  engine.on_start = [&] {
    engine.publish(0, {&number, 1});
    engine.after(1, 1, 1, 0);    // fires
    engine.after(1, 3, 2, 0);    // due while it is down: gone
    engine.after(1, 5.5, 3, 0);  // due in its next life: gone
    engine.after(0, 5.5, 4, 0);  // another agent's
  };
  engine.on_up = [&](AgentId i) { engine.after(i, 0.5, 5, 0); };  // of this life
  std::vector<std::uint32_t> heard;
  engine.on_observation = [&] { heard.push_back(engine.latest(1, 0).version); };
  engine.run();
  Log events;
  for (const auto& line : engine.log) {
    if (line.find("observation") == line.npos) events.push_back(line);
  }
  CHECK(events == Log{"1 timer 1 #1", "2 down 1", "5 reset 1", "5 up 1", "5.5 timer 0 #4", "5.5 timer 1 #5",
                      "7 down 1", "10 reset 1", "10 up 1", "10.5 timer 1 #5"});
  // At 0.5, 1, ... to 4.5 what was published at the start, from 5 on nothing.
  REQUIRE(heard.size() > 9);
  for (std::size_t k = 0; k < heard.size(); ++k) CHECK(heard[k] == (k < 9 ? 1u : 0u));
}

TEST_CASE("crash: kept state is as with on_off, event by event") {
  const auto run = [](AvailabilityOptions law) {
    CrashingStar net(3, std::move(law));
    net.options.clocks = Poisson{2.0};
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.on_tick = [&](AgentId i) {
      engine.send(i, 0, 1, 0, {});
      engine.after(i, 1, 1, 0);
    };
    engine.run();
    return engine.log;
  };
  const auto on_off = run(OnOff{.up = Exponential{2}, .down = Exponential{1}});
  CHECK(run(Crash{.up = Exponential{2}, .down = Exponential{1}, .state_on_return = StateOnReturn::kKeep}) ==
        on_off);
  CHECK(run(Crash{.up = Exponential{2}, .down = Exponential{1}}) != on_off);
}

TEST_CASE("crash: a computation interrupted by a crash sends nothing, and leaves the agent free") {
  // Agent 1 ticks at 1.5 and would compute until 4.5; it ticks again at 5.5 and would compute until 8.5. It
  // is down on [2, 5) and [7, 10), or on [1.75, 2.75), [4.5, 5.5) and [7.25, 8.25): back before its
  // computations end.
  CrashingStar net(2, Crash{.up = 2.0, .down = 3.0});
  net.options.network.compute_time = 3.0;
  net.options.clocks = ClockTrace{{1.5, 5.5}, {1, 1}};
  for (const Time up : {2.0, 1.75}) {
    net.options.network.availability = Crash{.up = up, .down = up == 2.0 ? 3.0 : 1.0};
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.on_tick = [&](AgentId i) {
      CHECK_FALSE(engine.busy(i));
      engine.compute(i);
      engine.send(i, 0, 1, 0, {});
    };
    engine.run();
    CHECK(engine.traffic().delivered == 0);
    CHECK(engine.payload_rows() == 0);
  }
}

TEST_CASE("clocks: deferred ticks are one tick on return, with the number of the last that was missed") {
  CrashingStar net(2);
  ClockTrace ticks{{1, 2.5, 3, 4, 5.5, 8}, {1, 1, 1, 1, 1, 1}};
  ticks.missed = Missed::kDefer;
  net.options.clocks = ticks;
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.run();
  CHECK(engine.log ==
        Log{"1 tick 1", "2 down 1", "5 up 1", "5 tick 1", "5.5 tick 1", "7 down 1", "10 up 1", "10 tick 1"});
  std::vector<Cause> ticked;
  for (const auto& [r, detail] : net.trace.entries) {
    if (r.kind == TraceKind::kTick) ticked.push_back(r.cause);
  }
  const auto key = [](std::uint32_t n) { return order_key(Rank::kTick, 1, n); };
  CHECK(ticked == std::vector<Cause>{key(0), key(3), key(4), key(5)});
  CHECK(net.trace.count(TraceKind::kTick, "deferred") == 2);
}

TEST_CASE("clocks: a tick that was missed in a crash with loss of state is deferred as any other") {
  ClockTrace ticks{{1, 2.5, 3, 8}, {1, 1, 1, 1}};
  ticks.missed = Missed::kDefer;
  Engine::Options options;
  options.clocks = ticks;
  options.network.availability = Outages{{{{1}, 2, 5}}, StateOnReturn::kReset};
  test::ScriptedEngine engine(options, kPair, kStreams);
  engine.run();
  CHECK(engine.log == Log{"1 tick 1", "2 down 1", "5 reset 1", "5 up 1", "5 tick 1", "8 tick 1"});
}

TEST_CASE("availability: under several laws an agent is up when it is up in all of them") {
  // on [0, 2), [5, 7), [10, 12) by the first law; on [1, 6) by the second, which begins and ends once.
  CrashingStar net(2, AllOf{{OnOff{.up = 2.0, .down = 3.0}, JoinLeave{.join = 1.0, .leave = 6.0}}});
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_start = [&] {
    CHECK_FALSE(engine.up(1));
    CHECK(engine.up_count() == 1);
  };
  engine.run();
  CHECK(engine.log == Log{"1 up 1", "2 down 1", "5 up 1", "6 down 1"});
  CHECK(net.trace.count(TraceKind::kUp) == 2);
  CHECK(net.trace.count(TraceKind::kDown) == 3);  // the first at the start
}

TEST_CASE("availability: the agents of a group change state together, others not at all") {
  CrashingStar net(
      5, GroupFailures{.groups = {{"a", {1, 3}}, {"b", {2}}}, .up = Exponential{2}, .down = Exponential{1}});
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.run();
  std::vector<std::pair<Time, TraceKind>> of[5];
  for (const auto& [r, detail] : net.trace.entries) {
    if (r.kind == TraceKind::kUp || r.kind == TraceKind::kDown) of[r.agent].emplace_back(r.time, r.kind);
  }
  CHECK(of[0].empty());
  CHECK(of[4].empty());
  CHECK(of[1].size() > 2);
  CHECK(of[1] == of[3]);
  CHECK(of[1] != of[2]);
}
