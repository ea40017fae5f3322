#include "models/losses/loss.hpp"

#include <Eigen/Core>
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace hearsay::models;

TEST_CASE("losses: values and slopes computed by hand") {
  CHECK(SquaredLoss{}.value(3, 1) == 4);
  CHECK(SquaredLoss{}.slope(3, 1) == 4);
  CHECK(LogisticLoss{}.value(0, 1) == Approx(std::log(2)));
  CHECK(LogisticLoss{}.slope(0, -1) == 0.5);
  CHECK(HingeLoss{}.value(0.25, -1) == 1.25);
  CHECK(HingeLoss{}.slope(0.25, -1) == 1);
  CHECK(HingeLoss{}.value(1.5, 1) == 0);
  CHECK(HingeLoss{}.slope(1, 1) == 0);
  const SmoothedHingeLoss smoothed{0.5};
  CHECK(smoothed.value(1, 1) == 0);
  CHECK(smoothed.value(0.75, 1) == Approx(0.0625));
  CHECK(smoothed.value(0, 1) == 0.75);
  CHECK(smoothed.slope(0.75, 1) == Approx(-0.5));
  CHECK(smoothed.slope(-3, 1) == -1);
}

TEST_CASE("losses: slope and curvature are derivatives") {
  // Central differences of step h err by h^2/6 |third derivative| (at most 1 here) plus rounding 1e-15/h.
  const double h = 1e-5;
  for (const Loss& loss :
       {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(HingeLoss{}), Loss(SmoothedHingeLoss{0.5})}) {
    for (const double y : {-1.0, 1.0}) {
      for (const double s : {-2.3, -0.8, -0.2, 0.3, 0.7, 1.9}) {  // away from the kinks at |s| = 0.5 and 1
        INFO(loss.name() << " at s = " << s << ", y = " << y);
        CHECK(loss.slope(s, y) ==
              Approx((loss.value(s + h, y) - loss.value(s - h, y)) / (2 * h)).margin(1e-9));
        CHECK(loss.curvature(s, y) ==
              Approx((loss.slope(s + h, y) - loss.slope(s - h, y)) / (2 * h)).margin(1e-9));
      }
    }
  }
}

TEST_CASE("logistic loss: far scores neither overflow nor lose digits") {
  CHECK(LogisticLoss{}.value(-1000, 1) == 1000);
  CHECK(LogisticLoss{}.value(40, 1) == Approx(std::exp(-40)).epsilon(1e-12));
  CHECK(LogisticLoss{}.slope(-1000, 1) == -1);
  CHECK(LogisticLoss{}.slope(1000, 1) == 0);
  CHECK(LogisticLoss{}.curvature(1000, 1) == 0);
}

TEST_CASE("losses: the gradient bound is reached at the corner and never exceeded") {
  // x = (r1, 0), theta = (theta_max, 0), y = -y_max: the squared loss's gradient is 2 (theta_max r1 + y_max)
  // r1.
  const double r1 = 1.5, y_max = 2, theta_max = 3;
  CHECK(SquaredLoss{}.gradient_l1_bound(r1, y_max, theta_max) ==
        Approx(SquaredLoss{}.slope(theta_max * r1, -y_max) * r1));
  CHECK(SquaredLoss{}.gradient_l1_bound(r1, y_max, theta_max) == Approx(19.5));
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(HingeLoss{}), Loss(SmoothedHingeLoss{0.5})}) {
    CHECK(loss.gradient_l1_bound(r1, 1, theta_max) == r1);
    for (const double s : {-1e6, -1.0, 0.0, 1.0}) CHECK(std::abs(loss.slope(s, 1)) <= 1);
  }
}

TEST_CASE("losses: the stated bounds of slope and curvature hold and are reached") {
  for (const Loss& loss :
       {Loss(SquaredLoss{}), Loss(LogisticLoss{}), Loss(HingeLoss{}), Loss(SmoothedHingeLoss{0.25})}) {
    INFO(loss.name());
    double slope = 0, curvature = 0;
    for (const double y : {-1.0, 1.0}) {
      for (int k = -4000; k <= 4000; ++k) {
        slope = std::max(slope, std::abs(loss.slope(k / 100.0, y)));
        curvature = std::max(curvature, loss.curvature(k / 100.0, y));
      }
    }
    CHECK(slope <= loss.max_slope());
    CHECK(curvature <= loss.max_curvature());
    if (std::isfinite(loss.max_slope())) CHECK(slope == Approx(loss.max_slope()));
    if (loss.smooth()) CHECK(curvature == Approx(loss.max_curvature()));
  }
  CHECK_THROWS_WITH(Loss(HingeLoss{}).require_smooth(), Catch::Contains("needs a smooth loss, not hinge"));
}

TEST_CASE("losses: test error is the squared error of a regression and the misclassification of a class") {
  CHECK(Loss(SquaredLoss{}).error(2, -1) == 9);
  CHECK(Loss(HingeLoss{}).error(0.1, 1) == 0);
  CHECK(Loss(HingeLoss{}).error(0.1, -1) == 1);
  CHECK(Loss(LogisticLoss{}).error(0, -1) == 1);
  CHECK_FALSE(Loss(SquaredLoss{}).is_classifier());
  CHECK_FALSE(Loss(HingeLoss{}).smooth());
  CHECK(Loss(SmoothedHingeLoss{}).smooth());
}

TEST_CASE("loss: the logistic loss of a block is that of its records") {
  Eigen::VectorXd scores(7), y(7);
  scores << -800, -30, -1, 0, 0.5, 40, 900;
  y << 1, 1, -1, 1, -1, -1, 1;
  const LogisticLoss loss;
  double total = 0;
  for (Eigen::Index k = 0; k < 7; ++k) total += loss.value(scores[k], y[k]);
  CHECK(loss.total(scores, y) == Approx(total).epsilon(1e-14));
  const Eigen::VectorXd at = scores;
  loss.slopes(scores, y);
  for (Eigen::Index k = 0; k < 7; ++k)
    CHECK(scores[k] == Approx(loss.slope(at[k], y[k])).epsilon(1e-14).margin(1e-300));
}
