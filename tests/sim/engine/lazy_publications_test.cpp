// Publications without events give the same run as with them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

struct Outcome {
  End end = End::kIdle;
  Time time = 0;
  std::uint64_t fingerprint = 0;
  Traffic traffic;
  std::vector<double> heard;  // all that was ever read, in order
  bool lazy = false;
  std::size_t rows = 0;
  std::uint64_t events = 0;
  double latency_residual = 0;
};

// On its tick an agent reads all its neighbours, publishes a number, the 13th time one that is not finite, then reads again.
Outcome run(Engine::Options options, const Topology& graph, std::uint64_t ticks, bool lazily) {
  options.delivery = lazily ? Delivery::kLazy : Delivery::kByEvents;
  test::ScriptedEngine engine(options, graph, Streams(11, 0));
  engine.logging = false;
  Outcome out;
  std::uint64_t done = 0;
  const auto read = [&](AgentId i) {
    for (std::uint32_t k = 0; k < graph.degree(i); ++k) {
      const Latest heard = engine.latest(i, k);
      out.heard.push_back(heard.version == 0 ? -1 : heard.payload[0]);
      out.heard.push_back(heard.sent);
    }
  };
  engine.on_start = [&] {
    for (AgentId i = 0; i < graph.agents(); i += 2) {
      const double start = 1000.0 + i;
      engine.publish(i, {&start, 1});
    }
  };
  engine.on_tick = [&](AgentId i) {
    read(i);
    const double number =
        ++done % 13 == 0 ? std::numeric_limits<double>::infinity() : static_cast<double>(done) * 10 + i;
    engine.publish(i, {&number, 1});
    if (i % 3 == 0) {  // twice in one event
      const double again = -number;
      engine.publish(i, {&again, 1});
    }
    read(i);
    engine.done = done >= ticks;
  };
  engine.on_observation = [&] { read(0); };
  out.end = engine.run();
  out.time = engine.now();
  out.fingerprint = engine.fingerprint().value();
  out.traffic = engine.traffic();
  out.lazy = engine.lazy();
  out.events = engine.events();
  out.latency_residual = engine.latency_residual();
  out.rows = engine.payload_rows();
  return out;
}

Engine::Options options_of(const LatencyOptions& latency, const ClockOptions& clocks) {
  Engine::Options options;
  options.network.links.latency = latency;
  options.clocks = clocks;
  return options;
}

}  // namespace

TEST_CASE("lazy publications: readings, fingerprint, traffic and end equal those of a run with events") {
  const Topology graph = make_topology(RandomRegular{4}, 12, Streams(1, 0));
  std::uint64_t in_flight = 0;
  for (const LatencyOptions& latency :
       {LatencyOptions(0.0), LatencyOptions(1.0), LatencyOptions(0.7), LatencyOptions(Uniform{0, 0.015}),
        LatencyOptions(Uniform{0, 1}), LatencyOptions(Uniform{0.5, 4})}) {
    for (const ClockOptions& clocks :
         {ClockOptions(Poisson{}), ClockOptions(Periodic{}), ClockOptions(Poisson{.rate = 0.1})}) {
      for (const bool by_time : {false, true}) {
        Engine::Options options = options_of(latency, clocks);
        if (by_time) {
          options.time_limit = 50;
          options.observe_every = 0.5;
        }
        const Outcome events = run(options, graph, by_time ? 1'000'000 : 700, false);
        const Outcome lazy = run(options, graph, by_time ? 1'000'000 : 700, true);
        CHECK(!events.lazy);
        CHECK(lazy.lazy);
        CHECK(lazy.end == events.end);
        CHECK(lazy.time == events.time);
        CHECK(lazy.fingerprint == events.fingerprint);
        CHECK(lazy.events == events.events);
        CHECK(std::isnan(lazy.latency_residual) == latency.constant());
        if (!latency.constant()) CHECK(lazy.latency_residual == events.latency_residual);
        CHECK(lazy.heard == events.heard);
        CHECK(std::ranges::all_of(lazy.heard, [](double x) { return std::isfinite(x); }));
        const auto lost = [](const Outcome& o) {
          return o.traffic.lost[static_cast<int>(LossReason::kNotFinite)];
        };
        CHECK(lost(lazy) == lost(events));
        CHECK(lost(lazy) > 0);
        CHECK(lazy.traffic.messages == events.traffic.messages);
        CHECK(lazy.traffic.vectors == events.traffic.vectors);
        CHECK(lazy.traffic.bytes == events.traffic.bytes);
        CHECK(lazy.traffic.delivered == events.traffic.delivered);
        in_flight += lazy.traffic.in_flight();
      }
    }
  }
  CHECK(in_flight > 100);  // the count was put to the test
}

TEST_CASE("lazy publications: rows that can no longer be read are freed") {
  const Topology graph = make_topology(RandomRegular{4}, 12, Streams(1, 0));
  const Outcome lazy = run(options_of(Uniform{0, 0.015}, Poisson{}), graph, 5000, true);
  CHECK(lazy.lazy);
  // Of each agent the newest, the one before it and what was published with either in one event.
  CHECK(lazy.rows <= 4 * 12);
}

TEST_CASE("lazy publications: runs that need events have them") {
  const Topology graph = make_topology(Ring{}, 6, Streams(1, 0));
  const auto lazy = [&](auto&& change, TraceSink* trace = nullptr) {
    Engine::Options options = options_of(Uniform{0, 1}, Poisson{});
    options.delivery = Delivery::kLazy;
    change(options);
    return Engine(options, graph, Streams(1, 0), trace).lazy();
  };
  test::TraceLog trace;
  CHECK(lazy([](auto&) {}));
  CHECK(!lazy([](auto&) {}, &trace));
  CHECK(!lazy([](auto& o) { o.delivery = Delivery::kByEvents; }));
  CHECK(!lazy([](auto& o) { o.event_limit = 100; }));
  CHECK(!lazy([](auto& o) { o.network.links.loss = BernoulliLoss{0.1}; }));
  CHECK(!lazy([](auto& o) { o.network.links.latency = Exponential{0.01}; }));
  CHECK(!lazy([](auto& o) { o.network.links.latency = Uniform{0, 5}; }));  // five under way, in the mean
  CHECK(!lazy([](auto& o) { o.network.links.latency.drawn = Drawn::kPerLink; }));
  CHECK(!lazy([](auto& o) { o.network.links.order = PublicationOrder::kArrival; }));
  CHECK(!lazy([](auto& o) { o.clocks = ClockTrace{{1, 2}, {0, 1}}; }));
  CHECK(!lazy([](auto& o) { o.network.availability = OnOff{.up = Exponential{3}, .down = Exponential{3}}; }));
}

TEST_CASE("lazy publications: sending a message throws") {
  const Topology graph = make_topology(Ring{}, 6, Streams(1, 0));
  Engine::Options options = options_of(0.0, Poisson{});
  options.delivery = Delivery::kLazy;
  test::ScriptedEngine engine(options, graph, Streams(1, 0));
  engine.on_tick = [&](AgentId i) { engine.send(i, (i + 1) % 6, 0, 0, {}); };
  CHECK_THROWS_AS(engine.run(), InvariantError);
}
