#include "analysis/audit/many_runs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::analysis;

namespace {

std::vector<double> normal_scores(std::uint32_t group, std::uint32_t repetition, std::size_t runs,
                                  double mean) {
  sim::Stream stream = test::kStreams(sim::Purpose::kNoise, group, 7, repetition);
  std::vector<double> scores(runs);
  for (double& score : scores) score = sim::normal(stream, mean);
  return scores;
}

constexpr double kMuOfOne = 0.268051;  // delta(1) = 1e-5, by Balle and Wang 2018

}  // namespace

TEST_CASE("audit, many runs: bounds of Clopper and Pearson with closed forms") {
  // No success: (1 - p)^n = alpha; all but one: p^n = 1 - alpha.
  CHECK(clopper_pearson_upper(0, 50, 0.025) == Approx(1 - std::pow(0.025, 1.0 / 50)).epsilon(1e-12));
  CHECK(clopper_pearson_upper(0, 1'000'000, 1e-9) ==
        Approx(-std::expm1(std::log(1e-9) / 1e6)).epsilon(1e-10));
  CHECK(clopper_pearson_upper(49, 50, 0.025) == Approx(std::pow(0.975, 1.0 / 50)).epsilon(1e-12));
  CHECK(clopper_pearson_upper(50, 50, 0.025) == 1);
}

TEST_CASE("audit, many runs: scores that never overlap certify what the number of runs allows") {
  const std::vector<double> low(200, -1.0), high(200, 2.0);
  // 100 counted of each, no error: u = 1 - 0.025^(1/100) bounds either rate.
  const double u = 1 - std::pow(0.025, 0.01), delta = 0.01;
  for (const bool above : {true, false}) {
    const ManyRunsCertificate c = certify_by_runs(above ? low : high, above ? high : low, {.delta = delta});
    CHECK(c.epsilon == Approx(std::log((1 - u - delta) / u)).epsilon(1e-10));
    CHECK(c.above == above);
    CHECK(c.threshold == 0.5);
    CHECK(c.runs0 == 100);
    CHECK(c.runs1 == 100);
    CHECK(c.false_positives == 0);
    CHECK(c.false_negatives == 0);
    CHECK(c.fpr == Approx(u).epsilon(1e-10));
    CHECK(c.fnr == Approx(u).epsilon(1e-10));
  }
  const ManyRunsCertificate c =
      certify_by_runs(low, high, {.delta = delta, .trade_off = TradeOff::kGaussian});
  // 2 Phi^-1(1 - u), u = 0.0362167.
  CHECK(c.mu == Approx(2 * 1.7963845).epsilon(1e-6));
}

TEST_CASE("audit, many runs: either event can certify more, whichever data set it is rarer with") {
  // One in four scores of one data set is one that the other never has. The event shows ln((1/4 - ...)/u); its complement
  // ln of nearly 1/(3/4).
  std::vector<double> rare(800, 0.0);
  const std::vector<double> never(800, 0.0);
  for (std::size_t k = 0; k < rare.size(); k += 4) rare[k] = 1;
  // 400 counted: no false alarm, 300 missed.
  const double u = 1 - std::pow(0.025, 1.0 / 400), missed = clopper_pearson_upper(300, 400, 0.025);
  const double expected = std::log((1 - missed) / u);
  CHECK(certify_by_runs(never, rare, {}).epsilon == Approx(expected).epsilon(1e-10));
  CHECK(certify_by_runs(rare, never, {}).epsilon == Approx(expected).epsilon(1e-10));
  // The same with the rare score at the other end.
  for (double& score : rare) score = -score;
  CHECK(certify_by_runs(never, rare, {}).epsilon == Approx(expected).epsilon(1e-10));
  CHECK(certify_by_runs(rare, never, {}).epsilon == Approx(expected).epsilon(1e-10));
}

TEST_CASE("audit, many runs: delta is taken off before the ratio") {
  std::vector<double> rare(800, 0.0);
  const std::vector<double> never(800, 0.0);
  for (std::size_t k = 0; k < rare.size(); k += 4) rare[k] = 1;
  const double u = 1 - std::pow(0.025, 1.0 / 400), missed = clopper_pearson_upper(300, 400, 0.025);
  CHECK(certify_by_runs(never, rare, {.delta = 0.1}).epsilon ==
        Approx(std::log((1 - missed - 0.1) / u)).epsilon(1e-10));
  // An event as rare as delta shows nothing, and its complement ln((1 - u - 0.3)/missed) < 0.
  CHECK(certify_by_runs(never, rare, {.delta = 0.3}).epsilon == 0);
}

TEST_CASE("audit, many runs: what the choice of the threshold has seen counts for nothing") {
  const std::vector<double> same(200, 0.0);
  std::vector<double> first_half = same;
  std::fill_n(first_half.begin(), 100, 1.0);
  const ManyRunsCertificate c = certify_by_runs(same, first_half, {});
  CHECK(c.epsilon == 0);
  CHECK(c.threshold == 0.5);
  CHECK(c.false_negatives == 100);
  CHECK(c.fnr == 1);
  CHECK(certify_by_runs(same, first_half, {.delta = 1e-5, .trade_off = TradeOff::kGaussian}).mu == 0);
}

