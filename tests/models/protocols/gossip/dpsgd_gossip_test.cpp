#include "models/protocols/gossip/dpsgd_gossip.hpp"

#include <catch2/catch.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/models/protocols/gossip/gossip_run.hpp"

using namespace hearsay;
using models::DpsgdGossip;
using models::MixingWeights;
using namespace hearsay::test;

namespace {

constexpr std::size_t kRandom = 8;  // agents of the random graph

test::StudyFixture on_random_graph(std::uint64_t rounds) {
  std::vector<double> y;
  for (std::size_t i = 0; i < kRandom; ++i) y.push_back(static_cast<double>(i * i) / 8);
  return test::targets(y, sim::BarabasiAlbert{.links = 1}, rounds * kRandom);
}

// W from the definition, row by row.
Eigen::MatrixXd mixing_matrix(const sim::Topology& graph, MixingWeights weights) {
  const Eigen::Index n = graph.agents();
  std::uint32_t largest = 0;
  for (sim::AgentId i = 0; i < n; ++i) largest = std::max(largest, graph.degree(i));
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n, n);
  for (sim::AgentId i = 0; i < n; ++i) {
    for (const sim::AgentId j : graph.neighbours(i)) {
      const std::uint32_t d = std::max(graph.degree(i), graph.degree(j));
      w(i, j) = 1.0 / (1 + (weights == MixingWeights::kMetropolis ? d : largest));
    }
    w(i, i) = 1 - w.row(i).sum();
  }
  return w;
}

std::vector<double> numbers(const Eigen::VectorXd& x) {
  return {x.begin(), x.end()};
}

}  // namespace

TEST_CASE("dpsgd_gossip: a round on a star, by hand") {
  // All weights are 1/4: the hub takes the mean, a leaf keeps 3/4 of its model. Updates (y - x)/2 at the models before.
  const auto fixture = test::targets({2, 2, 2, 2}, sim::Star{}, 4);
  const std::vector<double> start{0, 4, 8, 16};
  for (const auto mixing : {MixingWeights::kMetropolis, MixingWeights::kUniform}) {
    DpsgdGossip::Params params = mixing_only<DpsgdGossip>();
    params.mixing = mixing;
    CHECK(end_of<DpsgdGossip>(fixture, params, {start, {}, latency(0.1)}) == Eigen::Vector4d(7, 3, 6, 12));
    params = quarter_step<DpsgdGossip>();
    params.mixing = mixing;
    CHECK(end_of<DpsgdGossip>(fixture, params, {start, {}, latency(0.1)}) == Eigen::Vector4d(8, 2, 3, 5));
  }
}

TEST_CASE("dpsgd_gossip: in a box the sum of average and update is projected, by hand") {
  // W is 1/2 everywhere: averages of (x, -x) are 0, and x' = Pi[(1 - x)/2]. Of two local steps the first ends in the box, at 1/2.
  DpsgdGossip::Params params = quarter_step<DpsgdGossip>();
  const auto end = [&](std::uint64_t rounds, double start) {
    const auto two = test::targets_in_box(0.5, {1, -1}, sim::Ring{}, 2 * rounds);
    return end_of<DpsgdGossip>(two, params, {{start, -start}, {}, latency(0.1)});
  };
  CHECK(end(1, 0.5) == Eigen::Vector2d(0.25, -0.25));
  CHECK(end(2, 0.5) == Eigen::Vector2d(0.375, -0.375));
  params.local_steps = 2;
  CHECK(end(1, 0.5) == Eigen::Vector2d(0.25, -0.25));
  // On a ring of four W (x, -x, x, -x) is -1/3 of it: x' = Pi[-x/3 + (10 - x)/5], which is 0.3 from anywhere in the box. The step
  // is short enough for rounds without a box; an update that ends in the box makes them -4 x/3 + 0.3.
  params = {};
  params.step = models::ConstantStep{0.1};
  for (const std::uint64_t rounds : {1, 2, 30}) {
    const auto four = test::targets_in_box(0.3, {10, -10, 10, -10}, sim::Ring{}, 4 * rounds);
    CHECK(end_of<DpsgdGossip>(four, params, {{0, 0, 0, 0}, {}, latency(0.1)}) ==
          Eigen::Vector4d(0.3, -0.3, 0.3, -0.3));
  }
}

