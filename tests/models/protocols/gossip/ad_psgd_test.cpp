#include "models/protocols/gossip/ad_psgd.hpp"

#include <catch2/catch.hpp>

#include <Eigen/LU>

#include "tests/models/protocols/gossip/gossip_run.hpp"

using namespace hearsay;
using models::AdPsgd;
using namespace hearsay::test;

namespace {

double refused(const models::World& world) {
  double count = 0;
  world.probe->measure("refused_exchanges", world, {&count, 1});
  return count;
}

}  // namespace

TEST_CASE("ad_psgd: both agents move to their mean, and the update is that of the model before") {
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  CHECK(end_of<AdPsgd>(fixture, mixing_only<AdPsgd>(), {{0, 8}, ticks_of({0})}) == Eigen::Vector2d(4, 4));
  // At 0 the update is 1/2, at the mean it would be -3/2.
  CHECK(end_of<AdPsgd>(fixture, quarter_step<AdPsgd>(), {{0, 8}, ticks_of({0})}) == Eigen::Vector2d(4.5, 4));
  // Agent 1 then proposes 4: the mean 4.25, and its update at 4 is -1/2.
  CHECK(end_of<AdPsgd>(fixture, quarter_step<AdPsgd>(), {{0, 8}, ticks_of({0, 1})}) ==
        Eigen::Vector2d(4.25, 3.75));
}

TEST_CASE("ad_psgd: in a box the sum of mean and update is projected, by hand") {
  // The mean is 0 and the update at 1/2 is 1/4. Until the answer comes the model is Pi[3/4] = 1/2.
  const auto fixture = test::targets_in_box(0.5, {1, -1}, sim::Ring{});
  for (const double seconds : {0.0, 1.0}) {
    std::vector<Eigen::Vector2d> seen;
    test::run_gossip<AdPsgd>(
        fixture, quarter_step<AdPsgd>(), {{0.5, -0.5}, ticks_of({0}), latency(seconds)},
        [&](const models::World& world) { seen.emplace_back(world.models.row(0).transpose()); });
    CHECK(seen.back() == Eigen::Vector2d(0.25, 0));
    for (const Eigen::Vector2d& models : seen) CHECK(models.cwiseAbs().maxCoeff() <= 0.5);
  }
}

TEST_CASE(
    "ad_psgd: with clipping an exchange moves both by at most half of tau, and to their mean when near") {
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  auto params = mixing_only<AdPsgd>();
  params.rule.aggregate = models::CenteredClippingRule{.tau = 2};
  const auto end = [&](const std::vector<sim::AgentId>& ticks) {
    return end_of<AdPsgd>(fixture, params, {{0, 8}, ticks_of(ticks)});
  };
  CHECK(end({0}) == Eigen::Vector2d(1, 7));
  CHECK(end({0, 1, 1}) == Eigen::Vector2d(3, 5));
  CHECK(end({0, 1, 1, 0}) == Eigen::Vector2d(4, 4));
  CHECK(end({0, 1, 1, 0, 0}) == Eigen::Vector2d(4, 4));
}

TEST_CASE("ad_psgd: an exchange on a complete graph contracts by exactly 1 - 1/(n-1) in expectation") {
  constexpr std::size_t kAgents = 5;
  const std::vector<double> start{0, 1, 3, 7, 20};
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(start.data(), kAgents);
  const auto fixture = test::targets(start, sim::Complete{});
  double sum = 0;
  for (sim::AgentId i = 0; i < kAgents; ++i) {
    const auto outcomes = test::equally_likely(kAgents - 1, [&](std::uint32_t repetition) {
      return end_of<AdPsgd>(fixture, mixing_only<AdPsgd>(), {start, ticks_of({i})}, repetition);
    });
    for (const Eigen::VectorXd& y : outcomes) {
      CHECK(y.mean() == Approx(x.mean()).epsilon(1e-14));
      sum += test::disagreement(y);
    }
  }
  CHECK(sum / (kAgents * (kAgents - 1)) == Approx(test::disagreement(x) * 0.75).epsilon(1e-13));
}

