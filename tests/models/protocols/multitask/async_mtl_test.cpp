#include "models/protocols/multitask/async_mtl.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/models/protocols/multitask/joint_minimum.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

TEST_CASE("async_mtl: one turn of two tasks worked by hand, in each form of the server") {
  // x = 1, y_1 = 1, y_2 = -1, squared loss: gradient 2 (w - y). alpha_1 = 1/4, tau = 1/2, alpha_2 = 1/2, h = 1/8.
  //   turn of task 1:  q_1 = 0 - (1/4)(-2) = 1/2, g_1 = 2 (1/2 - 1) = -1;   task 2: q_2 = -1/2, g_2 = 1
  //   arrival of 1, all forms: 0 - (1/2)(-1) = 1/2 -> (1/2 - 1/8) = 3/8
  //   arrival of 2, arrived:   (3/8, -1/2), length 5/8 -> factor 4/5: (0.3, -0.4)
  //                 block:     V = (1/2, -1/2), length sqrt(1/2)
  //                 all:       (3/8 + 1/2, -1/2) = (7/8, -1/2), length sqrt(65)/8
  const StudyFixture fixture(one_record_each({1, -1}), squared(), {}, 2);
  auto params = by_hand();
  const auto two = [&](models::ColumnUpdate form) {
    params.column_update = form;
    return MultitaskRun<models::AsyncMtl>(fixture, params, to_hub(0.1));
  };
  const auto arrived = two(models::ColumnUpdate::kArrived);
  CHECK(arrived.protocol.q()(0, 0) == 0.5);
  CHECK(arrived.protocol.p()(0, 0) == Approx(0.3).epsilon(1e-14));
  CHECK(arrived.protocol.p()(0, 1) == Approx(-0.4).epsilon(1e-14));
  const auto block = two(models::ColumnUpdate::kBlock);
  CHECK(block.protocol.p()(0, 0) == Approx(0.5 * (1 - 0.125 / std::sqrt(0.5))).epsilon(1e-14));
  CHECK(block.protocol.p()(0, 1) == Approx(-0.5 * (1 - 0.125 / std::sqrt(0.5))).epsilon(1e-14));
  const auto all = two(models::ColumnUpdate::kAll);
  CHECK(all.protocol.p()(0, 0) == Approx(0.875 * (1 - 1 / std::sqrt(65))).epsilon(1e-14));
  CHECK(all.protocol.p()(0, 1) == Approx(-0.5 * (1 - 1 / std::sqrt(65))).epsilon(1e-14));
  CHECK(all.world->iterations == 2);
  CHECK(all.world->engine.now() == 0.1);
}

TEST_CASE("async_mtl: z_1 shifts the point of the gradient, z_2 what is sent, and q_t keeps none") {
  // As above with one task: point q + z_1 = 1/2 + 1/4, gradient 2 (3/4 - 1) = -1/2, sent -1/2 + 1/4 = -1/4.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1);
  auto params = by_hand();
  params.column_update = models::ColumnUpdate::kBlock;
  params.threshold = 0;
  const std::vector<Eigen::VectorXd> noise{Eigen::VectorXd::Constant(1, 0.25),
                                           Eigen::VectorXd::Constant(1, 0.25)};
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1), &noise);
  CHECK(run.protocol.q()(0, 0) == 0.5);
  CHECK(run.protocol.p()(0, 0) == 0.125);

  // The gradient at the old q = 0: point 1/4, gradient -3/2, sent -5/4.
  params.gradient_at = models::GradientAt::kOldQ;
  const MultitaskRun<models::AsyncMtl> old(fixture, params, to_hub(0.1), &noise);
  CHECK(old.protocol.q()(0, 0) == 0.5);
  CHECK(old.protocol.p()(0, 0) == 0.625);
}

