// Variants of private multi-task learning: other regularisers, exact own parts, a trusted server, an end by
// tolerance. Numbers worked by hand are of one record x = y = 1 under the squared loss, gradient 2
// (w - 1).
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using models::Coupling;
using models::OwnPenalty;

namespace {

constexpr double kLambda = 0.02, kTau = 0.05;

// The gradient of the sum of mean losses with respect to every p_t or q_t.
MatrixXd gradients(const models::Problem& problem, const MatrixXd& w) {
  MatrixXd g = w;
  VectorXd column(w.rows());
  for (Index t = 0; t < w.cols(); ++t) {
    problem.mean_gradient(static_cast<std::size_t>(t), w.col(t), column);
    g.col(t) = column;
  }
  return g;
}

// Whether g is minus a subgradient of weight * norm_2 at x: g = -weight x/norm(x), or norm(g) <= weight where x = 0.
bool balances(const VectorXd& g, const VectorXd& x, double weight) {
  if (x.norm() == 0) return g.norm() <= weight * (1 + 1e-6);
  return (g + weight * x.normalized()).norm() <= 1e-6 * weight;
}

struct Solution {
  MatrixXd p, q, g;
  double joint;
};

Solution solve(const StudyFixture& fixture, Coupling coupling, OwnPenalty own) {
  models::AsyncMtl::Params params;
  params.column_update = models::ColumnUpdate::kBlock;
  params.regulariser = coupling;
  params.own_regulariser = own;
  params.alpha_1 = params.alpha_2 = 0.4;
  params.tau = kTau;
  params.lambda = kLambda;
  params.start = models::TaskStart::kZero;
  params.turns = 8000;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  const MultitaskRun<models::AsyncMtl> run(fixture, params, network);
  Solution all{run.protocol.p(), run.protocol.q(), {}, run.metric("objective_joint")[0]};
  all.g = gradients(fixture.problem(), all.p + all.q);
  return all;
}

}  // namespace

TEST_CASE("multi-task: the proximal operators worked by hand") {
  MatrixXd m(3, 2), out(3, 2);
  m << 3, -4, 0.6, 0.8, 0.5, 2;
  const auto shrunk = [&](Coupling coupling) {
    models::CouplingProx prox(coupling, 3, 2);
    prox.decompose(m, 1);
    prox.matrix(out);
    VectorXd column(3);
    prox.column(1, column);
    CHECK((column - out.col(1)).norm() < 1e-14);
    return out;
  };
  MatrixXd expected(3, 2);
  const double kept = 1 - 1 / std::sqrt(4.25);
  expected << 2.4, -3.2, 0, 0, 0.5 * kept, 2 * kept;  // rows of length 5, 1 and sqrt(4.25)
  CHECK((shrunk(Coupling::kL21) - expected).norm() < 1e-14);
  expected << 2, -3, 0, 0, 0, 1;
  CHECK((shrunk(Coupling::kL1) - expected).norm() < 1e-14);
  CHECK(shrunk(Coupling::kNone) == m);
  CHECK(models::penalty(Coupling::kL21, m) == Approx(5 + 1 + std::sqrt(4.25)).epsilon(1e-14));
  CHECK(models::penalty(Coupling::kL1, m) == Approx(10.9).epsilon(1e-14));
  CHECK(models::penalty(Coupling::kNone, m) == 0);

  VectorXd q = m.row(0);
  models::shrink_own(OwnPenalty::kL21, 1, q);
  CHECK((q - Eigen::Vector2d(2.4, -3.2)).norm() < 1e-14);
  models::shrink_own(OwnPenalty::kL1, 2.5, q);
  CHECK((q - Eigen::Vector2d(0, -0.7)).norm() < 1e-14);
  models::shrink_own(OwnPenalty::kRidge, 9, q);
  CHECK((q - Eigen::Vector2d(0, -0.7)).norm() < 1e-14);
  CHECK(models::penalty(OwnPenalty::kRidge, m) == Approx(m.squaredNorm() / 2).epsilon(1e-14));
  CHECK(models::penalty(OwnPenalty::kL1, m) == Approx(10.9).epsilon(1e-14));
  CHECK(models::penalty(OwnPenalty::kL21, m) ==
        Approx(std::sqrt(9 + 0.36 + 0.25) + std::sqrt(16 + 0.64 + 4)).epsilon(1e-14));
}