TEST_CASE("dpsgd_gossip: the median of an agent and its neighbours, by hand") {
  // Then the update (y - x)/2 at the model before.
  const auto fixture = test::targets({2, 2, 2}, sim::Complete{}, 3);
  DpsgdGossip::Params params = quarter_step<DpsgdGossip>();
  params.rule.aggregate = models::MedianRule{};
  CHECK(end_of<DpsgdGossip>(fixture, params, {{0, 4, 50}, {}, latency(0.1)}) ==
        Eigen::Vector3d(4 + 1, 4 - 1, 4 - 24));
}

TEST_CASE("dpsgd_gossip: rounds multiply by a doubly stochastic matrix, whatever the latency") {
  constexpr int kRounds = 12;
  for (const auto mixing : {MixingWeights::kMetropolis, MixingWeights::kUniform}) {
    const auto fixture = on_random_graph(kRounds);
    const Eigen::MatrixXd w = mixing_matrix(fixture.study().topology, mixing);
    REQUIRE((w.colwise().sum().array() - 1).abs().maxCoeff() < 1e-14);
    REQUIRE((w - w.transpose()).isZero(0));
    // No model is the same in two rounds.
    const Eigen::VectorXd x = (Eigen::VectorXd::LinSpaced(kRandom, 0, 3).array().exp()).sin();
    std::vector<Eigen::VectorXd> powers{x};
    for (int r = 0; r < 2 * kRounds; ++r) powers.emplace_back(w * powers.back());
    DpsgdGossip::Params params = mixing_only<DpsgdGossip>();
    params.mixing = mixing;
    std::vector<std::size_t> round(kRandom);
    bool all_rounds = true;
    const auto look = [&](const models::World& world) {
      for (std::size_t i = 0; i < kRandom; ++i) {
        const auto in_round = [&](std::size_t r) {
          const auto agent = static_cast<Eigen::Index>(i);
          return r < powers.size() && std::abs(world.models(0, agent) - powers[r][agent]) < 1e-12;
        };
        if (!in_round(round[i])) ++round[i];
        all_rounds = all_rounds && in_round(round[i]);
      }
    };
    test::run_gossip<DpsgdGossip>(fixture, params,
                                  {numbers(x), {}, latency(sim::Distribution(sim::Uniform{0, 2}))}, look);
    CHECK(all_rounds);
    CHECK(*std::min_element(round.begin(), round.end()) >= 8);
    const auto [least, most] = std::minmax_element(round.begin(), round.end());
    CHECK(*most > *least);  // agents are in different rounds, which are not mixed up
  }
}

TEST_CASE(
    "dpsgd_gossip: consensus contracts by the second eigenvalue squared, exactly along its eigenvector") {
  const auto fixture = on_random_graph(1);
  const Eigen::MatrixXd w = mixing_matrix(fixture.study().topology, MixingWeights::kMetropolis);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(w);
  const Eigen::VectorXd lambda = solver.eigenvalues();  // ascending; the last is 1
  const double second = std::max(std::abs(lambda[0]), std::abs(lambda[kRandom - 2]));
  const Eigen::Index at = std::abs(lambda[0]) == second ? 0 : kRandom - 2;
  REQUIRE(second < 1 - 1e-3);
  const auto factor = [&](const Eigen::VectorXd& x) {
    const Eigen::VectorXd end =
        end_of<DpsgdGossip>(fixture, mixing_only<DpsgdGossip>(), {numbers(x), {}, latency(0.1)});
    CHECK(end.sum() == Approx(x.sum()).margin(1e-13));
    return test::disagreement(end) / test::disagreement(x);
  };
  CHECK(factor(solver.eigenvectors().col(at)) == Approx(second * second).epsilon(1e-12));
  CHECK(factor(Eigen::VectorXd::LinSpaced(kRandom, -3, 4).array().square()) < second * second);
}

