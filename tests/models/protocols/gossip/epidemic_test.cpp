#include "models/protocols/gossip/epidemic.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/models/protocols/gossip/gossip_run.hpp"

using namespace hearsay;
using models::Epidemic;
using models::EpidemicSampling;
using namespace hearsay::test;

namespace {

Epidemic::Params with(Epidemic::Params params, EpidemicSampling sampling, std::uint32_t fan_out = 1) {
  params.sampling = sampling;
  params.fan_out = fan_out;
  return params;
}

// All agents tick at 1 s.
sim::ClockTrace one_round(sim::AgentId agents) {
  sim::ClockTrace trace;
  for (sim::AgentId i = 0; i < agents; ++i) {
    trace.times.push_back(1);
    trace.agents.push_back(i);
  }
  return trace;
}

}  // namespace

TEST_CASE("epidemic: train, send, average, by hand") {
  // Two agents swap 1/2 and 5.5 after training. With zero latency agent 1 hears before it ticks, and keeps the model.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  for (const auto sampling : {EpidemicSampling::kLocal, EpidemicSampling::kOracle}) {
    for (const double delay : {0.0, 0.25}) {
      CHECK(end_of<Epidemic>(fixture, with(quarter_step<Epidemic>(), sampling),
                             {{0, 8}, one_round(2), latency(delay)}) == Eigen::Vector2d(3, 3));
    }
  }
}

TEST_CASE("epidemic: another rule is applied at the next tick, to all that has come") {
  const auto fixture = test::targets({0, 0, 0}, sim::Complete{});
  Epidemic::Params params = with(mixing_only<Epidemic>(), EpidemicSampling::kLocal, 2);
  params.rule.aggregate = models::MedianRule{};
  sim::ClockTrace two = one_round(3);
  CHECK(end_of<Epidemic>(fixture, params, {{0, 1, 50}, two, latency(0.25)}) == Eigen::Vector3d(0, 1, 50));
  for (sim::AgentId i = 0; i < 3; ++i) {
    two.times.push_back(2);
    two.agents.push_back(i);
  }
  CHECK(end_of<Epidemic>(fixture, params, {{0, 1, 50}, two, latency(0.25)}) == Eigen::Vector3d(1, 1, 1));
}

TEST_CASE("epidemic: one round contracts as the theorem says, exactly in expectation") {
  const std::vector<double> start{0, 1, 5};
  const auto fixture = test::targets(start, sim::Complete{});
  const double before = 14;  // about the mean 2
  for (const double delay : {0.0, 0.25}) {
    const auto outcomes = [&](EpidemicSampling sampling, std::size_t count) {
      return test::equally_likely(count, [&](std::uint32_t repetition) {
        return end_of<Epidemic>(fixture, with(mixing_only<Epidemic>(), sampling),
                                {start, one_round(3), latency(delay)}, repetition);
      });
    };
    // Oracle: everyone sends to the next or to the one after it. (1 - 1/2)/2 = 1/4.
    double sum = 0;
    for (const Eigen::VectorXd& x : outcomes(EpidemicSampling::kOracle, 2)) {
      CHECK(x.mean() == Approx(2).epsilon(1e-15));
      sum += test::squared_distance(x, 2) / 2;
    }
    CHECK(sum == Approx(before / 4).epsilon(1e-13));
    // Local: 2^3 choices. 1 - (1/2)^3 - 1/2 = 3/8.
    double mean = 0;
    sum = 0;
    for (const Eigen::VectorXd& x : outcomes(EpidemicSampling::kLocal, 8)) {
      sum += test::squared_distance(x, 2) / 8;
      mean += x.mean() / 8;
    }
    CHECK(sum == Approx(before * 3 / 8).epsilon(1e-13));
    CHECK(mean == Approx(2).epsilon(1e-13));
  }
}

