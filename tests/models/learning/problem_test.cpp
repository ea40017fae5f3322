#include "models/learning/problem.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "models/data/synthetic/lending_like.hpp"
#include "tests/support/tiny_problem.hpp"

using namespace hearsay;
using namespace hearsay::models;
using Eigen::Vector2d;
using Eigen::VectorXd;
using test::two_classes;

namespace {

Shard shard(const Eigen::MatrixXd& x, const VectorXd& y) {
  return {x, y};
}

// Owner 0: (1, 0) -> 1, (0, 2) -> -1. Owner 1: (1, 1) -> 1. Test: owner 0 (1, 0) -> -1.
DataSet three_records() {
  DataSet d;
  d.train = {shard(Eigen::MatrixXd{{1, 0}, {0, 2}}, Vector2d(1, -1)),
             shard(Eigen::MatrixXd{{1, 1}}, VectorXd{{1}})};
  d.test = {shard(Eigen::MatrixXd{{1, 0}}, VectorXd{{-1}}), shard(Eigen::MatrixXd(0, 2), VectorXd(0))};
  d.owner_names = {"a", "b"};
  d.feature_names = {"x1", "x2"};
  return d;
}

const std::vector<Loss> kLosses{SquaredLoss{}, LogisticLoss{}, HingeLoss{}, SmoothedHingeLoss{0.5}};

}  // namespace

TEST_CASE("problem: squared loss worked by hand") {
  const Problem problem(three_records(), {.loss = SquaredLoss{}, .l2 = 0.5});
  const Vector2d theta(2, 1);
  // Scores 2, 2, 3; residuals 1, 3, 2; mean of squares (1 + 9 + 4)/3; g = 0.5 * 5.
  CHECK(problem.objective(theta) == Approx(14.0 / 3 + 2.5));
  const std::size_t second = 1;
  CHECK(problem.objective(theta, {&second, 1}) == Approx(4 + 2.5));
  CHECK(problem.mean_loss(0, theta) == Approx(5));
  Vector2d gradient;
  problem.mean_gradient(0, theta, gradient);  // (1 * (1, 0) * 2 + 3 * (0, 2) * 2)/2
  CHECK((gradient - Vector2d(1, 6)).norm() < 1e-13);
  problem.mean_gradient(1, theta, gradient);
  CHECK((gradient - Vector2d(4, 4)).norm() < 1e-13);
  problem.regulariser_gradient(theta, gradient);
  CHECK(gradient == Vector2d(2, 1));
  CHECK(problem.test_error(theta) == 9);
  CHECK(problem.test_error(0, theta) == 9);
  CHECK(std::isnan(problem.test_error(1, theta)));
  CHECK(problem.n() == 3);
  // X^T X / 3 = [2 1; 1 5]/3, eigenvalues (7 -+ sqrt(13))/6; the Hessian is twice that.
  CHECK(problem.hessian_extremes().first == Approx((7 - std::sqrt(13)) / 3));
  CHECK(problem.hessian_extremes().second == Approx((7 + std::sqrt(13)) / 3));
}

TEST_CASE("problem: l2_half halves the regulariser and its strong convexity") {
  const Problem whole(three_records(), {.l2 = 0.5}), half(three_records(), {.l2 = 0.5, .l2_half = true});
  CHECK(whole.sigma() == 1);
  CHECK(half.sigma() == 0.5);
  CHECK(whole.regulariser(Vector2d(2, 1)) == 2.5);
  CHECK(half.regulariser(Vector2d(2, 1)) == 1.25);
}

TEST_CASE("problem: hinge, logistic and their errors worked by hand") {
  const Vector2d theta(0.5, -0.25);  // margins 0.5, 0.5, 0.25
  const Problem hinge(three_records(), {.loss = HingeLoss{}, .l2 = 0});
  CHECK(hinge.objective(theta) == Approx((0.5 + 0.5 + 0.75) / 3));
  Vector2d gradient;
  hinge.mean_gradient(0, theta, gradient);
  CHECK(gradient == Vector2d(-0.5, 1));
  CHECK(hinge.test_error(theta) == 1);
  const Problem logistic(three_records(), {.loss = LogisticLoss{}, .l2 = 0});
  logistic.mean_gradient(1, Vector2d::Zero(), gradient);
  CHECK(gradient == Vector2d(-0.5, -0.5));
}

