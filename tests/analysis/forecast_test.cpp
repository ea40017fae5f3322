#include "analysis/conclusions/forecast.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/tables/summary.hpp"
#include "sim/random/random.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::analysis;

namespace {

using Values = std::vector<std::vector<double>>;

// 1, sqrt(s)/n, s/n^2 for owners with n records in all.
Eigen::RowVector3d terms_at(double n, double s) {
  return {1, std::sqrt(s) / n, s / (n * n)};
}

const Eigen::Vector3d kTruth(2e-4, 3, 1.3e8);

}  // namespace

TEST_CASE("forecast: a form that holds exactly is recovered with its constants, and forecast exactly") {
  Eigen::MatrixXd terms(5, 3), wanted(2, 3);
  terms << terms_at(5e3, 0.25), terms_at(1e4, 1), terms_at(4e4, 1), terms_at(4e4, 0.01), terms_at(1e6, 0.04);
  wanted << terms_at(1e5, 2.5), terms_at(2e6, 0.01);
  Values values;
  for (const double y : Eigen::VectorXd(terms * kTruth)) values.push_back({y, y, y});
  const Forecast f = forecast(terms, values, wanted, 0.95);
  for (std::size_t j = 0; j < 3; ++j)
    CHECK(f.constants[j].value == Approx(kTruth[static_cast<Eigen::Index>(j)]).epsilon(1e-6));
  CHECK(f.fit_factor == Approx(1));
  // 2e-4 + 3 sqrt(2.5)/1e5 + 1.3e8 * 2.5/1e10 = 2e-4 + 4.743416e-5 + 0.0325, and 2e-4 + 1.5e-7 + 3.25e-7.
  CHECK(f.means[0].value == Approx(0.03274743416).epsilon(1e-8));
  CHECK(f.means[1].value == Approx(2.00475e-4).epsilon(1e-8));
  CHECK(f.means[0].low == Approx(f.means[0].value));
  CHECK(f.means[0].high == Approx(f.means[0].value));
}

TEST_CASE("forecast: without scatter between runs the interval comes from the residuals") {
  // One term 1 and means 1 and 2. Least squares of relative errors: c = (1 + 1/2)/(1 + 1/4) = 1.2. One degree of freedom,
  // for which the 75 % quantile of Student's distribution is 1.
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(2, 1);
  const Forecast f = forecast(ones, {{1, 1}, {2, 2}}, 3 * ones.topRows(1), 0.5);
  CHECK(f.constants[0].value == Approx(1.2));
  CHECK(f.fit_factor == Approx(2 / 1.2));
  CHECK(f.means[0].value == Approx(3.6));
  const double half = std::hypot(std::log(1 / 1.2), std::log(2 / 1.2));
  CHECK(f.means[0].low == Approx(3.6 * std::exp(-half)));
  CHECK(f.means[0].high == Approx(3.6 * std::exp(half)));
}

TEST_CASE("forecast: without residuals the interval comes from the scatter between runs") {
  // Runs 0.8 and 1.2 at both points. Jackknife: log 1.2 and log 0.8, variance log(1.5)^2/4. Sampling: (0.04 + 0.04)/1/2.
  // Nearly equal variances of one degree each have nearly two, for which the 75 % quantile is sqrt(2/3).
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(2, 1);
  const Forecast f = forecast(ones, {{0.8, 1.2}, {1.2, 0.8}}, ones.topRows(1), 0.5);
  const Forecast same = forecast(ones, {{0.8, 1.2}, {0.8, 1.2}}, ones.topRows(1), 0.5);
  CHECK(f.means[0].value == Approx(1));
  CHECK(same.means[0].value == Approx(1));
  const double variance = std::pow(std::log(1.5), 2) / 4 + 0.04;
  CHECK(std::log(same.means[0].high) == Approx(std::sqrt(variance * 2 / 3)).epsilon(1e-3));
  CHECK(std::log(same.means[0].low) == Approx(-std::log(same.means[0].high)));
  CHECK(f.means[0].high < same.means[0].high);  // the two points' scatter partly cancels
  CHECK(same.run_low == Approx(0.8));
  CHECK(same.run_high == Approx(1.2));
}

