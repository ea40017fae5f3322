// Publications that agents receive from their neighbours.
#include <catch2/catch.hpp>

#include <map>

#include "sim/random/random.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kStreams;

namespace {

std::uint32_t neighbour(const Topology& t, AgentId reader, AgentId of) {
  return static_cast<std::uint32_t>(t.edge(reader, of) - t.first_edge(reader));
}

}  // namespace

TEST_CASE("publish: neighbours read version, time and numbers once it has arrived, nothing before") {
  const Topology all = make_topology(Complete{}, 3, kStreams);
  Engine::Options options;
  options.payload_width = 2;
  options.network.links.latency = 1.0;
  options.clocks = ClockTrace{{0.5, 2}, {2, 2}};
  options.observe_every = 0.25;
  test::ScriptedEngine engine(options, all, kStreams);
  double value = 10;
  engine.on_start = [&] { CHECK(engine.latest(0, 1).version == 0); };  // before anybody has published
  engine.on_tick = [&](AgentId i) {
    const double numbers[2] = {value, -value};
    CHECK(engine.publish(i, numbers) == (value == 10 ? 1u : 2u));
    value += 10;
  };
  int looked = 0;
  engine.on_observation = [&] {
    for (const AgentId reader : {0u, 1u}) {
      const Latest heard = engine.latest(reader, neighbour(all, reader, 2));
      const std::uint32_t expected = engine.now() < 1.5 ? 0 : engine.now() < 3 ? 1 : 2;
      CHECK(heard.version == expected);
      ++looked;
      if (expected == 0) {
        CHECK(heard.payload.empty());
        continue;
      }
      CHECK(heard.sent == (expected == 1 ? 0.5 : 2));
      REQUIRE(heard.payload.size() == 2);
      CHECK(heard.payload[0] == 10 * expected);
      CHECK(heard.payload[1] == -10.0 * expected);
      CHECK(engine.latest(reader, neighbour(all, reader, 1 - reader)).version == 0);
    }
  };
  options.time_limit = 4;
  engine.run();
  CHECK(looked == 2 * 12);  // at 0.25 to 3, when everything has arrived and the run is idle
}

TEST_CASE(
    "publish: the newest of the publications that have arrived is read, whatever the order of arrival") {
  const Topology graph = make_topology(RandomRegular{4}, 20, kStreams);
  const Uniform latency{0, 5};
  const double loss = 0.2;
  Engine::Options options;
  options.network.links = {.latency = latency, .loss = BernoulliLoss{loss}};
  options.time_limit = 60;
  test::ScriptedEngine engine(options, graph, kStreams);
  engine.logging = false;
  std::map<std::pair<AgentId, AgentId>, std::vector<Time>> arrivals;  // [version - 1]
  std::size_t wrong = 0, late = 0, heard = 0;
  engine.on_tick = [&](AgentId i) {
    for (std::uint32_t k = 0; k < graph.degree(i); ++k) {
      const AgentId j = graph.neighbours(i)[k];
      const auto& all = arrivals[{j, i}];
      std::uint32_t newest = 0, last = 0;
      for (std::uint32_t v = 1; v <= all.size(); ++v) {
        if (all[v - 1] > engine.now()) continue;
        newest = v;
        if (last == 0 || all[v - 1] > all[last - 1]) last = v;
      }
      const Latest latest = engine.latest(i, k);
      wrong += latest.version != newest ? 1u : 0u;
      if (latest.version > 0) {
        ++heard;
        wrong += latest.payload[0] != 1000.0 * j + newest ? 1u : 0u;
      }
      late += newest != last ? 1u : 0u;
    }
    const AgentId any = graph.neighbours(i)[0];
    const double number = 1000.0 * i + static_cast<double>(arrivals[{i, any}].size() + 1);
    for (const AgentId j : graph.neighbours(i)) {
      auto& all = arrivals[{i, j}];
      const auto n = static_cast<std::uint32_t>(all.size());
      Stream fate = kStreams(Purpose::kLoss, i, j, n), draw = kStreams(Purpose::kLatency, i, j, n);
      all.push_back(uniform(fate) < loss ? kNever : engine.now() + latency.sample(draw));
    }
    engine.publish(i, {&number, 1});
  };
  engine.run();
  CHECK(wrong == 0);
  CHECK(heard > 1000);
  CHECK(late > 100);  // the last to arrive often was not the newest
}

