#include "analysis/conclusions/estimate.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace hearsay::analysis;

TEST_CASE("log-log line: a power law gives its exponent and no departure") {
  CHECK(log_log_line({1, 2, 5, 40}, {3, 0.75, 0.12, 3 / 1600.}).slope == Approx(-2));
  CHECK(log_log_line({1, 2, 5, 40}, {3, 0.75, 0.12, 3 / 1600.}).departure == Approx(1));
}

TEST_CASE("log-log line: least squares of logarithms, computed by hand") {
  // log10 y = 0, 0, 1 at log10 x = 0, 1, 2: slope 1/2, residuals 1/6, -1/3, 1/6.
  CHECK(log_log_line({1, 10, 100}, {1, 1, 10}).slope == Approx(0.5));
  CHECK(log_log_line({1, 10, 100}, {1, 1, 10}).departure == Approx(std::pow(10, 1.0 / 3)));
}

TEST_CASE("log-log line: pairs without a logarithm are left out, a single x has no slope") {
  CHECK(log_log_line({1, 2, 3, 4, 5}, {1, 4, kNone, -1, 0}).slope == Approx(2));
  CHECK(log_log_line({1, 2, 3, 4, 5}, {1, 4, kNone, -1, 0}).pairs == 2);
  CHECK(log_log_line({2, 2}, {1, 3}).pairs == 2);
  CHECK(std::isnan(log_log_line({2, 2}, {1, 3}).slope));
  CHECK(std::isnan(log_log_line({}, {}).slope));
}

TEST_CASE("fitted constants: exact if the terms reproduce the data, also over many orders of magnitude") {
  Eigen::MatrixXd terms(3, 2);
  terms << 1, 1e-12, 2, 5e-12, 3, 0.5e-12;
  const Eigen::Vector2d truth(0.7, 3e9);
  const Eigen::VectorXd y = terms * truth;
  const Eigen::VectorXd c = fit_constants(terms, Eigen::VectorXd::Zero(3), {y[0], y[1], y[2]});
  CHECK(c[0] == Approx(0.7));
  CHECK(c[1] == Approx(3e9));
  // The known part of the value is subtracted first.
  const Eigen::VectorXd rest = fit_constants(terms.col(1), 0.7 * terms.col(0), {y[0], y[1], y[2]});
  CHECK(rest[0] == Approx(3e9));
}

TEST_CASE("fitted constants: none is negative, and the others are optimal without it") {
  // y = 1, 2 from terms (1, 1) and (1, 3): the relative least squares solution has c2 = 1/2 and c1 = 1/2;
  // with y = 3, 2 it would have c2 = -1/2. Then c1 alone: minimise (c/3 - 1)^2 + (c/2 - 1)^2,
  // c = (1/3 + 1/2)/(1/9 + 1/4) = 30/13.
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
  // One equation, or two that are equal, has a segment of solutions.
  for (const std::vector<double>& y : {std::vector<double>{kNone, 2}, {1, 2}}) {
    terms << 1, 3, 2, 6;
    const Eigen::VectorXd any = fit_constants(terms, zero, y);
    CHECK(std::isnan(any[0]));
    CHECK(std::isnan(any[1]));
  }
  CHECK(fit_constants(terms.col(1), zero, {3, 6})[0] == Approx(1));
}

TEST_CASE("jackknife: for a mean it is Student's interval") {
  // 1, 2, 3, 4: mean 2.5, standard error sqrt(5/12), t(3, 97.5 %) = 3.182446.
  const Estimate e = mean_with_interval({1, 2, 3, 4}, 0.95);
  CHECK(e.value == Approx(2.5));
  CHECK(e.high - e.value == Approx(3.182446 * std::sqrt(5.0 / 12)).epsilon(1e-6));
  CHECK(e.value - e.low == Approx(e.high - e.value));
  CHECK(std::isnan(mean_with_interval({7}, 0.95).low));
  CHECK(mean_with_interval({7}, 0.95).value == 7);
}