TEST_CASE("async_mtl: a gradient is computed at the p_t that has reached its task, not at the server's") {
  // Both legs take 0.1 s. A clock starts turns at 1, 1.15 and 1.25: the second begins before the answer to the first is
  // back at 1.2, so both are at p = 0; the third has p from the first arrival. A tiny step holds q_t at 0.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 3);
  auto params = by_hand();
  params.alpha_1 = 1e-12;
  params.threshold = 0;
  params.column_update = models::ColumnUpdate::kArrived;  // p <- p - g/2 = p + (y - p_used)
  params.activation = models::Activation::kPoisson;
  sim::NetworkOptions both;
  both.links.latency = 0.1;
  std::vector<double> p;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, both, nullptr,
                                           sim::ClockTrace{{1, 1.15, 1.25}, {1, 1, 1}},
                                           [&](const models::AsyncMtl& m) { p.push_back(m.p()(0, 0)); });
  // p = 0 -> 1 (used 0) -> 2 (used 0) -> 2 (used 1).
  REQUIRE(p.size() == 4);
  CHECK(p[1] == Approx(1).margin(1e-9));
  CHECK(p[2] == Approx(2).margin(1e-9));
  CHECK(p[3] == Approx(2).margin(1e-9));
  CHECK(run.metric("departure_version")[0] == 1);
  CHECK(run.metric("arrival_version")[0] == 2);
  CHECK(run.world->tally.staleness_steps == 0 + 1 + 1);
}

TEST_CASE("async_mtl: without noise all and block end at the minimiser for lambda = h/alpha_2") {
  models::LowRankTasks data{.tasks = 5, .records = 40, .features = 6, .rank = 2};
  data.target = models::TaskTarget::kRegression;
  const StudyFixture fixture(make_data(data, sim::Streams(3, 0)), squared(), {}, 1 << 30);
  models::AsyncMtl::Params params;
  params.alpha_1 = params.alpha_2 = 0.4;
  params.tau = 0.2;
  params.lambda = 0.02;
  params.start = models::TaskStart::kZero;
  params.turns = 4000;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  const auto [p, q] = minimise_jointly(fixture.problem(), 0.02, 0.2);
  for (const auto form : {models::ColumnUpdate::kAll, models::ColumnUpdate::kBlock}) {
    params.column_update = form;
    const MultitaskRun<models::AsyncMtl> run(fixture, params, network);
    CHECK((run.protocol.p() - p).norm() < 1e-6 * p.norm());
    CHECK((run.protocol.q() - q).norm() < 1e-6 * q.norm());
    CHECK(p.norm() > 0.1);
    CHECK(run.metric("objective_joint")[0] ==
          Approx(joint_objective(fixture.problem(), p, q, 0.02, 0.2)).epsilon(1e-9));
    // Equation (1) weights the norm of P + Q by mu = h = alpha_2 lambda, equation (2) that of P by lambda.
    CHECK(run.metric("objective_sum")[0] ==
          Approx(joint_objective(fixture.problem(), p + q, 0 * q, 0.4 * 0.02, 0)).epsilon(1e-9));
    CHECK(run.metric("rank")[0] < 5);
  }
}

TEST_CASE("async_mtl: a lost message ends no loop, and a task that was down goes on when it is up again") {
  const StudyFixture fixture(one_record_each({1, -1}), squared(), {}, 1 << 30);
  auto params = by_hand();
  params.turns = 200;
  params.timeout = 0.05;
  sim::NetworkOptions lossy = to_hub(0.01);
  lossy.links.loss = sim::BernoulliLoss{0.3};
  const MultitaskRun<models::AsyncMtl> lost(fixture, params, lossy);
  CHECK(lost.end == sim::End::kFinished);
  CHECK(lost.metric("turns_by_task") == std::vector<double>{200, 200});
  CHECK(lost.world->iterations < 360);  // 400 gradients of which 0.3 are lost: 5 deviations
  CHECK(lost.world->iterations > 200);

  sim::NetworkOptions churn = to_hub(0.01);
  churn.availability = sim::OnOff{.up = 0.035, .down = 1.0};
  params.timeout = 60;  // so that only on_up can start it again
  params.turns = 20;
  const MultitaskRun<models::AsyncMtl> back(fixture, params, churn);
  CHECK(back.end == sim::End::kFinished);
  // Turns begin at 0, 0.01, 0.02, 0.03; the last one's gradient is sent, its answer at 0.04 finds the task down.
  CHECK(back.world->engine.traffic().lost[static_cast<int>(sim::LossReason::kReceiverDown)] > 0);
  CHECK(back.metric("turns_by_task") == std::vector<double>{20, 20});
  CHECK(back.world->engine.now() > 4);
  CHECK(back.world->engine.now() < 60 + 6);
}

