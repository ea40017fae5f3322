#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "models/privacy/accountants/amplification.hpp"
#include "models/protocols/amtl.hpp"
#include "models/protocols/sync_mtl.hpp"
#include "models/solvers/own_minimum.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

models::SyncMtl::Params synchronous(const models::AsyncMtl::Params& same) {
  models::SyncMtl::Params params;
  static_cast<models::MultitaskOptions&>(params) = same;
  return params;
}

models::DataSet tasks(std::size_t count, std::size_t records, models::TaskTarget target, std::size_t features = 4) {
  models::LowRankTasks data;
  data.tasks = count;
  data.records = records;
  data.features = features;
  data.target = target;
  return make_data(data, sim::Streams(5, 0));
}

}  // namespace

TEST_CASE("multi-task: sensitivities are those of the lemmas") {
  // n_t = 0.3 * 200 = 60, C_1 = C_2 = 1: S_1 = 2 alpha_1/60, S_2 = 2/60.
  const StudyFixture fixture(tasks(3, 200, models::TaskTarget::kClassification), logistic(), by_turn(1, 1), 1);
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
  const StudyFixture squares(tasks(3, 200, models::TaskTarget::kRegression), squared(), privacy, 1);
  const models::MultitaskNodes bounded(regression, squares.study());
  CHECK(bounded.s_1(0) == Approx(4 * 0.1 * 3 / 60).epsilon(1e-12));
  CHECK(bounded.s_2(0) == Approx(4 * 4.0 / 60).epsilon(1e-12));
  privacy.adjacency = models::Adjacency::kAddRemove;
  const StudyFixture adding(tasks(3, 200, models::TaskTarget::kRegression), squared(), privacy, 1);
  CHECK(models::MultitaskNodes(regression, adding.study()).s_2(0) == Approx(2 * 4.0 / 60).epsilon(1e-12));
}

TEST_CASE("multi-task: the accumulated sensitivity follows its closed form over turns") {
  const StudyFixture fixture(tasks(2, 40, models::TaskTarget::kClassification), logistic(), by_turn(1, 1), 1 << 30);
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
}