TEST_CASE("multi-task: runs with every pair of regularisers end where the conditions of optimality hold") {
  // At the minimiser the gradient G of the losses is minus a subgradient of lambda r at P and of tau g at Q.
  auto data = low_rank_tasks(5, 40, models::TaskTarget::kRegression, 6);
  for (auto& shard : data.train) shard.features.rightCols(2) *= 0.1;  // two features of little use
  const StudyFixture fixture(data, squared(), {}, 1 << 30);
  for (const auto coupling : {Coupling::kL21, Coupling::kL1, Coupling::kNone}) {
    for (const auto own : {OwnPenalty::kRidge, OwnPenalty::kL1, OwnPenalty::kL21}) {
      if (coupling == Coupling::kNone && own != OwnPenalty::kRidge) continue;
      const auto [p, q, g, joint] = solve(fixture, coupling, own);
      INFO("regulariser " << static_cast<int>(coupling) << ", own " << static_cast<int>(own));
      double penalties = 0;
      int zeros = 0;
      for (Index j = 0; j < 6 && coupling == Coupling::kL21; ++j) {
        CHECK(balances(g.row(j), p.row(j), kLambda));
        penalties += kLambda * p.row(j).norm();
        zeros += p.row(j).norm() == 0 ? 1 : 0;
      }
      for (Index k = 0; k < p.size() && coupling == Coupling::kL1; ++k) {
        CHECK(balances(VectorXd::Constant(1, g.data()[k]), VectorXd::Constant(1, p.data()[k]), kLambda));
        penalties += kLambda * std::abs(p.data()[k]);
        zeros += p.data()[k] == 0 ? 1 : 0;
      }
      if (coupling != Coupling::kNone) CHECK(zeros > 0);
      for (Index t = 0; t < 5; ++t) {
        if (own == OwnPenalty::kRidge) {
          if (coupling != Coupling::kNone) CHECK((g.col(t) + kTau * q.col(t)).norm() < 1e-7);
          penalties += kTau / 2 * q.col(t).squaredNorm();
        } else if (own == OwnPenalty::kL21) {
          CHECK(balances(g.col(t), q.col(t), kTau));
          penalties += kTau * q.col(t).norm();
        } else {
          for (Index j = 0; j < 6; ++j) CHECK(balances(g.block(j, t, 1, 1), q.block(j, t, 1, 1), kTau));
          penalties += kTau * q.col(t).lpNorm<1>();
        }
      }
      double losses = 0;
      for (std::size_t t = 0; t < 5; ++t) {
        const auto column = static_cast<Index>(t);
        losses += fixture.problem().mean_loss(t, p.col(column) + q.col(column));
      }
      CHECK(joint == Approx(losses + penalties).epsilon(1e-12));
      CHECK((p + q).norm() > 0.1);
      // Without a regulariser of P the tasks are fitted apart, the useful features to nothing left.
      if (coupling == Coupling::kNone) CHECK(g.topRows(4).norm() < 1e-2 * kLambda);
    }
  }
}

TEST_CASE("multi-task: q minimised exactly beside p_t, worked by hand") {
  // q = argmin (p + q - 1)^2 + q^2/4 = 0.8 (1 - p). Turn 1: q = 0.8, g = -0.4, V = 0.2, P = 0.075 (h = 1/8).
  // Turn 2: q = 0.74, g = 2 (0.815 - 1) = -0.37, V = 0.075 + 0.185, P = 0.135.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 2);
  auto params = by_hand();
  params.column_update = models::ColumnUpdate::kBlock;
  params.q_update = models::OwnUpdate::kExact;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1));
  CHECK(run.world->iterations == 2);
  CHECK(run.protocol.p()(0, 0) == Approx(0.135).epsilon(1e-12));

  // At the old q: turn 1 at 0, g = -2, V = 1, P = 0.875; turn 2 at 0.8, g = 1.35, V = 0.2, P = 0.075.
  params.gradient_at = models::GradientAt::kOldQ;
  const MultitaskRun<models::AsyncMtl> old(fixture, params, to_hub(0.1));
  CHECK(old.protocol.p()(0, 0) == Approx(0.075).epsilon(1e-12));
}

TEST_CASE("multi-task: a trusted server keeps P without noise and sends noisy columns, worked by hand") {
  // Turn 1: q = 1/2, g = -1, P = 1/2. Sent: 1/2 + 1/4. Turn 2 at p = 3/4: gradient 1/2, q = 1/2 - (1/4)(1/2 +
  // 1/4) = 5/16, g = 2 (17/16 - 1) = 1/8. P = 1/2 - 1/16, and block
  // too: V = 1/2 - 1/16, from the column without noise that the server sent.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 2);
  auto params = by_hand();
  params.threshold = 0;
  params.trusted_server = true;
  params.column_update = models::ColumnUpdate::kArrived;
  const std::vector<VectorXd> noise(2, VectorXd::Constant(1, 0.25));
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1), &noise);
  CHECK(run.protocol.p()(0, 0) == 7.0 / 16);
  CHECK(run.protocol.q()(0, 0) == 5.0 / 16);
  params.column_update = models::ColumnUpdate::kBlock;
  const MultitaskRun<models::AsyncMtl> block(fixture, params, to_hub(0.1), &noise);
  CHECK(block.protocol.p()(0, 0) == 7.0 / 16);
}