TEST_CASE(
    "publish: a received publication stays when the publisher goes down, a reader that is down receives "
    "nothing") {
  const Topology star = make_topology(Star{}, 2, kStreams);
  Engine::Options options;
  options.hub = true;
  options.network.availability = OnOff{.up = 2.0, .down = 3.0};
  options.network.links.latency = 1.0;
  options.observe_every = 0.5;
  options.clocks = ClockTrace{{0.5}, {1}};
  options.time_limit = 6;
  test::ScriptedEngine engine(options, star, kStreams);
  const double one = 1, two = 2, three = 3;
  engine.on_start = [&] {
    engine.publish(0, {&one, 1});  // arrives at 1
    engine.after(0, 1.5, 1, 0);
    engine.after(0, 4.5, 2, 0);
  };
  engine.on_tick = [&](AgentId i) { engine.publish(i, {&three, 1}); };  // arrives at 1.5
  engine.on_timer = [&](AgentId, std::uint16_t tag, std::uint32_t) {
    engine.publish(0, {tag == 1 ? &two : &three, 1});  // arrive at 2.5 while 1 is down, and at 5.5
  };
  engine.on_observation = [&] {
    const Time t = engine.now();
    INFO(t);
    CHECK(engine.latest(0, 0).version == (t < 1.5 ? 0u : 1u));
    if (t >= 1.5) CHECK(engine.latest(0, 0).payload[0] == 3);
    CHECK(engine.latest(1, 0).version == (t < 1 ? 0u : t < 5.5 ? 1u : 3u));
  };
  engine.run();
  CHECK(engine.traffic().lost[static_cast<int>(LossReason::kReceiverDown)] == 1);
  CHECK(engine.log.back() == "6 observation");
}

TEST_CASE("publish: all neighbours share one row, which is freed with the last reference") {
  const Topology star = make_topology(Star{}, 6, kStreams);
  Engine::Options options;
  options.network.links.latency = Uniform{0.1, 1};
  options.clocks = ClockTrace{{1, 5, 5.05, 10}, {0, 0, 0, 0}};
  options.observe_every = 3;
  test::ScriptedEngine engine(options, star, kStreams);
  std::vector<std::size_t> published, observed;
  const double number = 1;
  engine.on_tick = [&](AgentId) {
    engine.publish(0, {&number, 1});
    published.push_back(engine.payload_rows());
  };
  engine.on_observation = [&] { observed.push_back(engine.payload_rows()); };
  CHECK(engine.run() == End::kIdle);
  CHECK(published == std::vector<std::size_t>{1, 2, 3, 2});
  CHECK(observed == std::vector<std::size_t>{1, 1, 1});  // the publication that all have received
  CHECK(engine.traffic().messages == 20);
  CHECK(engine.traffic().delivered == 20);
  CHECK(engine.payload_rows() == 1);
}

TEST_CASE("publish: a publication that is lost on every link, or without neighbours, keeps no row") {
  for (const AgentId agents : {1u, 4u}) {
    const Topology star = make_topology(Star{}, agents, kStreams);
    Engine::Options options;
    options.network.links.loss = BernoulliLoss{1};
    options.clocks = ClockTrace{{1}, {0}};
    test::ScriptedEngine engine(options, star, kStreams);
    const double number = 1;
    engine.on_tick = [&](AgentId) { CHECK(engine.publish(0, {&number, 1}) == 1); };
    engine.run();
    CHECK(engine.payload_rows() == 0);
    CHECK(engine.traffic().lost[static_cast<int>(LossReason::kLoss)] == agents - 1);
  }
}