TEST_CASE("multi-task: the accumulated sensitivity bounds how far q_t moves when a record is replaced") {
  // The released P and noise are the same on both neighbours, as in the guarantee: q_t differs by Delta_k at most. With
  // tau = 0 and the replaced record of opposite sign the difference grows with the turns, beyond S_1 of one.
  auto one = tasks(1, 40, models::TaskTarget::kClassification), other = one;
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

TEST_CASE("multi-task: the noise of turn k is drawn as releases 2k and 2k + 1 with scales S_1/epsilon_1, S_2/epsilon_2") {
  const double epsilon_1 = 0.7, epsilon_2 = 0.3;
  const auto data = tasks(2, 40, models::TaskTarget::kClassification);
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
    models::add_exponential_norm({z.data(), 4}, scale, s);
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
  const StudyFixture fixture(tasks(2, 40, models::TaskTarget::kClassification), logistic(), by_turn(0.4, 0.6), 1 << 30);
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

TEST_CASE("sync_mtl: a round worked by hand, and it lasts as long as its slowest link") {
  // As for async_mtl: V = (1/2, -1/2) after round 1; round 2 at p = +-0.5 (1 - 0.125/sqrt(0.5)).
  const StudyFixture fixture(one_record_each({1, -1}), squared(), {}, 1 << 30);
  auto params = synchronous(by_hand());
  params.turns = 1;
  const MultitaskRun<models::SyncMtl> run(fixture, params, to_hub(0.1));
  CHECK(run.protocol.p()(0, 0) == Approx(0.5 * (1 - 0.125 / std::sqrt(0.5))).epsilon(1e-14));
  CHECK(run.world->iterations == 1);
  CHECK(run.world->engine.now() == 0.1);

  params.turns = 400;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  const MultitaskRun<models::SyncMtl> many(fixture, params, network);
  // The maximum of two uniforms on (0, 15 ms) has mean 10 ms and variance 15^2/18: 7 standard errors.
  CHECK(many.world->engine.now() / 400 == Approx(0.010).margin(7 * 0.015 / std::sqrt(18.0 * 400)));
  CHECK(many.world->iterations == 400);
}

TEST_CASE("sync_mtl: a lost message holds a round up until its timeout, and the task's column stays") {
  const StudyFixture fixture(one_record_each({1, -1}), squared(), {}, 1 << 30);
  auto params = synchronous(by_hand());
  params.turns = 50;
  params.round_timeout = 0.5;
  sim::NetworkOptions lossy = to_hub(0.1);
  lossy.links.loss = sim::BernoulliLoss{1};
  const MultitaskRun<models::SyncMtl> all(fixture, params, lossy);
  CHECK(all.world->iterations == 50);
  CHECK(all.world->engine.now() == Approx(25).epsilon(1e-12));
  CHECK(all.protocol.p().norm() == 0);
}

TEST_CASE("sync and async with block: the same minimiser; the time ratio at equal step is slowest to mean link, 1.91") {
  // 20 tasks, one U(0, 15 ms) draw a round trip: a round takes 15 * 20/21 ms on average, a task's own trip 7.5 ms.
  const StudyFixture fixture(tasks(20, 40, models::TaskTarget::kRegression), squared(), {}, 1 << 30);
  models::AsyncMtl::Params params;
  params.alpha_1 = params.alpha_2 = 0.05;
  params.tau = 0.2;
  params.lambda = 0.02;
  params.column_update = models::ColumnUpdate::kBlock;
  params.start = models::TaskStart::kZero;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  const auto objective = [&](const auto& protocol) {
    return joint_objective(fixture.problem(), protocol.p(), protocol.q(), 0.02, 0.2);
  };
  auto rounds = synchronous(params);
  rounds.turns = 300;
  const MultitaskRun<models::SyncMtl> sync(fixture, rounds, network);
  const double level = objective(sync.protocol);
  std::uint64_t looks = 0;
  const MultitaskRun<models::AsyncMtl> async(
      fixture, params, network, nullptr, {}, {}, 0, [&](const models::World&, const models::AsyncMtl& m) {
        return ++looks % 5 == 0 && objective(m) <= level;
      });
  CHECK(sync.world->engine.now() / async.world->engine.now() == Approx(1.91).margin(0.1));
}

TEST_CASE("amtl: a relaxed step worked by hand, and the delay rule is ln 10 below ten seconds") {
  // One task, x = y = 1, alpha = 1/4, eta = 1/2, h = 0: u = 0 - (1/4)(-2) = 1/2, v = 1/4; then u = 1/4 + 3/8 = 5/8,
  // v = 1/4 + (1/2)(3/8) = 7/16.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 2);
  models::Amtl::Params params;
  params.alpha = 0.25;
  params.threshold = 0;
  params.start = models::TaskStart::kZero;
  const MultitaskRun<models::Amtl> fixed(fixture, params, to_hub(0.1));
  CHECK(fixed.protocol.w()(0, 0) == 0.4375);

  params.step_rule = models::StepRule::kDelayAdaptive;
  params.eta = 0.25;
  params.timeout = 1000;
  const double c = 0.25 * std::log(10);
  const MultitaskRun<models::Amtl> quick(fixture, params, to_hub(0.1));
  const double v = c / 2;
  CHECK(quick.protocol.w()(0, 0) == Approx(v + c * (1 - v) / 2).epsilon(1e-14));

  // Delays of 20 s: ln 20.
  const MultitaskRun<models::Amtl> slow(fixture, params, to_hub(20));
  const double d = 0.25 * std::log(20), w = d / 2;
  CHECK(slow.protocol.w()(0, 0) == Approx(w + d * (1 - w) / 2).epsilon(1e-14));

  params.eta = 0.4;
  CHECK_THROWS_WITH((MultitaskRun<models::Amtl>(fixture, params, to_hub(20))), Catch::Contains("exceeds 1"));
}

TEST_CASE("amtl: without delays' noise it ends at the minimiser of the regularised sum") {
  const StudyFixture fixture(tasks(5, 40, models::TaskTarget::kRegression, 6), squared(), {}, 1 << 30);
  models::Amtl::Params params;
  params.alpha = 0.4;
  params.lambda = 0.02;
  params.turns = 6000;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  const MultitaskRun<models::Amtl> run(fixture, params, network);
  // Q = 0 is what a huge tau leaves of it; plain proximal gradient on W alone.
  const auto [w, q] = minimise_jointly(fixture.problem(), 0.02, 0, 0);
  Eigen::MatrixXd p = w;
  for (int k = 0; k < 20000; ++k) {
    Eigen::MatrixXd g = p;
    for (Eigen::Index t = 0; t < 5; ++t) {
      const models::Shard& shard = fixture.problem().data().train[static_cast<std::size_t>(t)];
      g.col(t) = 2 * shard.features.transpose() * (shard.features * p.col(t) - shard.target) / 12;
    }
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(p - 0.4 * g, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd s = (svd.singularValues().array() - 0.4 * 0.02).max(0);
    p = svd.matrixU() * s.asDiagonal() * svd.matrixV().transpose();
  }
  CHECK((run.protocol.w() - p).norm() < 1e-6 * p.norm());
  CHECK(p.norm() > 0.1);
}

TEST_CASE("low_rank_tasks: unit ball, split, signs, and tasks that do not depend on how many there are") {
  models::LowRankTasks options;
  const auto twenty = make_data(options, sim::Streams(9, 0));
  REQUIRE(twenty.owners() == 20);
  Eigen::MatrixXd scores(60, 1);
  for (std::size_t t = 0; t < 20; ++t) {
    CHECK(twenty.train[t].target.size() == 60);
    CHECK(twenty.test[t].target.size() == 140);
    const double greatest = std::max(twenty.train[t].features.rowwise().norm().maxCoeff(),
                                     twenty.test[t].features.rowwise().norm().maxCoeff());
    CHECK(greatest == Approx(1).epsilon(1e-14));
    CHECK(twenty.train[t].target.cwiseAbs().minCoeff() == 1);
  }
  options.tasks = 3;
  const auto three = make_data(options, sim::Streams(9, 0));
  CHECK(three.train[2].features == twenty.train[2].features);
  CHECK(three.train[2].target == twenty.train[2].target);

  // With targets that are not clipped (tiny records) y = X w_t exactly, and the w_t have rank 3 but for q_t.
  options = {};
  options.target = models::TaskTarget::kRegression;
  options.own_deviation = 0;
  options.features = 6;
  options.tasks = 8;
  const auto linear = make_data(options, sim::Streams(9, 0));
  Eigen::MatrixXd w(6, 8);
  for (std::size_t t = 0; t < 8; ++t) {
    const Eigen::MatrixXd x = linear.train[t].features;
    std::vector<Eigen::Index> inside;
    for (Eigen::Index k = 0; k < x.rows(); ++k) {
      if (std::abs(linear.train[t].target[k]) < 1) inside.push_back(k);
    }
    const Eigen::MatrixXd kept = x(inside, Eigen::all);
    w.col(static_cast<Eigen::Index>(t)) = kept.colPivHouseholderQr().solve(linear.train[t].target(inside));
  }
  const Eigen::VectorXd s = Eigen::JacobiSVD<Eigen::MatrixXd>(w).singularValues();
  CHECK(s[2] > 1e-3);
  CHECK(s[3] < 1e-10);
}

TEST_CASE("own minimum: the gradient beside an offset vanishes") {
  const StudyFixture fixture(tasks(2, 40, models::TaskTarget::kClassification), logistic(), {}, 1);
  const Eigen::VectorXd offset = Eigen::VectorXd::Constant(4, 0.3);
  const Eigen::VectorXd q = models::minimise_own(fixture.problem(), 1, offset, 0.01);
  Eigen::VectorXd gradient(4);
  fixture.problem().mean_gradient(1, offset + q, gradient);
  CHECK((gradient + 0.01 * q).norm() < 1e-12);
}