TEST_CASE("forecast: the point with the fewest repetitions sets the degrees of freedom") {
  // 0.8, 1.2 and four times 1, so that the constant is 1. Without repetition r the first mean is 1 +- 0.2, here times
  // sqrt((1/2)/(3/4)); of means a and 1 the constant is (1/a + 1)/(1/a^2 + 1). Sampling: (0.04 + 0)/2.
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(2, 1);
  const Forecast f = forecast(ones, {{0.8, 1.2}, {1, 1, 1, 1}}, ones.topRows(1), 0.5);
  const auto log_constant = [](double a) { return std::log((1 / a + 1) / (1 / (a * a) + 1)); };
  const double low = log_constant(1 - 0.2 * std::sqrt(2.0 / 3)),
               high = log_constant(1 + 0.2 * std::sqrt(2.0 / 3));
  const double fitted = 0.75 * (low * low + high * high - (low + high) * (low + high) / 4),
               variance = fitted + 0.02;
  const double freedom = variance * variance / (fitted * fitted + 0.02 * 0.02);
  CHECK(std::log(f.means[0].high) == Approx(student_half_width(0.5, freedom, std::sqrt(variance))));
  CHECK(std::isnan(forecast(ones, {{1}, {1, 1, 1, 1}}, ones, 0.95).means[0].low));
}

TEST_CASE("forecast: intervals cover the mean at a new point as often as they claim") {
  // Runs are the form times independent gamma variables of mean 1 and variance 1/5 (sums of 5 exponential ones), as the
  // relative fitness in 10 dimensions is nearly. Of 1000 trials with coverage of at least 0.95, fewer than 900 cover with
  // probability below 1e-9 (7 standard deviations); of those with coverage from 0.5 to 0.62, fewer than 400 or more than
  // 720 (6.3).
  Eigen::MatrixXd terms(8, 3), wanted(1, 3);
  terms << terms_at(5e3, 0.25), terms_at(1e4, 1), terms_at(1e4, 0.04), terms_at(2e4, 4), terms_at(2e4, 0.25),
      terms_at(4e4, 1), terms_at(4e4, 0.0625), terms_at(5e3, 0.01);
  wanted << terms_at(1.5e5, 6.6);
  const Eigen::VectorXd expected = terms * kTruth;
  const double truth = wanted.row(0).dot(kTruth);
  sim::Stream stream = test::kStreams(sim::Purpose::kData, 0);
  const auto runs = [&](double mean) {
    std::vector<double> all;
    for (int r = 0; r < 20; ++r) {
      double sum = 0;
      for (int j = 0; j < 5; ++j) sum -= std::log(1 - sim::uniform(stream));
      all.push_back(mean * sum / 5);
    }
    return all;
  };
  int wide = 0, narrow = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Values values;
    for (const double y : expected) values.push_back(runs(y));
    const Values measured{runs(truth)};
    wide += static_cast<int>(quality_of(forecast(terms, values, wanted, 0.95), measured).inside);
    narrow += static_cast<int>(quality_of(forecast(terms, values, wanted, 0.5), measured).inside);
  }
  CHECK(wide >= 900);
  CHECK(narrow >= 400);
  CHECK(narrow <= 720);
}

TEST_CASE("forecast: there is no interval with one repetition, or with as many constants as points") {
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(2, 1);
  const Forecast once = forecast(ones, {{1}, {2}}, ones, 0.95);
  CHECK(once.means[0].value == Approx(1.2));
  CHECK(std::isnan(once.means[0].low));
  CHECK(std::isnan(once.constants[0].low));
  CHECK(std::isnan(forecast(ones.topRows(1), {{1, 2}}, ones, 0.95).means[0].low));
}

TEST_CASE("forecast: constants are determined unless the terms are zero or dependent") {
  Eigen::MatrixXd terms(3, 2);
  terms << 1, 2e-9, 1, 3e-9, 1, 5e-9;
  CHECK(identifiable(terms));
  terms.col(1) = 1e-9 * terms.col(0);
  CHECK_FALSE(identifiable(terms));
  terms.col(1).setZero();
  CHECK_FALSE(identifiable(terms));
}

TEST_CASE("forecast: its quality counts measured points alone") {
  Forecast f;
  f.means = {{10, 5, 20}, {10, 9, 11}, {10, 5, 20}, {10, 5, 20}};
  // Means 8, 20, none, 11; quartiles [7, 9], [15, 25], none, [6, 16]; factors 1.25, 2, none, 1.1.
  const ForecastQuality q = quality_of(f, {{6, 8, 10}, {10, 20, 30}, {}, {1, 11, 21}});
  CHECK(q.points == 3);
  CHECK(q.inside == 2);
  CHECK(q.between_quartiles == 1);
  CHECK(q.median_factor == Approx(1.25));
  CHECK(q.worst_factor == Approx(2));
}