TEST_CASE("ad_psgd: agents that have proposals in flight refuse, by hand") {
  // Latency 1 s. The proposals of 1 s and 1.5 s cross: both are refused, until 3 s and 3.5 s. That of 5 s is answered.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const sim::ClockTrace schedule{.times = {1, 1.5, 5}, .agents = {0, 1, 0}};
  std::vector<std::pair<double, Eigen::Vector2d>> seen;
  test::run_gossip<AdPsgd>(fixture, mixing_only<AdPsgd>(), {{0, 8}, schedule, latency(1.0)},
                           [&](const models::World& world) {
                             seen.emplace_back(refused(world), world.models.row(0).transpose());
                           });
  REQUIRE(seen.size() == 5);
  CHECK(seen[3] == std::pair(2.0, Eigen::Vector2d(0, 8)));
  CHECK(seen[4] == std::pair(2.0, Eigen::Vector2d(4, 4)));
}

TEST_CASE("ad_psgd: a tick of an agent that waits makes its local update alone, by hand") {
  // Latency 1 s: agent 0 proposes 0 at 1 s and goes to 1/2, at 2 s to 3/4; d = 4 comes at 3 s. Agent 1 has 4 since 2 s.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const sim::ClockTrace schedule{.times = {1, 2}, .agents = {0, 0}};
  double staleness = 0;
  test::run_gossip<AdPsgd>(fixture, quarter_step<AdPsgd>(), {{0, 8}, schedule, latency(1.0)},
                           [&](const models::World& world) { staleness = world.tally.staleness_steps; });
  CHECK(end_of<AdPsgd>(fixture, quarter_step<AdPsgd>(), {{0, 8}, schedule, latency(1.0)}) ==
        Eigen::Vector2d(4.75, 4));
  CHECK(staleness == 1);  // of d; messages arrive before a tick at the same time, so of the proposal 0
}

TEST_CASE("ad_psgd: a tick without an update makes no model stale") {
  // As above, with no local update at all.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  const sim::ClockTrace schedule{.times = {1, 2}, .agents = {0, 0}};
  double staleness = -1;
  test::run_gossip<AdPsgd>(fixture, mixing_only<AdPsgd>(), {{0, 8}, schedule, latency(1.0)},
                           [&](const models::World& world) { staleness = world.tally.staleness_steps; });
  CHECK(staleness == 0);
}

TEST_CASE("ad_psgd: what a lost answer, a timeout and a crash do, by hand") {
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  AdPsgd::Params params = mixing_only<AdPsgd>();
  params.timeout = 3;
  const sim::ClockTrace once{.times = {1}, .agents = {0}}, again{.times = {1, 3.5, 6}, .agents = {0, 0, 0}};
  // d = 4 is lost at 3 s, as agent 0 is down: only agent 1 has moved. At 3.5 s agent 0 still waits; at 6 s it exchanges.
  CHECK(end_of<AdPsgd>(fixture, params, {{0, 8}, once, latency(1.0), {test::crash_between(0, 2.5, 3.25)}}) ==
        Eigen::Vector2d(0, 4));
  CHECK(end_of<AdPsgd>(fixture, params, {{0, 8}, again, latency(1.0), {test::crash_between(0, 2.5, 3.25)}}) ==
        Eigen::Vector2d(2, 2));
  // A timeout of 1.5 s, at 2.5 s: the next proposal leaves at 2.75 s with x = 0 and meets x_1 = 4. d = 4 of the first
  // comes at 3 s, d = 2 of the second at 4.75 s: the sum is 8 again.
  params.timeout = 1.5;
  const sim::ClockTrace twice{.times = {1, 2.75}, .agents = {0, 0}};
  CHECK(end_of<AdPsgd>(fixture, params, {{0, 8}, twice, latency(1.0)}) == Eigen::Vector2d(6, 2));
  // A crash between proposal and answer: agent 0 has its start again, and the answer is discarded.
  std::uint64_t discarded = 0;
  Eigen::Vector2d end;
  test::run_gossip<AdPsgd>(
      fixture, params,
      {{0, 8}, once, latency(1.0), {test::crash_between(0, 1.25, 1.75, sim::StateOnReturn::kReset)}},
      [&](const models::World& world) {
        discarded = test::stale(world);
        end = world.models.row(0).transpose();
      });
  CHECK(end == Eigen::Vector2d(0, 4));
  CHECK(discarded == 1);
}