TEST_CASE("jackknife: variation common to all points does not affect the interval of a slope") {
  // y_k(r) = m(r) x_k^-2: every repetition has the slope -2 exactly, however much m varies.
  const std::vector<double> x{1, 10, 100};
  std::vector<std::vector<double>> values(3);
  for (const double m : {0.1, 1.0, 50.0, 3.0}) {
    for (std::size_t k = 0; k < 3; ++k) values[k].push_back(m / (x[k] * x[k]));
  }
  const auto slope = [&](const std::vector<double>& y) { return std::vector{log_log_line(x, y).slope}; };
  const Estimate e = jackknife(values, 0.95, slope).front();
  CHECK(e.value == Approx(-2));
  CHECK(e.high - e.low < 1e-9);
  // Variation at one point alone does.
  values[2][1] *= 2;
  const Estimate wide = jackknife(values, 0.95, slope).front();
  CHECK(wide.high - wide.low > 0.01);
}

TEST_CASE("jackknife: for a slope it is the standard error of the delta method") {
  // Two points, y_1 = 1 always; y_2 has mean m = 10 and standard error s: slope = log m/log 10, standard
  // error s/(m log 10) to first order in s/m = 0.0025.
  std::vector<double> noisy;
  for (int r = 0; r < 100; ++r) noisy.push_back(10 + (r % 2 == 0 ? 0.25 : -0.25));
  const double error = 0.25 * std::sqrt(100.0 / 99) / 10;  // of the mean of 100
  const Estimate e =
      jackknife({std::vector<double>(100, 1.0), noisy}, 0.95, [](const std::vector<double>& y) {
        return std::vector{log_log_line({1, 10}, y).slope};
      }).front();
  CHECK(e.value == Approx(1));
  CHECK(e.high - e.value == Approx(1.984217 * error / (10 * std::log(10.0))).epsilon(1e-3));
}

TEST_CASE("jackknife: a point with few repetitions has the degrees of freedom and the variance of these") {
  // 1, 3: mean 2, standard error 1, t(0.975, 1) = 12.706205, however many repetitions the other point has.
  const auto first = [](const std::vector<double>& mean) { return std::vector{mean[0]}; };
  for (const std::size_t other : {2u, 1000u}) {
    const Estimate e = jackknife({{1, 3}, std::vector<double>(other, 1.0)}, 0.95, first).front();
    CHECK(e.value == 2);
    CHECK(e.high - e.value == Approx(12.706205).epsilon(1e-6));
  }
  // Independent points: 2 - 1 has the variance 1 + 8/3/4 of 1, 3 and of 1, -1, 3, 1, of which one is missing.
  const auto difference = [](const std::vector<double>& mean) { return std::vector{mean[0] - mean[1]}; };
  const Estimate e =
      jackknife({{kNone, kNone, kNone, kNone, kNone, 1, 3}, {1, -1, kNone, 3, 1}}, 0.95, difference).front();
  CHECK(e.high - e.value == Approx(12.706205 * std::sqrt(1 + 8.0 / 12)).epsilon(1e-6));
  // One repetition does not say how much it varies. A point without any is not used.
  CHECK(std::isnan(jackknife({{2}, {1, 3}}, 0.95, difference).front().low));
  CHECK(jackknife({{1, 3}, {kNone}}, 0.95, first).front().high == Approx(14.706205));
}

TEST_CASE("paired difference: the interval of the mean is Student's, computed by hand") {
  // Differences 1, 2, 3: mean 2, s = 1, n = 3; t(0.975, 2) = 4.302653 (tables): 2 +- 4.302653/sqrt(3).
  const auto d = paired_difference({10, 20, 30}, {11, 22, 33}, 0.95);
  CHECK(d.pairs == 3);
  CHECK(d.mean == Approx(2));
  CHECK(d.low == Approx(2 - 4.302653 / std::sqrt(3)).epsilon(1e-6));
  CHECK(d.high == Approx(2 + 4.302653 / std::sqrt(3)).epsilon(1e-6));
  // Variances: 100 and 121 of the two points, 1 of the difference.
  CHECK(d.reduction == Approx(221));
}

TEST_CASE("paired difference: pairs without two numbers are left out, one pair has no interval") {
  const auto d = paired_difference({1, kNone, 3, 4}, {2, 5, std::numeric_limits<double>::infinity()}, 0.9);
  CHECK(d.pairs == 1);
  CHECK(d.mean == 1);
  CHECK(std::isnan(d.low));
  CHECK(std::isnan(paired_difference({}, {}, 0.9).mean));
}
