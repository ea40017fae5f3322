// How a run ends, what is counted, and what its fingerprint depends on.
#include <catch2/catch.hpp>

#include <map>

#include "sim/random.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using Log = std::vector<std::string>;

namespace {

const Streams kStreams(1, 0);

Engine::Options five_ticks() {
  Engine::Options options;
  options.clocks = ClockTrace{{1, 2, 3, 4, 5}, {0, 1, 0, 1, 0}};
  return options;
}

// A run with everything in it: requests and answers, some of them discarded, publications, timers, churn,
// loss.
struct Busy {
  Engine::Options options;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  Time time = 100;
  std::vector<std::string> log;
  Traffic traffic;
  std::uint64_t events = 0;
  std::size_t rows = 0;
  std::uint64_t number_in_payload = 0;

  Busy() {
    options.network.links = {.latency = Exponential{0.7}, .loss = BernoulliLoss{0.15}};
    options.network.availability =
        OnOff{.up = Exponential{6}, .down = Uniform{0.5, 3}, .start = Start::kStationary};
  }

  std::uint64_t run(TraceSink* trace = nullptr) {
    const Streams streams(seed, repetition);
    const Topology graph = make_topology(RandomRegular{4}, 20, kStreams);
    options.time_limit = time;
    Engine engine(options, graph, streams, trace);
    tests::Script script(engine);
    script.tick = [&](AgentId i) {
      const double number = engine.now();
      engine.send(i, graph.neighbours(i)[engine.events() % 4], 1, 0, {&number, 1});
      engine.latest(i, 2);
      if (i % 3 == 0) engine.publish(i, {&number, 1});
      if (i % 5 == 0) engine.after(i, 1, 3, 0);
    };
    script.message = [&](const Message& m) {
      if (m.tag == 1) engine.send(m.to, m.from, 2, 0, {});
      if (m.tag == 2 && m.to % 4 == 0) engine.discard(m);
    };
    script.down = [&](AgentId i) { engine.send(i, graph.neighbours(i)[0], 2, 0, {}); };
    const End end = script.run();
    CHECK(end == End::kTime);
    log = script.log;
    traffic = engine.traffic();
    events = engine.events();
    rows = engine.payload_rows();
    return engine.fingerprint().value();
  }
};

}  // namespace

TEST_CASE("engine: a run is idle when nothing is left, whether or not it is observed") {
  const Topology pair = make_topology(Ring{}, 2, kStreams);
  for (const double every : {kNever, 2.5}) {
    Engine::Options options = five_ticks();
    options.observe_every = every;
    options.time_limit = 100;
    Engine engine(options, pair, kStreams);
    tests::Script script(engine);
    CHECK(script.run() == End::kIdle);
    CHECK(engine.now() == 5);
    CHECK(engine.events() == 5);
    CHECK(script.log.size() == (every < kNever ? 7u : 5u));  // 2.5 and 5: the last event is still seen
  }
}

TEST_CASE("engine: events at the time limit still happen, later ones do not") {
  const Topology pair = make_topology(Ring{}, 2, kStreams);
  for (const auto& [limit, ticks] : {std::pair{3.0, 3u}, {3.5, 3u}, {0.0, 0u}}) {
    Engine::Options options = five_ticks();
    options.time_limit = limit;
    Engine engine(options, pair, kStreams);
    tests::Script script(engine);
    CHECK(script.run() == End::kTime);
    CHECK(engine.now() == limit);
    CHECK(script.log.size() == ticks);
  }
}

TEST_CASE("engine: no more events happen than their limit, and observations do not count") {
  const Topology pair = make_topology(Ring{}, 2, kStreams);
  Engine::Options options = five_ticks();
  options.event_limit = 3;
  options.observe_every = 0.5;
  Engine engine(options, pair, kStreams);
  tests::Script script(engine);
  CHECK(script.run() == End::kEvents);
  CHECK(engine.now() == 3);
  CHECK(engine.events() == 3);
  CHECK(script.log == Log{"0.5 observation", "1 tick 0", "1 observation", "1.5 observation", "2 tick 1",
                          "2 observation", "2.5 observation", "3 tick 0"});
}

TEST_CASE("engine: a handler that is finished is told nothing more") {
  const Topology pair = make_topology(Ring{}, 2, kStreams);
  Engine engine(five_ticks(), pair, kStreams);
  tests::Script script(engine);
  script.tick = [&](AgentId i) { script.done = i == 1; };
  CHECK(script.run() == End::kFinished);
  CHECK(script.log == Log{"1 tick 0", "2 tick 1"});

  Engine other(five_ticks(), pair, kStreams);
  tests::Script at_start(other);
  at_start.start = [&] { at_start.done = true; };
  CHECK(at_start.run() == End::kFinished);
  CHECK(at_start.log.empty());
}

