#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "models/privacy/accountants/step.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

TEST_CASE("multi-task: sensitivities are those of the lemmas") {
  // n_t = 0.3 * 200 = 60, C_1 = C_2 = 1: S_1 = 2 alpha_1/60, S_2 = 2/60.
  const StudyFixture fixture(low_rank_tasks(3, 200, models::TaskTarget::kClassification), logistic(),
                             by_turn(1, 1), 1);
  models::MultitaskOptions options;
  options.alpha_1 = 0.1;
  const models::MultitaskNodes paper(options, fixture.study());
  CHECK(paper.s_1(0) == Approx(0.2 / 60).epsilon(1e-12));
  CHECK(paper.s_2(2) == Approx(2.0 / 60).epsilon(1e-12));

  options.batch_fraction = 0.25;
  const models::MultitaskNodes sampled(options, fixture.study());
  CHECK(sampled.s_1(0) == Approx(0.8 / 60).epsilon(1e-12));
  CHECK(sampled.s_2(0) == Approx(8.0 / 60).epsilon(1e-12));
  options.batch_fraction = 1;

  options.sensitivity = models::TurnSensitivity::kReleased;
  const models::MultitaskNodes released(options, fixture.study());
  CHECK(released.s_2(0) == Approx(paper.s_2(0) / 4).epsilon(1e-12));
  CHECK(released.s_1(0) == Approx(paper.s_1(0) / 4).epsilon(1e-12));

  // Accumulated from a zero start is S_1 in the first turn; from a single-task one (1 - a tau) 2/(60 tau_0) + S_1.
  options.sensitivity = models::TurnSensitivity::kAccumulated;
  options.start = models::TaskStart::kZero;
  CHECK(models::MultitaskNodes(options, fixture.study()).s_1(0) == Approx(0.2 / 60).epsilon(1e-12));
  options.start = models::TaskStart::kSingleTask;
  options.start_ridge = 0.5;
  CHECK(models::MultitaskNodes(options, fixture.study()).s_1(0) ==
        Approx((1 - 0.1 * options.tau) * 2 / (60 * 0.5) + 0.2 / 60).epsilon(1e-12));

  // q minimised exactly: 2/(n tau).
  options.sensitivity = models::TurnSensitivity::kPaper;
  options.q_update = models::OwnUpdate::kExact;
  options.tau = 0.1;
  CHECK(models::MultitaskNodes(options, fixture.study()).s_1(0) == Approx(2 / (60 * 0.1)).epsilon(1e-12));

  // Regression with c_3 = 2, c_4 = 3: S_1 = 4 alpha_1 (2 + 1)/60, S_2 = 4 (3 + 1)/60; half for add_remove.
  auto privacy = by_turn(1, 1);
  models::MultitaskOptions regression;
  regression.c_3 = 2;
  regression.c_4 = 3;
  const StudyFixture squares(low_rank_tasks(3, 200, models::TaskTarget::kRegression), squared(), privacy, 1);
  const models::MultitaskNodes bounded(regression, squares.study());
  CHECK(bounded.s_1(0) == Approx(4 * 0.1 * 3 / 60).epsilon(1e-12));
  CHECK(bounded.s_2(0) == Approx(4 * 4.0 / 60).epsilon(1e-12));
  privacy.adjacency = models::Adjacency::kAddRemove;
  const StudyFixture adding(low_rank_tasks(3, 200, models::TaskTarget::kRegression), squared(), privacy, 1);
  CHECK(models::MultitaskNodes(regression, adding.study()).s_2(0) == Approx(2 * 4.0 / 60).epsilon(1e-12));
}