TEST_CASE("ad_psgd: without losses the sum of the models is conserved, timeouts or not") {
  const std::vector<double> start{0, 1, 3, 7, 20, -4};
  const auto fixture = test::targets(start, sim::Ring{}, 4000);
  // 4000 ticks in 200 s, then silence, so that all answers arrive.
  sim::ClockTrace schedule;
  for (std::size_t k = 0; k < 3999; ++k) {
    schedule.times.push_back(0.05 * static_cast<double>(k));
    schedule.agents.push_back(static_cast<sim::AgentId>(k * k % start.size()));
  }
  AdPsgd::Params params = mixing_only<AdPsgd>();
  for (const double timeout : {1.0, 5.0}) {
    params.timeout = timeout;
    const Eigen::VectorXd end =
        end_of<AdPsgd>(fixture, params, {start, schedule, latency(sim::Distribution(sim::Uniform{0, 2}))});
    CHECK(end.sum() == Approx(27).epsilon(1e-11));
    CHECK(test::disagreement(end) < 1e-3);
  }
}

TEST_CASE("ad_psgd: two agents that tick in turn end in the cycle of the linear system") {
  // Tick of 0: x_0 <- m + (1 - x_0)/2, x_1 <- m = (x_0 + x_1)/2; then of 1 with y = 3.
  const auto fixture = test::targets({1, 3}, sim::Ring{});
  std::vector<sim::AgentId> turns;
  for (int k = 0; k < 200; ++k) turns.insert(turns.end(), {0, 1});
  Eigen::Matrix2d first, second;
  first << 0, 0.5, 0.5, 0.5;
  second << 0.5, 0.5, 0.5, 0;
  const Eigen::Vector2d b = second * Eigen::Vector2d(0.5, 0) + Eigen::Vector2d(0, 1.5);
  const Eigen::Vector2d fixed = (Eigen::Matrix2d::Identity() - second * first).partialPivLu().solve(b);
  const Eigen::VectorXd end = end_of<AdPsgd>(fixture, quarter_step<AdPsgd>(), {{0, 0}, ticks_of(turns)});
  CHECK((end - fixed).norm() < 1e-12);
}

TEST_CASE("ad_psgd: an exhausted budget ends the updates, not the exchanges") {
  models::PrivacyOptions privacy = test::laplace(4, 1);
  privacy.steps = models::Steps(2.0);
  const test::StudyFixture fixture(test::one_record_each({1, 3}), test::ridge(0), privacy, 100, sim::Ring{},
                                   false);
  std::vector<double> noise, spent;
  std::vector<Eigen::Vector2d> models;
  test::run_gossip<AdPsgd>(fixture, quarter_step<AdPsgd>(), {{0, 8}, ticks_of({0, 0, 0, 1})},
                           [&](const models::World& world) {
                             noise.push_back(world.tally.noise);
                             spent.push_back(world.ledger.account(0).spent().epsilon);
                             models.emplace_back(world.models.row(0).transpose());
                           });
  REQUIRE(noise.size() == 6);
  CHECK(noise[1] > 0);
  CHECK(noise[2] > noise[1]);
  CHECK(noise[3] == noise[2]);
  CHECK(spent[3] == Approx(4));
  CHECK(noise[4] > noise[3]);           // agent 1 has its own budget
  CHECK(models[3][0] != models[2][0]);  // the exchange of the second tick
}

TEST_CASE("ad_psgd: agents that crash, compute and lose messages go on exchanging") {
  AdPsgd::Params params = quarter_step<AdPsgd>();
  params.timeout = 4;
  const auto run = test::in_hostile_network<AdPsgd>(params, sim::Ring{});
  REQUIRE(run.delivered.size() >= 3001);
  CHECK(run.delivered[3000] > run.delivered[2900] + 20);
  CHECK(run.finite);
}