TEST_CASE("engine: the hub has no clock") {
  const Topology star = make_topology(Star{}, 3, kStreams);
  Engine::Options options;
  options.hub = true;
  options.time_limit = 20;
  Engine engine(options, star, kStreams);
  tests::Script script(engine);
  std::vector<int> ticks(3);
  script.tick = [&](AgentId i) { ++ticks[i]; };
  script.run();
  CHECK(ticks[0] == 0);
  CHECK(ticks[1] > 0);
  CHECK(ticks[2] > 0);
}

TEST_CASE("engine: every message has the fate that its streams and the receiver's state give it") {
  Busy busy;
  tests::TraceLog trace;
  busy.run(&trace);

  struct Fate {
    Time sent = 0, arrives = 0, settled = -1;
    AgentId to = 0;
    std::string how;  // "": under way
  };
  std::map<Cause, Fate> fates;
  std::map<std::pair<AgentId, AgentId>, std::uint32_t> transmitted;
  std::map<AgentId, bool> up;
  for (AgentId i = 0; i < 20; ++i) up[i] = true;
  std::size_t wrong = 0, stale = 0;
  for (const auto& [r, detail] : trace.entries) {
    if (r.kind == TraceKind::kUp || r.kind == TraceKind::kDown) up[r.agent] = r.kind == TraceKind::kUp;
    if (r.kind == TraceKind::kTick) wrong += up[r.agent] ? 0u : 1u;
    if (r.kind == TraceKind::kSkip) wrong += up[r.agent] ? 1u : 0u;
    if (r.kind == TraceKind::kSend || r.kind == TraceKind::kPublish) {
      Fate fate;
      fate.sent = r.time;
      fate.to = r.peer;
      if (!up[r.agent]) {
        fate.how = "sender_down";
      } else {
        const std::uint32_t n = transmitted[{r.agent, r.peer}]++;
        Stream loss = kStreams(Purpose::kLoss, r.agent, r.peer, n);
        Stream latency = kStreams(Purpose::kLatency, r.agent, r.peer, n);
        if (uniform(loss) < 0.15) fate.how = "loss";
        fate.arrives = r.time + exponential(latency, 0.7);
      }
      wrong += fates.emplace(r.message, fate).second ? 0u : 1u;  // no two with one name
    }
    if (r.kind != TraceKind::kDeliver && r.kind != TraceKind::kLose) continue;
    Fate& fate = fates.at(r.message);
    wrong += fate.to == r.agent && r.staleness == r.time - fate.sent ? 0u : 1u;
    if (detail == "stale") {
      ++stale;
      wrong += fate.how == "delivered" && fate.settled == r.time ? 0u : 1u;
      continue;
    }
    wrong += fate.settled < 0 ? 0u : 1u;  // only one fate
    fate.settled = r.time;
    if (fate.how.empty()) {
      fate.how = up[r.agent] ? "delivered" : "receiver_down";
      wrong += r.time == fate.arrives ? 0u : 1u;
    }
    wrong += fate.how == (r.kind == TraceKind::kDeliver ? "delivered" : detail) ? 0u : 1u;
  }
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [id, fate] : fates) {
    ++counts[fate.how];
    wrong += fate.how.empty() == (fate.settled < 0) ? 0u : 1u;
    if (fate.how.empty()) wrong += fate.arrives > busy.time ? 0u : 1u;
  }
  CHECK(wrong == 0);
  const auto lost = [&](LossReason reason) { return busy.traffic.lost[static_cast<int>(reason)]; };
  CHECK(counts["loss"] == lost(LossReason::kLoss));
  CHECK(counts["receiver_down"] == lost(LossReason::kReceiverDown));
  CHECK(counts["sender_down"] == lost(LossReason::kSenderDown));
  CHECK(stale == lost(LossReason::kStale));
  CHECK(counts["delivered"] == busy.traffic.delivered + stale);
  CHECK(fates.size() == busy.traffic.messages);
  for (const char* how : {"loss", "receiver_down", "sender_down", "delivered", ""}) CHECK(counts[how] > 0);
  CHECK(stale > 0);
}