TEST_CASE("audit, many runs: scores that do not depend on the data certify nothing") {
  constexpr int kRepetitions = 2000;
  constexpr double kFailure = 0.1;
  for (const TradeOff trade_off : {TradeOff::kAny, TradeOff::kGaussian}) {
    for (const bool rounded : {false, true}) {
      std::uint64_t failures = 0;
      for (std::uint32_t k = 0; k < kRepetitions; ++k) {
        std::vector<double> scores0 = normal_scores(1, k, 200, 0), scores1 = normal_scores(2, k, 200, 0);
        if (rounded) {
          for (auto* const scores : {&scores0, &scores1})
            for (double& score : *scores) score = std::round(2 * score);
        }
        const auto c =
            certify_by_runs(scores0, scores1, {.delta = 1e-5, .failure = kFailure, .trade_off = trade_off});
        failures += c.epsilon > 0 ? 1 : 0;
      }
      INFO(failures << " of " << kRepetitions);
      // Hoeffding: more than n (0.1 + t) with probability at most exp(-2 n t^2), 1e-9 at t = 0.072.
      CHECK(failures <= 200 + 144);
    }
  }
}

TEST_CASE("audit, many runs: randomised response certifies most of its epsilon") {
  // P(1 | D1) = P(0 | D0) = e^epsilon/(1 + e^epsilon) at epsilon 1: 0.731059. With 1e5 counted, each bound is within 2 x 6
  // standard deviations of 0.0014 of the rate 0.268941 but for one case in 1e9.
  const double p = 1 / (1 + std::exp(-1.0));
  std::vector<double> scores[2];
  for (const std::uint32_t side : {0U, 1U}) {
    sim::Stream stream = test::kStreams(sim::Purpose::kNoise, 3, side, 0);
    for (int k = 0; k < 200'000; ++k)
      scores[side].push_back(sim::bernoulli(stream, side == 1 ? p : 1 - p) ? 1 : 0);
  }
  const ManyRunsCertificate c = certify_by_runs(scores[0], scores[1], {.failure = 1e-9});
  const double slack = 12 * std::sqrt(p * (1 - p) / 1e5);
  CHECK(c.epsilon <= 1);
  CHECK(c.epsilon >= std::log((p - slack) / (1 - p + slack)));
}

TEST_CASE("audit, many runs: of 1e5 runs of a Gaussian release with epsilon 1") {
  test::Mean any, gaussian;
  int above_truth = 0;
  for (std::uint32_t k = 0; k < 20; ++k) {
    const std::vector<double> without = normal_scores(4, k, 100'000, 0),
                              with = normal_scores(5, k, 100'000, kMuOfOne);
    any.add(certify_by_runs(without, with, {.delta = 1e-5}).epsilon);
    const ManyRunsCertificate c =
        certify_by_runs(without, with, {.delta = 1e-5, .trade_off = TradeOff::kGaussian});
    gaussian.add(c.epsilon);
    above_truth += c.epsilon > 1 ? 1 : 0;
  }
  // Bounds at rates Phi(-mu/2) = 0.4467 with standard deviation 0.00222 and level 0.025 each give, in the mean, mu >=
  // 0.2461: epsilon 0.910.
  CHECK(gaussian.mean() >= 0.85);
  CHECK(gaussian.mean() == Approx(0.910).margin(6 * gaussian.standard_error() + 0.005));
  CHECK(above_truth <= 9);  // binomial (20, 0.05): more with probability 1e-8
  // By the normal approximation the best threshold, 2.44, certifies 0.533 in the mean; one that is chosen from other runs
  // certifies less.
  CHECK(any.mean() <= 0.533 + 6 * any.standard_error());
  CHECK(any.mean() >= 0.45);
}

TEST_CASE("audit, many runs: 1e4 runs find that half of the noise is missing") {
  // Stated: epsilon 2 at delta 1e-5, mu = 0.501552; with half of the noise mu is twice that. Bounds of 5000 counted at rates
  // Phi(-0.501552) with failure 1e-9 give mu >= 0.782 in the mean, with a deviation of 0.028.
  constexpr double kStated = 0.501552;
  for (std::uint32_t k = 0; k < 10; ++k) {
    const ManyRunsCertificate c =
        certify_by_runs(normal_scores(6, k, 10'000, 0), normal_scores(7, k, 10'000, 2 * kStated),
                        {.delta = 1e-5, .failure = 1e-9, .trade_off = TradeOff::kGaussian});
    CHECK(c.mu > kStated);
    CHECK(c.mu <= 2 * kStated);
    CHECK(c.mu == Approx(0.782).margin(6 * 0.028));
  }
}
