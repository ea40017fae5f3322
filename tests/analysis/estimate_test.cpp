#include "analysis/conclusions/estimate.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace hearsay::analysis;

TEST_CASE("log-log slope: a power has its exponent, and nothing departs from it") {
  CHECK(log_log_slope({1, 2, 5, 40}, {3, 0.75, 0.12, 3 / 1600.}) == Approx(-2));
  CHECK(log_log_departure({1, 2, 5, 40}, {3, 0.75, 0.12, 3 / 1600.}) == Approx(1));
}

TEST_CASE("log-log slope: least squares of logarithms, worked out by hand") {
  // log10 y = 0, 0, 1 at log10 x = 0, 1, 2: slope 1/2, residuals 1/6, -1/3, 1/6.
  CHECK(log_log_slope({1, 10, 100}, {1, 1, 10}) == Approx(0.5));
  CHECK(log_log_departure({1, 10, 100}, {1, 1, 10}) == Approx(std::pow(10, 1.0 / 3)));
}

TEST_CASE("log-log slope: pairs that have no logarithm are left out; one x has no slope") {
  CHECK(log_log_slope({1, 2, 3, 4, 5}, {1, 4, kNone, -1, 0}) == Approx(2));
  CHECK(std::isnan(log_log_slope({2, 2}, {1, 3})));
  CHECK(std::isnan(log_log_slope({}, {})));
}

TEST_CASE(
    "fitted constants: exact where the terms can be combined to the data, also by many orders of magnitude") {
  Eigen::MatrixXd terms(3, 2);
  terms << 1, 1e-12, 2, 5e-12, 3, 0.5e-12;
  const Eigen::Vector2d truth(0.7, 3e9);
  const Eigen::VectorXd y = terms * truth;
  const Eigen::VectorXd c = fit_constants(terms, Eigen::VectorXd::Zero(3), {y[0], y[1], y[2]});
  CHECK(c[0] == Approx(0.7));
  CHECK(c[1] == Approx(3e9));
  // What is known of the value is taken off first.
  const Eigen::VectorXd rest = fit_constants(terms.col(1), 0.7 * terms.col(0), {y[0], y[1], y[2]});
  CHECK(rest[0] == Approx(3e9));
}

TEST_CASE("fitted constants: none is negative, and the others are the best without it") {
  // y = 1, 2 from terms (1, 1) and (1, 3): the relative least squares solution has c2 = 1/2 and c1 = 1/2;
  // with y = 3, 2 it would have c2 = -1/2. Then c1 alone: minimise (c/3 - 1)^2 + (c/2 - 1)^2, c = (1/3 +
  // 1/2)/(1/9
  // + 1/4) = 30/13.
  Eigen::MatrixXd terms(2, 2);
  terms << 1, 1, 1, 3;
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  const Eigen::VectorXd inside = fit_constants(terms, zero, {1, 2});
  CHECK(inside[0] == Approx(0.5));
  CHECK(inside[1] == Approx(0.5));
  const Eigen::VectorXd edge = fit_constants(terms, zero, {3, 2});
  CHECK(edge[0] == Approx(30.0 / 13));
  CHECK(edge[1] == 0);
  CHECK(std::isnan(fit_constants(terms, zero, {kNone, -1})[0]));
}

TEST_CASE("jackknife: of a mean it is Student's interval") {
  // 1, 2, 3, 4: mean 2.5, standard error sqrt(5/12), t(3, 97.5 %) = 3.182446.
  const Estimate e = mean_with_interval({1, 2, 3, 4}, 0.95);
  CHECK(e.value == Approx(2.5));
  CHECK(e.high - e.value == Approx(3.182446 * std::sqrt(5.0 / 12)).epsilon(1e-6));
  CHECK(e.value - e.low == Approx(e.high - e.value));
  CHECK(std::isnan(mean_with_interval({7}, 0.95).low));
  CHECK(mean_with_interval({7}, 0.95).value == 7);
}

TEST_CASE("jackknife: what repetitions have in common at all points drops out of a slope") {
  // y_k(r) = m(r) x_k^-2: every repetition has the slope -2 exactly, however much m varies.
  const std::vector<double> x{1, 10, 100};
  std::vector<std::vector<double>> values(3);
  for (const double m : {0.1, 1.0, 50.0, 3.0}) {
    for (std::size_t k = 0; k < 3; ++k) values[k].push_back(m / (x[k] * x[k]));
  }
  const auto slope = [&](const std::vector<double>& y) { return std::vector{log_log_slope(x, y)}; };
  const Estimate e = jackknife(values, 0.95, slope).front();
  CHECK(e.value == Approx(-2));
  CHECK(e.high - e.low < 1e-9);
  // Varying at one point alone it does not.
  values[2][1] *= 2;
  const Estimate wide = jackknife(values, 0.95, slope).front();
  CHECK(wide.high - wide.low > 0.01);
}

TEST_CASE("jackknife: of a slope, the delta method's standard error") {
  // Two points, y_1 = 1 always; y_2 has mean m = 10 and standard error s: slope = log m/log 10, standard
  // error s/(m log 10) to first order in s/m = 0.0025.
  std::vector<double> noisy;
  for (int r = 0; r < 100; ++r) noisy.push_back(10 + (r % 2 == 0 ? 0.25 : -0.25));
  const double error = 0.25 * std::sqrt(100.0 / 99) / 10;  // of the mean of 100
  const Estimate e =
      jackknife({std::vector<double>(100, 1.0), noisy}, 0.95, [](const std::vector<double>& y) {
        return std::vector{log_log_slope({1, 10}, y)};
      }).front();
  CHECK(e.value == Approx(1));
  CHECK(e.high - e.value == Approx(1.984217 * error / (10 * std::log(10.0))).epsilon(1e-3));
}