TEST_CASE("multi-task: a start without a ridge has no part in what an exact update releases") {
  // The minimiser moves by 2 B_1/(n tau), B_1 = 2 C_1 (C_1 c_3 + 1) = 8: 16/(2 0.3).
  auto data = equal_records({1, -1}, {2, 2});
  data.bounds = models::DeclaredBounds{.features_l2 = 1, .target = 1};
  const StudyFixture fixture(data, squared(), by_turn(1, 1), 1);
  models::MultitaskOptions options;
  options.q_update = models::OwnUpdate::kExact;
  options.tau = 0.3;
  options.start_ridge = 0;
  options.c_3 = options.c_4 = 3;
  models::TurnSensitivities exact(options, fixture.study());
  for (int turn = 0; turn < 2; ++turn, exact.count_turn(0))
    CHECK(exact.s_1(0) == Approx(16 / 0.6).epsilon(1e-12));
}

TEST_CASE("multi-task: a declared bound on norm_1 is one on norm_2, of which the smaller counts") {
  // Classification with C_1 = 1/2, C_2 = 1 and n_t = 2: S_1 = 2 alpha_1 C_1/2, S_2 = 2 C_1/2.
  auto data = equal_records({1, -1}, {2, 2});
  for (auto& shard : data.train) shard.features.setConstant(0.25);
  for (const double l2 : {std::numeric_limits<double>::infinity(), 3.0, 0.5}) {
    data.bounds = models::DeclaredBounds{.features_l1 = l2 == 0.5 ? 1 : 0.5, .features_l2 = l2, .target = 1};
    const StudyFixture fixture(data, logistic(), by_turn(1, 1), 1);
    CHECK(fixture.study().privacy.source == models::BoundSource::kDerived);
    models::MultitaskOptions options;
    CHECK(models::MultitaskNodes(options, fixture.study()).s_1(0) == Approx(0.05).epsilon(1e-12));
    CHECK(models::MultitaskNodes(options, fixture.study()).s_2(0) == Approx(0.5).epsilon(1e-12));
    // Steps are limited by norm_2 itself: by its bound, else by the data.
    CHECK(fixture.study().exact_reads->all().empty() == std::isfinite(l2));
  }
}

TEST_CASE("multi-task: the accumulated sensitivity follows its closed form over turns") {
  const StudyFixture fixture(low_rank_tasks(2, 40, models::TaskTarget::kClassification), logistic(),
                             by_turn(1, 1), 1 << 30);
  models::AsyncMtl::Params params;
  params.sensitivity = models::TurnSensitivity::kAccumulated;
  params.start = models::TaskStart::kZero;
  params.tau = 0.3;
  params.turns = 7;
  models::MultitaskNodes nodes(params, fixture.study());
  const auto world = fixture.world(fixture.engine(to_hub(0)));
  models::Context context(*world);
  nodes.open(context);
  const double s = 2 * params.alpha_1 / 12, keep = 1 - params.alpha_1 * params.tau;
  for (int k = 1; k <= 7; ++k) {
    CHECK(nodes.s_1(0) == Approx(s * (1 - std::pow(keep, k)) / (1 - keep)).epsilon(1e-12));
    REQUIRE(nodes.turn(0, Eigen::VectorXd::Zero(4), context) != nullptr);
  }
  CHECK(nodes.turn(0, Eigen::VectorXd::Zero(4), context) == nullptr);
  CHECK(nodes.s_1(1) == Approx(s).epsilon(1e-12));
  nodes.reset(0);  // after a crash the difference is that of the start
  CHECK(nodes.s_1(0) == Approx(s).epsilon(1e-12));
}