TEST_CASE("epidemic: the oracle's receivers are all sets of others, each in and out once") {
  // 5 agents, fan-out 2: 6 sets of shifts. (1 - 2/4)/3 = 1/6.
  const std::vector<double> start{0, 1, 3, 7, 19};
  const auto fixture = test::targets(start, sim::Complete{});
  double sum = 0;
  const auto outcomes = test::equally_likely(6, [&](std::uint32_t repetition) {
    return end_of<Epidemic>(fixture, with(mixing_only<Epidemic>(), EpidemicSampling::kOracle, 2),
                            {start, one_round(5), latency(0.25)}, repetition);
  });
  for (const Eigen::VectorXd& x : outcomes) {
    CHECK(x.sum() == Approx(30).epsilon(1e-14));
    sum += test::squared_distance(x, 6) / 6;
  }
  CHECK(sum == Approx((36 + 25 + 9 + 1 + 169) / 6.0).epsilon(1e-13));
}

TEST_CASE("epidemic: models that are early, late or missing, by hand") {
  // Latency 1/4 s. Agent 0 ticks at 1 and 2 s, agent 1 at 3 s: two early models, 0 and 0, are averaged with 8 after the
  // tick. Agent 1 has then joined round 2, so that its 8 is on time for agent 0.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto params = mixing_only<Epidemic>();
  std::vector<double> second;
  double late = 0;
  const auto look = [&](const models::World& world) {
    second.push_back(world.models(0, 1));
    late = world.tally.staleness_steps;
  };
  test::run_gossip<Epidemic>(fixture, params, {{0, 8}, ticks_of({0, 0, 1}), latency(0.25)}, look);
  REQUIRE(second.size() == 5);
  CHECK(second[2] == 8);
  CHECK(second[3] == Approx(8.0 / 3));
  CHECK(late == 0);
  CHECK(end_of<Epidemic>(fixture, params, {{0, 8}, ticks_of({0, 0, 1}), latency(0.25)})[0] == 4);
  // Latency 1.25 s, ticks of 0 at 1 and 3 s, of 1 at 2 s: the 8 of round 1 comes at 3.25 s, a round late.
  const sim::ClockTrace schedule{.times = {1, 2, 3}, .agents = {0, 1, 0}};
  test::run_gossip<Epidemic>(fixture, params, {{0, 8}, schedule, latency(1.25)}, look);
  CHECK(late == 1);
  // Agent 1 is down at 1.25 s: it misses the first model, has one early model and 8 at 3 s.
  CHECK(end_of<Epidemic>(
            fixture, params,
            {{0, 8}, ticks_of({0, 0, 1}), latency(0.25), {test::crash_between(1, 1.125, 1.5)}})[1] == 4);
  // It loses its early model in a crash.
  CHECK(end_of<Epidemic>(fixture, params,
                         {{0, 8},
                          ticks_of({0, 0, 1}),
                          latency(0.25),
                          {test::crash_between(1, 1.5, 1.75, sim::StateOnReturn::kReset)}})[1] == 4);
}

TEST_CASE("epidemic: options that do not fit the graph are refused") {
  const auto ring = test::targets({1, 2, 3, 4}, sim::Ring{});
  CHECK_THROWS_WITH(Epidemic(with({}, EpidemicSampling::kLocal, 4), ring.study()),
                    Catch::Contains("expected at most n - 1 = 3, found 4"));
  CHECK_THROWS_WITH(Epidemic(with({}, EpidemicSampling::kOracle), ring.study()),
                    Catch::Contains("complete with oracle"));
}

TEST_CASE("epidemic: agents that crash, compute and lose messages go on") {
  for (const auto sampling : {EpidemicSampling::kLocal, EpidemicSampling::kOracle}) {
    const auto params = with(quarter_step<Epidemic>(), sampling, 2);
    const auto run = test::in_hostile_network<Epidemic>(params, sim::Complete{});
    CHECK(run.worst <= 2);
    CHECK(run.updates > 2000);
  }
}