TEST_CASE("multi-task: a trusted server's noise has scale alpha_2 S_2/epsilon_2, and one release an answer") {
  const auto data = low_rank_tasks(2, 40, models::TaskTarget::kClassification);
  const StudyFixture with(data, logistic(), by_turn(9, 0.3), 1 << 30), without(data, logistic(), {}, 1 << 30);
  models::AsyncMtl::Params params;
  params.trusted_server = true;
  params.turns = 3;
  const MultitaskRun<models::AsyncMtl> drawn(with, params, to_hub(0.01));
  std::vector<VectorXd> noise;
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    for (const sim::AgentId agent : {1u, 2u}) {
      VectorXd& z = noise.emplace_back(VectorXd::Zero(4));
      sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kNoise, agent, 0, turn);
      models::ExponentialNorm::add_noise({z.data(), 4}, 0.1 * 2 / 12 / 0.3, s);  // n_t = 12
    }
  }
  const MultitaskRun<models::AsyncMtl> prescribed(without, params, to_hub(0.01), &noise);
  CHECK((drawn.protocol.p() - prescribed.protocol.p()).norm() < 1e-13 * drawn.protocol.p().norm());
  CHECK(drawn.protocol.p().norm() > 0);
  CHECK(drawn.metric("epsilon_turn") == std::vector<double>{0.3, 0.3});
  CHECK(drawn.world->ledger.account(1).releases == 3);
  CHECK(drawn.world->ledger.account(1).spent().epsilon == Approx(0.9).epsilon(1e-12));
}

TEST_CASE("multi-task: a run ends at the first update that moves P + Q by no more than the tolerance") {
  // alpha_2 = 1/4, no threshold: after updates 1, 2, 3 (p, q) is (1/4, 1/2), (11/32, 9/16), (103/256, 69/128), so that
  // p + q moves by 3/4, 5/32, 9/256.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = quarter_steps();
  const auto check = [&](double tolerance, std::uint64_t updates) {
    params.tolerance = tolerance;
    const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1));
    CHECK(run.end == sim::End::kFinished);
    CHECK(run.world->iterations == updates);
    const MultitaskRun<models::SyncMtl> rounds(fixture, synchronous(params), to_hub(0.1));
    CHECK(rounds.world->iterations == updates);
    return run.protocol.p()(0, 0);
  };
  CHECK(check(0.8, 1) == 0.25);
  CHECK(check(0.5, 2) == 11.0 / 32);
  CHECK(check(5.0 / 32 - 1e-6, 3) == 103.0 / 256);
}

TEST_CASE("multi-task: objectives (1) and (2), and the error of p_t alone, worked by hand") {
  // One record x = y = 1 and the test record x = 1, y = 2: after the turn worked by hand p = 3/8, q = 1/2. h = 1/8,
  // lambda = 1/4, tau = 1/2: loss 1/64; equation (1) adds 7/64, equation (2) 3/32 + 1/16.
  auto one = one_record_each({1});
  one.test[0] = {models::Records::Constant(1, 1, 1), VectorXd::Constant(1, 2)};
  const StudyFixture hand(one, squared(), {}, 1);
  const MultitaskRun<models::AsyncMtl> run(hand, by_hand(), to_hub(0.1));
  REQUIRE(run.protocol.p()(0, 0) == 0.375);
  REQUIRE(run.protocol.q()(0, 0) == 0.5);
  CHECK(run.metric("objective_sum")[0] == Approx(8.0 / 64).epsilon(1e-12));
  CHECK(run.metric("objective_joint")[0] == Approx(11.0 / 64).epsilon(1e-12));
  CHECK(run.metric("task_test_error")[0] == Approx(1.125 * 1.125).epsilon(1e-12));
  CHECK(run.metric("shared_test_error")[0] == Approx(1.625 * 1.625).epsilon(1e-12));
}

TEST_CASE("multi-task: a declared bound is looked at where q_t is minimised, not where it was") {
  // tau = 1/2: q = 0.8 (1 - p) is within 0.7 in no turn, while q before the first turn is 0.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = by_hand();
  params.q_update = models::OwnUpdate::kExact;
  params.c_3 = 0.7;
  params.turns = 1;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1));
  CHECK(run.metric("bound_violations")[0] == 1);
}