TEST_CASE(
    "multi-task: where the old q is released its own difference counts, also if the start differs by more") {
  // Delta_0 = 2/(12 tau_0) with tau_0 = 0.01 is far above the limit 2/(12 tau) of what turns build up, so that
  // Delta_k falls: turn k + 1 releases what differs by Delta_k, not Delta_(k+1).
  const StudyFixture fixture(low_rank_tasks(1, 40, models::TaskTarget::kClassification), logistic(),
                             by_turn(1, 1), 1);
  models::MultitaskOptions options;
  options.sensitivity = models::TurnSensitivity::kAccumulated;
  options.tau = 0.5;
  options.start_ridge = 0.01;
  options.turns = 3;
  const double delta_0 = 2 / (12 * 0.01), step = 2 * 0.1 / 12;
  const double delta_1 = 0.95 * delta_0 + step, delta_2 = 0.95 * delta_1 + step;
  models::TurnSensitivities fresh(options, fixture.study());
  CHECK(fresh.s_1(0) == Approx(delta_1).epsilon(1e-12));
  options.gradient_at = models::GradientAt::kOldQ;
  models::TurnSensitivities old(options, fixture.study());
  CHECK(old.s_1(0) == Approx(delta_0).epsilon(1e-12));
  old.count_turn(0);
  CHECK(old.s_1(0) == Approx(delta_1).epsilon(1e-12));
  old.count_turn(0);
  CHECK(old.s_1(0) == Approx(delta_2).epsilon(1e-12));

  // Exact: the first release is the start, every later one a minimiser with ridge tau.
  options.q_update = models::OwnUpdate::kExact;
  models::TurnSensitivities exact(options, fixture.study());
  CHECK(exact.s_1(0) == Approx(delta_0).epsilon(1e-12));
  exact.count_turn(0);
  CHECK(exact.s_1(0) == Approx(2 / (12 * 0.5)).epsilon(1e-12));
}

TEST_CASE("multi-task: the accumulated sensitivity bounds how far q_t moves when a record is replaced") {
  // The released P and noise are the same on both neighbours, as in the guarantee: q_t differs by Delta_k at most. With
  // tau = 0 and the replaced record of opposite sign the difference grows with the turns, beyond S_1 of one.
  auto one = low_rank_tasks(1, 40, models::TaskTarget::kClassification), other = one;
  one.train[0].features.row(0) << 1, 0, 0, 0;
  other.train[0].features.row(0) << 1, 0, 0, 0;
  one.train[0].target[0] = 1;
  other.train[0].target[0] = -1;
  const StudyFixture a(one, logistic(), by_turn(1, 1), 1 << 30), b(other, logistic(), by_turn(1, 1), 1 << 30);
  models::MultitaskOptions options;
  options.sensitivity = models::TurnSensitivity::kAccumulated;
  options.start = models::TaskStart::kZero;
  models::MultitaskNodes left(options, a.study()), right(options, b.study());
  const auto world_a = a.world(a.engine()), world_b = b.world(b.engine());
  models::Context at_a(*world_a), at_b(*world_b);
  left.open(at_a);
  right.open(at_b);
  const double one_turn = left.s_1(0);
  double apart = 0;
  for (int k = 0; k < 200; ++k) {
    const double bound = left.s_1(0);
    left.turn(0, Eigen::VectorXd::Zero(4), at_a);
    right.turn(0, Eigen::VectorXd::Zero(4), at_b);
    apart = (left.q() - right.q()).norm();
    REQUIRE(apart <= bound);
  }
  CHECK(apart > 10 * one_turn);
}

TEST_CASE(
    "multi-task: the noise of turn k is drawn as releases 2k and 2k + 1 with scales S_1/epsilon_1, "
    "S_2/epsilon_2") {
  const double epsilon_1 = 0.7, epsilon_2 = 0.3;
  const auto data = low_rank_tasks(2, 40, models::TaskTarget::kClassification);
  const StudyFixture with(data, logistic(), by_turn(epsilon_1, epsilon_2), 1 << 30);
  const StudyFixture without(data, logistic(), {}, 1 << 30);
  models::AsyncMtl::Params params;
  params.turns = 3;
  const MultitaskRun<models::AsyncMtl> drawn(with, params, to_hub(0.01));
  // Both tasks begin turns at the same instants, task 1 first.
  std::vector<Eigen::VectorXd> noise;
  const sim::Streams streams(1, 0);
  const auto draw = [&](sim::AgentId agent, std::uint32_t release, double scale) {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(4);
    sim::Stream s = streams(sim::Purpose::kNoise, agent, 0, release);
    models::ExponentialNorm::add_noise({z.data(), 4}, scale, s);
    noise.push_back(z);
  };
  for (std::uint32_t turn = 0; turn < 3; ++turn) {
    for (const sim::AgentId agent : {1u, 2u}) {
      draw(agent, 2 * turn, 2 * 0.1 / 12 / epsilon_1);
      draw(agent, 2 * turn + 1, 2.0 / 12 / epsilon_2);
    }
  }
  const MultitaskRun<models::AsyncMtl> prescribed(without, params, to_hub(0.01), &noise);
  CHECK((drawn.protocol.p() - prescribed.protocol.p()).norm() < 1e-13 * drawn.protocol.p().norm());
  CHECK(drawn.protocol.p().norm() > 0);
}

