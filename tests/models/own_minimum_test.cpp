#include "models/solvers/own_minimum.hpp"

#include <catch2/catch.hpp>

#include "tests/support/multitask.hpp"

using namespace hearsay;
using namespace hearsay::test;

TEST_CASE("own minimum: the gradient beside an offset vanishes") {
  const StudyFixture fixture(low_rank_tasks(2, 40, models::TaskTarget::kClassification), logistic(), {}, 1);
  const Eigen::VectorXd offset = Eigen::VectorXd::Constant(4, 0.3);
  const Eigen::VectorXd q = models::minimise_own(fixture.problem(), 1, offset, 0.01);
  Eigen::VectorXd gradient(4);
  fixture.problem().mean_gradient(1, offset + q, gradient);
  CHECK((gradient + 0.01 * q).norm() < 1e-12);
}