TEST_CASE("problem: the mean gradient is the derivative of the mean loss") {
  // Central differences: error h^2/6 |third derivative| < 1e-9, rounding 1e-16 * value / h < 1e-9; a record
  // within h of a kink would show, and has probability below 1e-3 for this fixed data.
  const double h = 1e-6;
  for (const Loss& loss : kLosses) {
    INFO(loss.name());
    const Problem problem(two_classes(2, 40, 6), {.loss = loss});
    const VectorXd theta = VectorXd::LinSpaced(6, -0.4, 0.7);
    VectorXd gradient(6);
    for (std::size_t i = 0; i < 2; ++i) {
      problem.mean_gradient(i, theta, gradient);
      for (Eigen::Index j = 0; j < 6; ++j) {
        VectorXd up = theta, down = theta;
        up[j] += h;
        down[j] -= h;
        CHECK(gradient[j] ==
              Approx((problem.mean_loss(i, up) - problem.mean_loss(i, down)) / (2 * h)).margin(1e-8));
      }
    }
  }
}

TEST_CASE("problem: squared loss from moments is the pass over the records") {
  const Problem problem(make_data(LendingLike{.owners = 3, .records = 30, .features = 5}, sim::Streams(1, 0)),
                        {});
  const VectorXd theta = VectorXd::LinSpaced(5, -3, 3);
  VectorXd from_moments(5);
  for (std::size_t i = 0; i < 3; ++i) {
    const Shard& s = problem.data().train[i];
    CHECK(problem.mean_loss(i, theta) ==
          Approx((s.features * theta - s.target).squaredNorm() / 30).epsilon(1e-13));
    problem.mean_gradient(i, theta, from_moments);
    VectorXd sum = VectorXd::Zero(5);
    for (Eigen::Index k = 0; k < 30; ++k) {
      const VectorXd x = s.features.row(k);
      sum += 2 * (x.dot(theta) - s.target[k]) * x / 30;
    }
    CHECK((from_moments - sum).norm() < 1e-12 * sum.norm());
  }
}

TEST_CASE("problem: clipping scales long gradients to the bound and says how many") {
  const Problem problem(three_records(), {.loss = SquaredLoss{}, .l2 = 0});
  const Vector2d theta(2, 1);  // owner 0's records have gradients (2, 0) and (0, 12)
  Vector2d out;
  CHECK(problem.mean_gradient_clipped(0, theta, 3, Norm::kL1, out) == 0.5);
  CHECK((out - Vector2d(1, 1.5)).norm() < 1e-15);
  CHECK(problem.mean_gradient_clipped(0, theta, 100, Norm::kL1, out) == 0);
  CHECK((out - Vector2d(1, 6)).norm() < 1e-15);
  // Owner 1: (4, 4) has L1 norm 8 and L2 norm sqrt(32).
  CHECK(problem.mean_gradient_clipped(1, theta, 6, Norm::kL2, out) == 0);
  CHECK(problem.mean_gradient_clipped(1, theta, 6, Norm::kL1, out) == 1);
  CHECK((out - Vector2d(3, 3)).norm() < 1e-15);
  CHECK(problem.mean_gradient_clipped(1, theta, std::sqrt(2), Norm::kL2, out) == 1);
  CHECK((out - Vector2d(1, 1)).norm() < 1e-15);
  const std::vector<Eigen::Index> batch{0};
  problem.gradient_of_records(1, batch, theta, 2, 6, Norm::kL2, out);
  CHECK((out - Vector2d(2, 2)).norm() < 1e-15);
  problem.gradient_of_records(1, batch, theta, 2, 6, Norm::kL1, out);
  CHECK((out - Vector2d(1.5, 1.5)).norm() < 1e-15);
  CHECK(problem.largest_record_gradient(theta, Norm::kL1) == Approx(12));
  CHECK(problem.largest_record_gradient(Vector2d(2, 0), Norm::kL2) == Approx(4));  // (2, 0), (0, 4), (2, 2)
}