TEST_CASE("multi-task: a turn on a subsample costs the amplified epsilon of both its releases") {
  // e = (e_1 + e_2)/2 = 1/2, q = 1/4: ln[(3/4 + e^(1/2)/4)/(3/4 + e^(-1/2)/4)] for replace_one.
  const double amplified = std::log((0.75 + std::exp(0.5) / 4) / (0.75 + std::exp(-0.5) / 4));
  CHECK(models::amplified_turn(1, 0.25, models::Adjacency::kReplaceOne) == Approx(amplified).epsilon(1e-14));
  CHECK(models::amplified_turn(1, 0.25, models::Adjacency::kAddRemove) ==
        Approx(std::log(1 + 0.25 * (std::exp(1) - 1))).epsilon(1e-14));
  CHECK(models::amplified_turn(1, 1, models::Adjacency::kReplaceOne) == 1);
  const StudyFixture fixture(low_rank_tasks(2, 40, models::TaskTarget::kClassification), logistic(),
                             by_turn(0.4, 0.6), 1 << 30);
  models::AsyncMtl::Params params;
  params.batch_fraction = 0.25;
  params.turns = 5;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.01));
  CHECK(run.world->ledger.account(1).spent().epsilon == Approx(5 * amplified).epsilon(1e-12));
  CHECK(run.world->ledger.account(1).releases == 10);
}

TEST_CASE("multi-task: a subsampled turn uses records with the probability given and the divisor q n_t") {
  // x = 1, y = 1 or -1 mixed away: all y = 1, squared loss at w = 0: each record's gradient is -2, so that a turn's
  // gradient is -2 (number taken)/(q n), of mean -2 and variance 4 (1 - q)/(q n).
  models::DataSet data = one_record_each({1});
  data.train[0] = {models::Records::Ones(50, 1), Eigen::VectorXd::Ones(50)};
  const StudyFixture fixture(data, squared(), {}, 1 << 30);
  models::MultitaskOptions options;
  options.batch_fraction = 0.2;
  options.alpha_1 = 1e-12;
  options.start = models::TaskStart::kZero;
  options.turns = 4000;
  models::MultitaskNodes nodes(options, fixture.study());
  const auto world = fixture.world(fixture.engine());
  models::Context context(*world);
  nodes.open(context);
  double sum = 0, squares = 0;
  for (int k = 0; k < 4000; ++k) {
    const double g = (*nodes.turn(0, Eigen::VectorXd::Zero(1), context))[0];
    sum += g;
    squares += (g + 2) * (g + 2);
    const double taken = g / -2 * 10;
    REQUIRE(std::abs(taken - std::round(taken)) < 1e-6);
  }
  // 7 standard errors: Binomial(200000, 0.2) for the sum.
  CHECK(std::abs(sum / 4000 + 2) < 7 * std::sqrt(4 * 0.8 / 10 / 4000));
  CHECK(squares / 4000 == Approx(4 * 0.8 / 10).epsilon(7 * std::sqrt(2.0 / 4000)));
}

TEST_CASE("multi-task: turns outside the declared bounds of a regression are counted") {
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = by_hand();
  params.c_3 = 0.2;  // p + q is 0 in the first turn, at least 1/2 later
  params.turns = 4;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1));
  CHECK(run.metric("bound_violations")[0] == 0.75);
}
