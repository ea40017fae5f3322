#include "models/protocols/gossip/push_sum.hpp"

#include <catch2/catch.hpp>

#include <boost/math/distributions/chi_squared.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/models/protocols/gossip/gossip_run.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using models::PushSum;
using namespace hearsay::test;

namespace {

double weight_held(const models::World& world) {
  double held = 0;
  world.probe->measure("held_weight", world, {&held, 1});
  return held;
}

double weight_at_end(const test::StudyFixture& fixture, const PushSum::Params& params,
                     test::GossipSetting setting, std::uint32_t repetition = 0) {
  double held = 0;
  test::run_gossip<PushSum>(
      fixture, params, std::move(setting), [&](const models::World& w) { held = weight_held(w); },
      repetition);
  return held;
}

}  // namespace

TEST_CASE("push_sum: two agents by hand") {
  // Tick of 0: (0, 1/2) each; agent 1 has (8, 3/2). Tick of 1: (4, 3/4) each; agent 0 has (4, 5/4).
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  std::vector<double> held;
  test::run_gossip<PushSum>(fixture, mixing_only<PushSum>(), {{0, 8}, ticks_of({0, 1}), latency(0.5)},
                            [&](const models::World& world) { held.push_back(weight_held(world)); });
  CHECK(held == std::vector<double>{2, 1.5, 1.25, 2});
  const Eigen::VectorXd end =
      end_of<PushSum>(fixture, mixing_only<PushSum>(), {{0, 8}, ticks_of({0, 1}), latency(0.5)});
  CHECK(end[0] == Approx(3.2));
  CHECK(end[1] == Approx(16.0 / 3));
}

TEST_CASE("push_sum: the update is made at the model x/w and added to x, by hand") {
  // Tick of 0 from 0: x = 1/2, halves (1/4, 1/2). Tick of 0 with z = 1/2: update 1/4, x = 1/2, z = 1; weighted by 1/2:
  // x = 3/8, z = 3/4.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  PushSum::Params params = quarter_step<PushSum>();
  CHECK(end_of<PushSum>(fixture, params, {{0, 8}, ticks_of({0, 0})})[0] == 1);
  params.weighted_update = true;
  CHECK(end_of<PushSum>(fixture, params, {{0, 8}, ticks_of({0, 0})})[0] == 0.75);
}

