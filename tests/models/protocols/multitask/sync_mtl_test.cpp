#include "models/protocols/multitask/sync_mtl.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/models/protocols/multitask/joint_minimum.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

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

TEST_CASE(
    "sync and async with block: the same minimiser, the time ratio at equal step is slowest to mean link, "
    "1.91") {
  // 20 tasks, one U(0, 15 ms) draw a round trip: a round takes 15 * 20/21 ms on average, a task's own trip 7.5 ms.
  const StudyFixture fixture(low_rank_tasks(20, 40, models::TaskTarget::kRegression), squared(), {}, 1 << 30);
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
  const MultitaskRun<models::AsyncMtl> async(fixture, params, network, nullptr, {}, {}, 0,
                                             [&](const models::World&, const models::AsyncMtl& m) {
                                               return ++looks % 5 == 0 && objective(m) <= level;
                                             });
  CHECK(sync.world->engine.now() / async.world->engine.now() == Approx(1.91).margin(0.1));
}
