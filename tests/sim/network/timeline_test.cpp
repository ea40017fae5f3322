// Events of a timeline, worked by hand: switched laws, crashes, partitions, joins and leaves.
#include <catch2/catch.hpp>

#include <map>
#include <sstream>

#include "sim/engine/unreachable.hpp"
#include "sim/network/network.hpp"
#include "sim/state/archive.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

struct Eventful : test::Net {
  explicit Eventful(std::vector<TimelineEvent> events, AgentId agents = 3, NetworkOptions network = {})
      : Net(Complete{}, agents) {
    options.network = std::move(network);
    options.timeline = unfold(events, options.network, agents, options.time_limit);
  }

  // Agent 0 sends to agent 1 at each of these times, with the tags 1, 2, ...; the log of the run, without timers.
  Log send_at(const std::vector<Time>& times, std::size_t numbers = 0) {
    options.payload_width = 4;
    test::ScriptedEngine engine(options, topology, kStreams, &trace);
    const double payload[4] = {};
    engine.on_start = [&] {
      for (std::size_t k = 0; k < times.size(); ++k)
        engine.after(0, times[k], static_cast<std::uint16_t>(k + 1), 0);
    };
    engine.on_timer = [&](AgentId, std::uint16_t tag, std::uint32_t) {
      engine.log.pop_back();
      engine.send(0, 1, tag, 0, std::span(payload).first(numbers));
    };
    engine.run();
    to_come = engine.events_to_come();
    traffic = engine.traffic();
    return engine.log;
  }

  std::vector<std::string> to_come;
  Traffic traffic;
};

SetEvent set_at(Time at, LawChanges changes) {
  return {.at = at, .changes = std::move(changes)};
}

// "NUMBER/KEY: message".
std::string refusal_of(const std::vector<TimelineEvent>& events) {
  NetworkOptions network;
  return test::error_at<OptionError>([&] { unfold(events, network, 4, 60); });
}

}  // namespace

TEST_CASE("timeline: a latency holds for messages sent from its time on") {
  // 1 s, from 10 s on 5 s: those sent at 8 and 9.5 arrive after 1 s, those at 10 and 12 after 5 s.
  NetworkOptions network;
  network.links.latency = 1.0;
  Eventful net({set_at(10, {.latency = 5.0})}, 3, network);
  CHECK(net.send_at({8, 9.5, 10, 12}) ==
        Log{"9 message 0>1 #1", "10.5 message 0>1 #2", "15 message 0>1 #3", "17 message 0>1 #4"});
  REQUIRE(net.trace.count(TraceKind::kEvent, "set network.latency") == 1);
  for (const auto& [r, detail] : net.trace.entries) {
    if (r.kind == TraceKind::kEvent) CHECK((r.time == 10 && r.agent == kNoAgent));
  }
}

TEST_CASE("timeline: after a switch the n-th message of an edge has the n-th draw of the new law") {
  // A uniform law on [0, 2) is twice that on [0, 1) for the same draw, and doubling is exact.
  const auto delays = [](std::vector<TimelineEvent> events) {
    NetworkOptions network;
    network.links.latency = Uniform{0, 1};
    Eventful net(std::move(events), 3, network);
    std::vector<Time> times;
    for (int k = 0; k < 8; ++k) times.push_back(8.0 * k);
    net.send_at(times);
    std::vector<double> all;
    for (const auto& [r, detail] : net.trace.entries) {
      if (r.kind == TraceKind::kDeliver) all.push_back(r.staleness);
    }
    return all;
  };
  const auto before = delays({}), after = delays({set_at(32, {.latency = Uniform{0, 2}})});
  REQUIRE(before.size() == 8);
  REQUIRE(after.size() == 8);
  for (std::size_t k = 0; k < 8; ++k) CHECK(after[k] == Approx(before[k] * (k < 4 ? 1 : 2)).epsilon(1e-12));
  CHECK(after == delays({set_at(32, {.latency = Uniform{0, 2}})}));
}

TEST_CASE("timeline: a partition cuts agents off for its time, whatever law of loss is set meanwhile") {
  // Sent at 4: arrives. At 5, 6 and 7.5: lost in the partition [5, 8). At 8: arrives. At 11: lost by the new law.
  Eventful net({set_at(11, {.loss = BernoulliLoss{1}}), PartitionEvent{.at = 5, .agents = {1}, .lasting = 3},
                set_at(6, {.loss = BernoulliLoss{0}})});
  CHECK(net.send_at({4, 5, 6, 7.5, 8, 11}) == Log{"4 message 0>1 #1", "8 message 0>1 #5"});
  CHECK(net.trace.count(TraceKind::kLose, "partition") == 3);
  CHECK(net.trace.count(TraceKind::kLose, "loss") == 1);
  CHECK(net.trace.count(TraceKind::kEvent, "partition 1 for 3 s") == 1);
  CHECK(net.trace.count(TraceKind::kEvent, "partition 1 ends") == 1);
}