TEST_CASE("async_mtl: a turn that timed out is answered late, and its p_t is taken without a second loop") {
  // Answers take 0.1 s there, none back, timeout 0.04 s: turns begin at 0, 0.04, 0.08, then at 0.1 the answer to
  // the first comes, too late to be waited for.
  const StudyFixture fixture(one_record_each({1}), squared(), {}, 1 << 30);
  auto params = by_hand();
  params.turns = 5;
  params.timeout = 0.04;
  const MultitaskRun<models::AsyncMtl> run(fixture, params, to_hub(0.1));
  CHECK(run.metric("turns_by_task")[0] == 5);
  CHECK(run.world->engine.now() ==
        Approx(0.2).epsilon(1e-9));   // turns at 0, 0.04, ..., 0.16, the last given up at 0.2
  CHECK(run.world->iterations == 3);  // arrivals at 0.1, 0.14, 0.18
}

TEST_CASE("async_mtl: what an account spends is its turns, composed, and never more than all of them") {
  models::LowRankTasks data{.tasks = 4, .records = 20, .features = 3};
  auto privacy = by_turn(0.5, 0.25);
  for (const auto accountant :
       {models::Accountant::kBasic, models::Accountant::kKairouz, models::Accountant::kKairouzExact}) {
    privacy.accountant = accountant;
    privacy.delta = 1e-5;
    const StudyFixture fixture(make_data(data, sim::Streams(1, 0)), logistic(), privacy, 1 << 30);
    models::AsyncMtl::Params params;
    params.turns = 30;
    params.timeout = 0.1;
    sim::NetworkOptions network = to_hub(0);
    network.links.latency = sim::Distribution(sim::Exponential{0.05});
    network.links.loss = sim::BernoulliLoss{0.2};
    network.availability = sim::OnOff{.up = sim::Exponential{0.3}, .down = sim::Exponential{0.2}};
    const MultitaskRun<models::AsyncMtl> run(fixture, params, network);
    for (const sim::AgentId agent : {1u, 2u, 3u, 4u}) {
      const models::Account& account = run.world->ledger.account(agent);
      CHECK(account.releases == 60);
      models::Releases same;
      if (accountant == models::Accountant::kKairouzExact) {
        same.add(models::pure_step(0.75), 30);
      } else {
        same.add(models::exponential_norm_step(0.5, 3), 30);
        same.add(models::exponential_norm_step(0.25, 3), 30);
      }
      const auto total = models::total_guarantee(same, {accountant, 1e-5, models::Adjacency::kReplaceOne});
      CHECK(account.spent().epsilon == Approx(total.epsilon).epsilon(1e-12));
      if (accountant == models::Accountant::kBasic)
        CHECK(account.spent().epsilon == Approx(22.5).epsilon(1e-12));
    }
    CHECK(run.metric("epsilon_turn")[0] == 0.75);
  }
}

TEST_CASE("async_mtl: options that do not fit are refused before a run") {
  const StudyFixture fixture(one_record_each({1, -1}), squared(), {}, 1);
  auto params = by_hand();
  params.alpha_1 = 0.4;  // L = 2 + tau = 2.5
  CHECK_THROWS_WITH(models::AsyncMtl(params, fixture.study()),
                    Catch::Contains("expected a step below 1/L = 0.4"));
  models::LowRankTasks data{.tasks = 3, .records = 20, .features = 3};
  data.target = models::TaskTarget::kRegression;
  const StudyFixture regression(make_data(data, sim::Streams(1, 0)), squared(), by_turn(1, 1), 1);
  CHECK_THROWS_WITH(models::AsyncMtl({}, regression.study()), Catch::Contains("declare c_3 and c_4"));
  models::ModelOptions hinge;
  hinge.loss = models::HingeLoss{};
  const StudyFixture kinked(make_data(models::LowRankTasks{}, sim::Streams(1, 0)), hinge, {}, 1);
  CHECK_THROWS_WITH(models::AsyncMtl({}, kinked.study()), Catch::Contains("needs a smooth loss"));
}