TEST_CASE("problem: no record's gradient exceeds the bound derived from declared ones") {
  for (const Loss& loss : kLosses) {
    DataSet d = two_classes(2, 200, 3);
    d.bounds->target = 1;
    const Problem problem(d, {.loss = loss, .theta_max = 2});
    const auto bound = problem.derived_gradient_bound();
    REQUIRE(bound);
    for (const double a : {-2.0, 0.0, 2.0}) {
      CHECK(problem.largest_record_gradient(Eigen::Vector3d(a, -2, 2), Norm::kL1) <= *bound);
    }
  }
  CHECK_FALSE(Problem(three_records(), {.theta_max = 1.0}).derived_gradient_bound());
  CHECK_FALSE(Problem(two_classes(2, 20, 3), {.loss = SquaredLoss{}}).derived_gradient_bound());  // no box
  CHECK(Problem(two_classes(2, 20, 3), {.loss = HingeLoss{}}).derived_gradient_bound());
}

TEST_CASE("problem: projection clamps to the box and counts") {
  const Problem boxed(three_records(), {.theta_max = 1.0}), free(three_records(), {});
  VectorXd theta = Vector2d(3, -0.5);
  CHECK(boxed.project(theta) == 1);
  CHECK(theta == Vector2d(1, -0.5));
  theta = Vector2d(3, -4);
  CHECK(free.project(theta) == 0);
  CHECK(theta == Vector2d(3, -4));
}

TEST_CASE("problem: refuses targets that a loss can not use") {
  DataSet d = three_records();
  d.train[0].target[0] = 2;
  CHECK_THROWS_WITH(Problem(d, {.loss = HingeLoss{}}),
                    Catch::Contains("expected targets -1 and +1, found 2"));
  d.train[0].target = Vector2d(1, 1);
  CHECK_THROWS_WITH(Problem(d, {.loss = HingeLoss{}}),
                    Catch::Contains("expected two classes, found only +1"));
  CHECK_NOTHROW(Problem(d, {.loss = HingeLoss{}}, Classes::kPerturbed));
  d.train[0].features(1, 1) = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH(Problem(d, {}), Catch::Contains("owner 0: a feature or target is not finite"));
  d.train[0].features(1, 1) = 2;
  d.train[1] = shard(Eigen::MatrixXd(0, 2), VectorXd(0));
  CHECK_THROWS_WITH(Problem(d, {}).require_records_of_all(),
                    Catch::Contains("owner 1: expected at least one training record"));
  CHECK_THROWS_WITH(Problem(DataSet{}, {}), Catch::Contains("expected at least one owner"));
}

TEST_CASE("problem: squared loss with many features, and an owner without records") {
  const auto p = Eigen::Index{200};
  models::DataSet data = test::equal_records({1, 3}, {2, 0});
  data.feature_names.assign(static_cast<std::size_t>(p), "x");
  data.train[0] = {models::Records::Ones(2, p), Eigen::Vector2d(1, 3)};
  data.train[1] = {models::Records(0, p), Eigen::VectorXd(0)};
  for (models::Shard& s : data.test) s = {models::Records(0, p), Eigen::VectorXd(0)};
  const models::Problem problem(data, test::ridge(0));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(p);
  Eigen::VectorXd gradient(p);
  problem.mean_gradient(1, zero, gradient);
  CHECK(gradient == zero);
  CHECK(problem.mean_loss(1, zero) == 0);
  CHECK(problem.objective(zero) == Approx(5));  // (1 + 9)/2
}