TEST_CASE("timeline: a channel that is set finds each edge in its stationary law") {
  // With p = 1/2 and q = 0 the stationary state is bad: every message is lost, the first one of an edge too. From
  // a good state each of the 30 would arrive with probability 1/2.
  const GilbertElliott bad{.p_good_to_bad = 0.5, .p_bad_to_good = 0, .loss_good = 0, .loss_bad = 1};
  Eventful net({set_at(10, {.loss = bad})}, 31);
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.on_start = [&] {
    engine.after(0, 5, 0, 0);
    engine.after(0, 15, 0, 0);
  };
  engine.on_timer = [&](AgentId, std::uint16_t, std::uint32_t) {
    for (AgentId i = 1; i < 31; ++i) engine.send(0, i, 0, 0, {});
  };
  engine.run();
  CHECK(engine.traffic().delivered == 30);
  CHECK(test::lost(engine, LossReason::kLoss) == 30);
}

TEST_CASE(
    "timeline: transfers keep their times when the bandwidth changes, and later ones have the new rate") {
  // 20 B a message. At 10 B/s those of 0 leave at 2, 4 and 6; that of 1 leaves 1 s after these, at 20 B/s.
  NetworkOptions network;
  network.links.header = 4;
  network.links.bytes_per_number = 4;
  network.links.bandwidth = UpDownBandwidth{.uplink = 10.0, .downlink = 1e300};
  const auto rate = [](double uplink) { return LawChanges{.bandwidth = UpDownBandwidth{uplink, 1e300}}; };
  CHECK(Eventful({set_at(1, rate(20))}, 3, network).send_at({0, 0, 0, 1}, 4) ==
        Log{"2 message 0>1 #1", "4 message 0>1 #2", "6 message 0>1 #3", "7 message 0>1 #4"});
  // Unlimited from 1 s on: the last message waits for the others, then takes no time.
  const LawChanges unlimited{.bandwidth = UnlimitedBandwidth{}};
  CHECK(Eventful({set_at(1, unlimited)}, 3, network).send_at({0, 0, 1, 9}, 4) ==
        Log{"2 message 0>1 #1", "4 message 0>1 #2", "4 message 0>1 #3", "9 message 0>1 #4"});
  network.links.bandwidth = UnlimitedBandwidth{};
  CHECK(Eventful({set_at(1, rate(10))}, 3, network).send_at({0.5, 1, 1}, 4) ==
        Log{"0.5 message 0>1 #1", "3 message 0>1 #2", "5 message 0>1 #3"});
}

TEST_CASE("timeline: crashes lose the state or keep it, those that overlap are one") {
  Eventful net({CrashEvent{.at = 7, .agents = {1, 2}, .lasting = 4},
                CrashEvent{.at = 5, .agents = {1}, .lasting = 3},
                CrashEvent{.at = 20, .agents = {2}, .lasting = 1, .state_on_return = StateOnReturn::kKeep},
                CrashEvent{.at = 30, .agents = {0}}});
  CHECK(net.send_at({}) == Log{"5 down 1", "7 down 2", "11 reset 1", "11 up 1", "11 reset 2", "11 up 2",
                               "20 down 2", "21 up 2", "30 down 0"});
  CHECK(net.trace.count(TraceKind::kReset) == 2);
  // An event is in the trace before the changes of state at its time.
  std::vector<std::string> rows;
  for (const auto& [r, detail] : net.trace.entries) {
    if (r.kind == TraceKind::kEvent) rows.push_back(fmt::format("{} {}", r.time, detail));
    if (r.kind == TraceKind::kDown) rows.push_back(fmt::format("{} down {}", r.time, r.agent));
  }
  CHECK(rows == Log{"5 crash 1 for 3 s", "5 down 1", "7 crash 1, 2 for 4 s", "7 down 2", "20 crash 2 for 1 s",
                    "20 down 2", "30 crash 0", "30 down 0"});
  CHECK(net.trace.count(TraceKind::kEvent, "crash 1, 2 for 4 s") == 1);
}