TEST_CASE("engine: messages under way hold a row each, all others none") {
  Engine::Options options;
  options.network.links.latency = Exponential{1};
  options.time_limit = 50;
  const Topology graph = make_topology(RandomRegular{4}, 20, kStreams);
  Engine engine(options, graph, kStreams);
  tests::Script script(engine);
  std::uint64_t settled = 0;
  script.tick = [&](AgentId i) { engine.send(i, graph.neighbours(i)[0], 1, 0, {}); };
  script.message = [&](const Message& m) {
    ++settled;
    if (m.tag == 1) engine.send(m.to, m.from, 2, 0, {});
  };
  script.run();
  CHECK(engine.payload_rows() == engine.traffic().messages - settled);
  CHECK(engine.payload_rows() > 0);
}

TEST_CASE("fingerprint: the same run twice has the same, another seed, repetition or law another") {
  const std::uint64_t first = Busy().run();
  CHECK(Busy().run() == first);
  Busy seed, repetition, longer, loss;
  seed.seed = 2;
  CHECK(seed.run() != first);
  repetition.repetition = 1;
  CHECK(repetition.run() != first);
  longer.time = 101;
  CHECK(longer.run() != first);
  loss.options.network.links.loss = BernoulliLoss{0.16};
  CHECK(loss.run() != first);
}

TEST_CASE("fingerprint: observations and a trace change neither it nor the run") {
  Busy plain, observed, traced;
  const std::uint64_t first = plain.run();
  observed.options.observe_every = 0.37;
  CHECK(observed.run() == first);
  std::erase_if(observed.log, [](const std::string& line) { return line.ends_with(" observation"); });
  CHECK(observed.log == plain.log);
  CHECK(observed.events == plain.events);
  tests::TraceLog trace;
  CHECK(traced.run(&trace) == first);
  CHECK(traced.log == plain.log);
  CHECK(trace.entries.size() > plain.log.size());
}

TEST_CASE("fingerprint: every kind of event, reading and number counts") {
  const Topology pair = make_topology(Ring{}, 2, kStreams);
  const auto run = [&](auto&& act, ClockTrace ticks = {{1}, {0}}, AvailabilityOptions availability = {}) {
    Engine::Options options;
    options.clocks = std::move(ticks);
    options.network.availability = std::move(availability);
    options.network.links.latency = 1.0;
    options.time_limit = 10;
    Engine engine(options, pair, kStreams);
    tests::Script script(engine);
    script.tick = [&](AgentId) { act(engine); };
    script.run();
    return engine.fingerprint().value();
  };
  const double one = 1, two = 2, zero = 0, minus_zero = -0.0;
  std::vector<std::uint64_t> all{
      run([](Engine&) {}),
      run([](Engine&) {}, {{2}, {0}}),
      run([](Engine&) {}, {{1}, {1}}),
      run([](Engine&) {}, {{}, {}}),
      run([](Engine&) {}, {{1}, {0}}, OnOff{.up = 2.0, .down = 100.0}),
      run([](Engine&) {}, {{1}, {0}}, OnOff{.up = 2.0, .down = 3.0}),
      run([](Engine&) {}, {{1}, {0}}, OnOff{.up = 0.5, .down = 100.0}),
      run([](Engine& e) { e.send(0, 1, 0, 0, {}); }),
      run([](Engine& e) { e.after(0, 1, 0, 0); }),
      run([](Engine& e) { e.after(1, 1, 0, 0); }),
      run([](Engine& e) { e.latest(0, 0); }),
      run([](Engine& e) { e.latest(1, 0); }),
      run([&](Engine& e) {
        e.fingerprint({&one, 1});
      }),
      run([&](Engine& e) {
        e.fingerprint({&two, 1});
      }),
      run([&](Engine& e) {
        e.fingerprint({&zero, 1});
      }),
      run([&](Engine& e) {
        e.fingerprint({&minus_zero, 1});
      }),
  };
  const std::size_t count = all.size();
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  CHECK(all.size() == count);
}

TEST_CASE("fingerprint: of publications only the number that is read counts, not how they arrive") {
  const Topology pair = make_topology(Ring{}, 2, kStreams);
  const auto run = [&](int publications, bool read) {
    Engine::Options options;
    options.clocks = ClockTrace{{1, 3}, {0, 1}};
    options.network.links.latency = 1.0;
    Engine engine(options, pair, kStreams);
    tests::Script script(engine);
    const double number = 1;
    script.tick = [&](AgentId i) {
      for (int k = 0; i == 0 && k < publications; ++k) engine.publish(0, {&number, 1});
      if (i == 1 && read) CHECK(engine.latest(1, 0).version == static_cast<std::uint32_t>(publications));
    };
    script.run();
    return engine.fingerprint().value();
  };
  CHECK(run(1, true) != run(2, true));
  CHECK(run(0, true) != run(1, true));
  CHECK(run(1, false) == run(2, false));
}