TEST_CASE("push_sum: in a box the model x/w is projected, whatever its weight, by hand") {
  // As above, but z = 1 is beyond the box.
  const auto fixture = test::targets_in_box(0.75, {1, 3}, sim::Ring{});
  CHECK(end_of<PushSum>(fixture, quarter_step<PushSum>(), {{0, 0.5}, ticks_of({0, 0})})[0] == 0.75);
  // A ratio of sums is a mean of ratios: nothing leaves the box in 20 000 ticks at random.
  const auto ring = test::targets_in_box(0.3, {10, -10, 10, -10, 1, 0}, sim::Ring{}, 20'000);
  PushSum::Params params;
  params.step = models::ConstantStep{0.01};
  double largest = 0;
  test::run_gossip<PushSum>(
      ring, params, {std::vector<double>(6), sim::Poisson{}, latency(0.2)},
      [&](const models::World& world) { largest = std::max(largest, world.models.cwiseAbs().maxCoeff()); });
  CHECK(largest == 0.3);
}

TEST_CASE("push_sum: an agent sends equal parts to fan_out neighbours, by hand") {
  const auto fixture = test::targets({0, 0, 0, 0}, sim::Complete{});
  PushSum::Params params = mixing_only<PushSum>();
  params.fan_out = 3;
  // Quarters of (8, 1) for everyone: the others have (x + 2)/(5/4).
  const Eigen::VectorXd end = end_of<PushSum>(fixture, params, {{8, 0, 3, 8}, ticks_of({0})});
  CHECK((end - Eigen::Vector4d(8, 1.6, 4, 8)).norm() < 1e-14);
}

TEST_CASE("push_sum: receivers are uniform among the sets of neighbours") {
  // 2 of 4 leaves: 6 sets.
  const auto fixture = test::targets(std::vector<double>(5), sim::Star{});
  PushSum::Params params = mixing_only<PushSum>();
  params.fan_out = 2;
  std::map<std::vector<double>, double> counts;
  constexpr int kDraws = 3000;
  for (std::uint32_t repetition = 0; repetition < kDraws; ++repetition) {
    const Eigen::VectorXd x = end_of<PushSum>(fixture, params, {{3, 0, 0, 0, 0}, ticks_of({0})}, repetition);
    ++counts[std::vector<double>(x.begin(), x.end())];
  }
  REQUIRE(counts.size() == 6);
  double chi_squared = 0;
  for (const auto& [set, count] : counts)
    chi_squared += (count - kDraws / 6.0) * (count - kDraws / 6.0) / (kDraws / 6.0);
  CHECK(chi_squared < quantile(complement(boost::math::chi_squared(5), test::kAlpha)));
}

TEST_CASE("push_sum: weights and sums are conserved without losses, and all models reach the mean") {
  const std::vector<double> start{0, 1, 3, 7, 20, -4};
  const auto fixture = test::targets(start, sim::Star{}, 5000);
  sim::ClockTrace schedule;
  for (std::size_t k = 0; k < 4000; ++k) {
    schedule.times.push_back(0.05 * static_cast<double>(k));
    schedule.agents.push_back(static_cast<sim::AgentId>(k % start.size()));
  }
  const sim::NetworkOptions late = latency(sim::Distribution(sim::Uniform{0, 2}));
  CHECK(weight_at_end(fixture, mixing_only<PushSum>(), {start, schedule, late}) == Approx(6).epsilon(1e-12));
  const Eigen::VectorXd end = end_of<PushSum>(fixture, mixing_only<PushSum>(), {start, schedule, late});
  CHECK((end.array() - 4.5).abs().maxCoeff() < 1e-9);
}

TEST_CASE("push_sum: a loss rate takes its part of the weight, exactly in expectation") {
  // Three ticks of 0, 1, 0 at a loss rate of 1/2. The expected weights are (1/2, 5/4), (13/16, 10/16), (26/64, 53/64).
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const auto expected = [&](const std::vector<sim::AgentId>& ticks) {
    std::map<std::vector<std::uint64_t>, double> held;  // by what has been lost after each tick
    for (std::uint32_t repetition = 0; repetition < 600; ++repetition) {
      std::vector<std::uint64_t> lost;
      double last = 0;
      test::run_gossip<PushSum>(
          fixture, mixing_only<PushSum>(), {{0, 8}, ticks_of(ticks), latency(0.25, 0.5)},
          [&](const models::World& world) {
            lost.push_back(world.engine.traffic().lost[static_cast<std::size_t>(sim::LossReason::kLoss)]);
            last = weight_held(world);
          },
          repetition);
      lost.resize(4);  // the last look, when what was sent has arrived, is one more or not
      held[lost] = last;
    }
    REQUIRE(held.size() == 8);  // missed with probability below 8 (7/8)^600 < 1e-33
    double sum = 0;
    for (const auto& [pattern, weight] : held) sum += weight;
    return sum / 8;
  };
  CHECK(expected({0, 1, 0}) == Approx(79.0 / 64).epsilon(1e-14));
  double all = 0;
  for (sim::AgentId code = 0; code < 8; ++code) all += expected({code & 1, code >> 1 & 1, code >> 2});
  CHECK(all / 8 == Approx(2 * std::pow(1 - 0.5 / 2 / 2, 3)).epsilon(1e-14));
}

TEST_CASE("push_sum: an agent that nobody hears keeps a finite model") {
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  PushSum::Params params = quarter_step<PushSum>();
  params.weighted_update = true;
  const std::vector<sim::AgentId> ticks(3000, 0);
  const Eigen::VectorXd end = end_of<PushSum>(fixture, params, {{0, 8}, ticks_of(ticks), latency(0.0, 1.0)});
  CHECK(end[0] == Approx(1));
  CHECK(end[1] == 8);
}

TEST_CASE("push_sum: agents that crash, compute and lose messages go on") {
  PushSum::Params params = quarter_step<PushSum>();
  params.weighted_update = true;
  const auto run = test::in_hostile_network<PushSum>(params, sim::Ring{});
  CHECK(run.worst <= 2 + 1e-12);
  CHECK(run.updates > 1000);
}