TEST_CASE("timeline: agents join, leave and return with the state that they left with") {
  Eventful net({JoinEvent{.at = 4, .agents = {1}}, LeaveEvent{.at = 9, .agents = {1, 2}},
                JoinEvent{.at = 12, .agents = {1}, .name = "second shift"}});
  CHECK(net.send_at({3, 5, 10, 13}) ==
        Log{"4 up 1", "5 message 0>1 #2", "9 down 1", "9 down 2", "12 up 1", "13 message 0>1 #4"});
  CHECK(net.trace.count(TraceKind::kEvent, "second shift") == 1);
  CHECK(net.traffic.lost[static_cast<int>(LossReason::kReceiverDown)] == 2);
}

TEST_CASE(
    "timeline: who leaves and joins at one time is there all the time, whatever the order in the file") {
  const JoinEvent join{.at = 4, .agents = {1}};
  const LeaveEvent leave{.at = 4, .agents = {1}};
  for (const std::vector<TimelineEvent>& both : {std::vector<TimelineEvent>{join, leave}, {leave, join}})
    CHECK(Eventful(both).send_at({3, 5}) == Log{"3 message 0>1 #1", "5 message 0>1 #2"});
}

TEST_CASE("timeline: outages of an agent that overlap or touch are one") {
  // [1, 3), [3, 4) and [2, 3.5) are [1, 4).
  Eventful net({});
  net.options.network.availability =
      Outages{{{{1}, 1, 3}, {{1}, 3, 4}, {{1}, 2, 3.5}, {{0}, 0, 2}, {{2}, 50, {}}}};
  CHECK(net.send_at({}) == Log{"1 down 1", "2 up 0", "4 up 1", "50 down 2"});
}

TEST_CASE("timeline: one agent becomes slow") {
  // From 10 s on agent 1's computations take 2 s: its message leaves then. Agent 2's take no time.
  ByAgent slow{0.0, {{1, 2.0}}};
  Eventful net({set_at(10, {.compute_time = ComputeOptions(slow)})});
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_start = [&] {
    for (const Time at : {9.0, 10.0}) {
      for (const AgentId i : {1u, 2u}) engine.after(i, at, 0, 0);
    }
  };
  engine.on_timer = [&](AgentId i, std::uint16_t, std::uint32_t) {
    engine.log.pop_back();
    engine.compute(i);
    engine.send(i, 0, static_cast<std::uint16_t>(i), 0, {});
  };
  engine.run();
  CHECK(engine.log == Log{"9 message 1>0 #1", "9 message 2>0 #2", "10 message 2>0 #2", "12 message 1>0 #1"});
  // Agent 2 computes for 0 s.
  std::map<AgentId, std::vector<Time>> begin, end;
  for (const auto& [r, detail] : net.trace.entries) {
    if (r.kind == TraceKind::kCompute) begin[r.agent].push_back(r.time);
    if (r.kind == TraceKind::kComputed) end[r.agent].push_back(r.time);
  }
  CHECK(begin[1] == std::vector<Time>{10});
  CHECK(end[1] == std::vector<Time>{12});
}

TEST_CASE("timeline: events that do not happen are listed, and publications travel as events") {
  Eventful net({set_at(10, {.latency = 1.0}), CrashEvent{.at = 20, .agents = {1}, .name = "storm"}});
  net.options.time_limit = 15;
  net.send_at({1});
  CHECK(net.to_come == std::vector<std::string>{"storm at 20 s"});
  Engine::Options options;
  options.delivery = Delivery::kLazy;
  options.network.links.latency = Uniform{0, 0.1};
  CHECK(Engine(options, net.topology, kStreams).lazy());
  options.timeline = unfold({set_at(1, {.latency = 1.0})}, options.network, 3, 100);
  CHECK_FALSE(Engine(options, net.topology, kStreams).lazy());
}

TEST_CASE("timeline: laws that are set at 0 s hold for what is sent and computed at the start") {
  // Sent at 0, and after a computation of 2 s.
  NetworkOptions network;
  network.links.latency = 1.0;
  Eventful net({set_at(0, {.latency = 3.0, .compute_time = ComputeOptions(2.0)})}, 3, network);
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_start = [&] {
    engine.send(0, 1, 1, 0, {});
    engine.compute(2);
    engine.send(2, 1, 2, 0, {});
  };
  engine.run();
  CHECK(engine.log == Log{"3 message 0>1 #1", "5 message 2>1 #2"});
  CHECK(engine.events_to_come().empty());
  REQUIRE(net.trace.entries.size() > 2);
  CHECK(net.trace.entries[0].record.kind == TraceKind::kStart);
  CHECK(net.trace.entries[1].detail == "set network.latency, network.compute_time");
  CHECK(net.trace.entries[1].record.time == 0);
}