TEST_CASE("dpsgd_gossip: with a constant step on quadratics the fixed point is that of the linear system") {
  // x = W x - 2 step (x - y).
  const auto fixture = on_random_graph(500);
  const Eigen::MatrixXd w = mixing_matrix(fixture.study().topology, MixingWeights::kMetropolis);
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(kRandom, kRandom);
  DpsgdGossip::Params params;
  params.step = models::ConstantStep{0.05};
  Eigen::VectorXd y(kRandom);
  for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = static_cast<double>(i * i) / 8;
  const Eigen::VectorXd fixed = (identity - w + 0.1 * identity).partialPivLu().solve(0.1 * y);
  const Eigen::VectorXd end =
      end_of<DpsgdGossip>(fixture, params, {std::vector<double>(kRandom), {}, latency(0.1)});
  CHECK((end - fixed).norm() < 1e-12);
  CHECK((fixed.array() - y.mean()).abs().maxCoeff() > 0.1);  // not the minimiser
}

TEST_CASE("dpsgd_gossip: what an agent does about a silent neighbour, by hand") {
  // Latency 1/2 s, timeout 5/4 s. Agent 1 is down until 3.5 s, so that agent 0 keeps its 8 in the rounds that it begins at
  // 0, 1.25 and 2.5 s. Agent 1 begins round 1 at 3.5 s; its model comes late, at 4 s. At 4.25 s it hears of round 4, gives
  // up its own and joins: both end round 4 with the mean.
  const auto fixture = test::targets({1, 3}, sim::Ring{}, 6);
  DpsgdGossip::Params params = mixing_only<DpsgdGossip>();
  params.round_timeout = 1.25;
  std::vector<Eigen::Vector2d> seen;
  std::vector<double> times;
  std::uint64_t discarded = 0;
  test::run_gossip<DpsgdGossip>(fixture, params, {{8, 0}, {}, latency(0.5), {test::crash_between(1, 0, 3.5)}},
                                [&](const models::World& world) {
                                  seen.emplace_back(world.models.row(0).transpose());
                                  times.push_back(world.engine.now());
                                  discarded = test::stale(world);
                                });
  REQUIRE(seen.size() == 7);
  const Eigen::Vector2d before(8, 0);
  for (int k = 0; k < 5; ++k) CHECK(seen[static_cast<std::size_t>(k)] == before);
  CHECK(times == std::vector<double>{0, 1.25, 2.5, 3.75, 4.25, 4.25, 4.75});
  CHECK(seen[5] == Eigen::Vector2d(8, 4));
  CHECK(seen[6] == Eigen::Vector2d(4, 4));
  CHECK(discarded == 1);
}

TEST_CASE(
    "dpsgd_gossip: an agent back from a crash begins with its start and joins the round of the others, by "
    "hand") {
  // Latency 1/2 s: rounds end at 1/2, 1, 3/2 s, each with the mean 4. Agent 1 loses its state and is back at 1.75 s with
  // 0; its message of round 1 is discarded. That of round 4 has left before, so that agent 0 ends the round at 2 s with 4.
  // Agent 1 then hears of round 4, joins it and takes the mean of 4 and 0; both end round 5 with the mean of 4 and 2.
  const auto fixture = test::targets({1, 3}, sim::Ring{}, 100);
  DpsgdGossip::Params params = mixing_only<DpsgdGossip>();
  params.round_timeout = 2;
  std::map<double, Eigen::Vector2d> at;
  test::run_gossip<DpsgdGossip>(
      fixture, params,
      {{8, 0}, {}, latency(0.5), {test::crash_between(1, 1.625, 1.75, sim::StateOnReturn::kReset)}},
      [&](const models::World& world) { at[world.engine.now()] = world.models.row(0).transpose(); });
  CHECK(at[1.5] == Eigen::Vector2d(4, 4));
  CHECK(at[2] == Eigen::Vector2d(4, 2));
  CHECK(at[2.5] == Eigen::Vector2d(3, 3));
}

TEST_CASE("dpsgd_gossip: agents that come and go, crash, compute and lose messages go on") {
  DpsgdGossip::Params params = quarter_step<DpsgdGossip>();
  params.round_timeout = 3;
  for (const bool crashes : {false, true}) {
    const auto run = test::in_hostile_network<DpsgdGossip>(params, sim::Ring{}, crashes);
    CHECK(run.time < 3000.0 / 6 * 6);  // rounds last at most a timeout and a computation, and down times 1/6
    CHECK(run.updates > 1500);
    CHECK(run.worst <= 2);  // x' = 1 - x/2 + a mean of x with weight 1/3 or more and others: in [0, 3]
  }
}
