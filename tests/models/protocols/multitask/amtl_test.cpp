#include "models/protocols/multitask/amtl.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/models/protocols/multitask/joint_minimum.hpp"
#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

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
  const StudyFixture fixture(low_rank_tasks(5, 40, models::TaskTarget::kRegression, 6), squared(), {},
                             1 << 30);
  models::Amtl::Params params;
  params.alpha = 0.4;
  params.lambda = 0.02;
  params.turns = 6000;
  sim::NetworkOptions network = to_hub(0);
  network.links.latency = sim::Distribution(sim::Uniform{0, 0.015});
  const MultitaskRun<models::Amtl> run(fixture, params, network);
  const Eigen::MatrixXd p = minimise_low_rank(fixture.problem(), 0.02, 0.4);
  CHECK((run.protocol.w() - p).norm() < 1e-6 * p.norm());
  CHECK(p.norm() > 0.1);
}