TEST_CASE("timeline: a branch that parts at 0 s goes on from what its past has sent") {
  // Sent at the start over links of the past: arrives at 1. Sent at 2: 1 s on the uplink, 2 s on the link, 1 s on
  // the downlink, as the branch says. Its laws have a state that those of the past have not.
  NetworkOptions network;
  network.links.latency = 1.0;
  const GilbertElliott lossless{.p_good_to_bad = 0.1, .p_bad_to_good = 0.5, .loss_good = 0, .loss_bad = 0};
  const LawChanges changes{.latency = 2.0, .loss = lossless, .bandwidth = EqualBandwidth{64.0}};
  Eventful past({}, 2, network), branch({set_at(0, changes)}, 2, network);
  std::stringstream state(std::ios::in | std::ios::out | std::ios::binary);
  for (const Eventful* net : {&past, &branch}) {
    test::ScriptedEngine engine(net->options, net->topology, kStreams);
    engine.on_start = [&] {
      engine.send(0, 1, 1, 0, {});
      engine.after(0, 2, 2, 0);
    };
    engine.on_timer = [&](AgentId, std::uint16_t tag, std::uint32_t) { engine.send(0, 1, tag, 0, {}); };
    engine.pause_after(0);
    REQUIRE(engine.run() == End::kPaused);
    if (net == &past) {
      cereal::BinaryOutputArchive out(state);
      engine.save(out);
      continue;
    }
    cereal::BinaryInputArchive in(state);
    engine.load(in);
    engine.branch(0);
    engine.pause_after(kNever);
    engine.run();
    CHECK(engine.log == Log{"1 message 0>1 #1", "2 timer 0 #2", "6 message 0>1 #2"});
  }
}

TEST_CASE("timeline: a network that a later law makes usable is not refused") {
  Engine::Options options;
  options.time_limit = 100;
  options.network.links.loss = BernoulliLoss{1};
  CHECK(why_unreachable(options, test::kPair, kStreams));
  options.timeline = unfold({set_at(10, {.loss = BernoulliLoss{0}})}, options.network, 2, 100);
  CHECK_FALSE(why_unreachable(options, test::kPair, kStreams));
  options.network.links = {};
  options.timeline = unfold({LeaveEvent{.at = 0, .agents = {1}}}, options.network, 2, 100);
  CHECK(why_unreachable(options, test::kPair, kStreams));
}

TEST_CASE("timeline: what does not fit the run is refused with the number of its event") {
  CHECK(refusal_of({JoinEvent{.at = 1, .agents = {1}}, CrashEvent{.at = 2, .agents = {0, 4}}}) ==
        "1/crash: expected agents 0 to 3, found agent 4");
  CHECK(refusal_of({PartitionEvent{.at = 1, .agents = {3, 0, 2}}}) == "accepted");
  CHECK(refusal_of({PartitionEvent{.at = 1, .agents = {3, 0, 2, 0}}}) ==
        "0/partition: agent 0 is named twice: remove one");
  CHECK(refusal_of({PartitionEvent{.at = 1, .agents = {3, 0, 2, 1}}}) ==
        "0/partition: expected some of the agents, found all: agents that are cut off together still reach "
        "each "
        "other");
  CHECK(refusal_of({CrashEvent{.at = 60, .agents = {1}}}) ==
        "0/at: expected a time before the end of the run (60 s), found 60 s");
  CHECK(refusal_of({JoinEvent{.at = 9, .agents = {1}}, JoinEvent{.at = 5, .agents = {1}}}) ==
        "0/join: agent 1 joins at 9 s, but it is there since 5 s");
  CHECK(refusal_of({LeaveEvent{.at = 5, .agents = {1}}, LeaveEvent{.at = 9, .agents = {1}}}) ==
        "1/leave: agent 1 leaves at 9 s, but it is away since 5 s");
  CHECK(refusal_of({set_at(5, {.latency = 1.0}),
                    set_at(5, {.loss = BernoulliLoss{}, .bandwidth = UnlimitedBandwidth{}}),
                    set_at(5, {.latency = 2.0})}) ==
        "2/set: network.latency is set twice at 5 s; give one event for each time");
}
