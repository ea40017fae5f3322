#include "models/learning/solvers/record_objective.hpp"

#include <catch2/catch.hpp>

#include "tests/support/multitask.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::test;

TEST_CASE("record objective: the gradient vanishes at the minimiser beside an offset and under a tilt") {
  const StudyFixture fixture(low_rank_tasks(2, 40, models::TaskTarget::kClassification), logistic(), {}, 1);
  const Eigen::VectorXd offset = Eigen::VectorXd::Constant(4, 0.3),
                        tilt = Eigen::VectorXd::Constant(4, -0.02);
  const Eigen::VectorXd q = models::minimise_records(fixture.problem(), std::size_t{1},
                                                     {.ridge = 0.01, .offset = offset, .tilt = tilt});
  Eigen::VectorXd gradient(4);
  fixture.problem().mean_gradient(1, offset + q, gradient);
  CHECK((gradient + 0.01 * q + tilt).norm() < 1e-12);
}

TEST_CASE("record objective: value and derivatives by hand") {
  // Squared loss of (x, y) = (1, 2), (3, -1) and (2, 0), the last one another owner's, at theta = 0.5 beside an offset
  // of 1: scores 1.5, 4.5, 3; residuals -0.5, 5.5, 3; mean square (0.25 + 30.25 + 9)/3; slope 2 (-0.5 + 16.5 + 6)/3;
  // curvature 2 (1 + 9 + 4)/3.
  models::DataSet data = equal_records({0, 0}, {2, 1});
  data.train[0] = {Eigen::Vector2d(1, 3), Eigen::Vector2d(2, -1)};
  data.train[1].features(0, 0) = 2;
  const models::Problem problem(std::move(data), {});
  const models::SmoothFunction f = models::record_objective(
      problem, problem.everyone(), models::SquaredLoss{},
      {.ridge = 0.4, .offset = Eigen::VectorXd::Constant(1, 1), .tilt = Eigen::VectorXd::Constant(1, 7)});
  const Eigen::VectorXd theta = Eigen::VectorXd::Constant(1, 0.5);
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian;
  f.gradient(theta, gradient);
  f.hessian(theta, hessian);
  CHECK(f.value(theta) == Approx(39.5 / 3 + 0.2 * 0.25 + 7 * 0.5).epsilon(1e-14));
  CHECK(gradient[0] == Approx(44. / 3 + 0.4 * 0.5 + 7).epsilon(1e-14));
  CHECK(hessian(0, 0) == Approx(28. / 3 + 0.4).epsilon(1e-14));
  const models::Curvature curvature = f.curvature(theta);
  CHECK(curvature.diagonal[0] == Approx(28. / 3 + 0.4).epsilon(1e-14));
  Eigen::VectorXd product;
  curvature.product(Eigen::VectorXd::Constant(1, -3), product);
  CHECK(product[0] == Approx(-3 * (28. / 3 + 0.4)).epsilon(1e-14));
}
