// Control variates: means by regression on quantities of known expectation.
#include "analysis/conclusions/estimate.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "analysis/conclusions/conclusions.hpp"
#include "analysis/store/store.hpp"
#include "sim/random/random.hpp"
#include "tests/support/results.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/statistics.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using analysis::controlled_mean;

namespace {

// 2000 studies of 20 runs: y = 3 + 2 a c_1 - a c_2 + error, all standard normal.
struct Studies {
  test::Mean plain, controlled;
  std::uint64_t inside = 0;
  static constexpr std::uint64_t kStudies = 2000;

  explicit Studies(double a) {
    for (std::uint32_t s = 0; s < kStudies; ++s) {
      sim::Stream stream = test::kStreams(sim::Purpose::kProtocol, s, 1, 0);
      std::vector<double> y;
      std::vector<std::vector<double>> c(2);
      for (int r = 0; r < 20; ++r) {
        for (auto& control : c) control.push_back(sim::normal(stream));
        y.push_back(3 + 2 * a * c[0].back() - a * c[1].back() + sim::normal(stream));
      }
      const auto e = controlled_mean(y, c, 0.95);
      REQUIRE(e.used.size() == 2);
      plain.add(e.plain.value);
      controlled.add(e.controlled.value);
      inside += e.controlled.low <= 3 && 3 <= e.controlled.high ? 1 : 0;
    }
  }
  double ratio() const { return std::pow(controlled.standard_error() / plain.standard_error(), 2); }
};

}  // namespace

TEST_CASE("control variates: a regression by hand") {
  // c: mean 1, squares 10; y: mean 3, squares 10; products 4. b = 0.4, constant 3 - 0.4 = 2.6, squared errors 10 - 1.6 = 8.4,
  // s^2 = 8.4/3 = 2.8, variance of the constant 2.8 (1/5 + 1/10) = 0.84, t(0.975, 3) = 3.182446.
  const auto e = controlled_mean({1, 3, 2, 5, 4}, {{0, 2, 1, 3, -1}}, 0.95);
  CHECK(e.plain.value == Approx(3));
  CHECK(e.controlled.value == Approx(2.6).epsilon(1e-12));
  CHECK(e.controlled.high - e.controlled.value == Approx(2.9167602178195353).epsilon(1e-9));
  CHECK(e.controlled.value - e.controlled.low == Approx(2.9167602178195353).epsilon(1e-9));
  CHECK(e.r2 == Approx(0.16).epsilon(1e-12));
  // Controls that stand still, or repeat another one, are left out.
  const auto same = controlled_mean(
      {1, 3, 2, 5, 4}, {{0, 0, 0, 0, 0}, {0, 2, 1, 3, -1}, {2, 2, 2, 2, 2}, {0, 4, 2, 6, -2}}, 0.95);
  CHECK(same.used == std::vector<std::size_t>{1});
  CHECK(same.controlled.value == Approx(2.6).epsilon(1e-12));
  // q + 3 values are needed.
  CHECK_FALSE(std::isnan(controlled_mean({1, 3, 2, 5}, {{0, 2, 1, 3}}, 0.95).controlled.value));
  CHECK(std::isnan(controlled_mean({1, 3, 2}, {{0, 2, 1}}, 0.95).controlled.value));
  CHECK(controlled_mean({1, 3, 2}, {{0, 2, 1}}, 0.95).plain.value == Approx(2));
  CHECK(std::isnan(controlled_mean({}, {{}}, 0.95).plain.value));
  // Without controls it is the plain mean.
  const auto none = controlled_mean({1, 3, 2, 5, 4}, {}, 0.95);
  CHECK(none.controlled.value == Approx(3));
  CHECK(none.controlled.high == Approx(none.plain.high));
}

TEST_CASE("control variates: unbiased, of less variance by 1 - R^2, and the interval covers as stated") {
  // R^2 = 5/6; the variance of the controlled mean is (1 - R^2) (n - 2)/(n - q - 2) of the other. Estimated variances of 2000
  // studies have a relative standard deviation of sqrt(2/2000) = 3.2 %.
  const Studies studies(1);
  CHECK(std::abs(studies.controlled.mean() - 3) < 4.5 * studies.controlled.standard_error());
  CHECK(studies.ratio() == Approx(18.0 / 16 / 6).epsilon(0.2));
  CHECK(test::binomial_plausible(studies.inside, Studies::kStudies, 0.95));
}

TEST_CASE("control variates: nothing explains a metric that does not vary") {
  const auto e = analysis::controlled_mean({0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {{1, -2, 0, 3, 1, -1}}, 0.95);
  CHECK(e.controlled.value == Approx(0.1).epsilon(1e-12));
  CHECK(std::isnan(e.r2));
}

TEST_CASE("control variates: useless ones cost degrees of freedom and nothing else") {
  const Studies studies(0);
  CHECK(std::abs(studies.controlled.mean() - 3) < 4.5 * studies.controlled.standard_error());
  CHECK(studies.ratio() == Approx(18.0 / 16).epsilon(0.2));
  CHECK(test::binomial_plausible(studies.inside, Studies::kStudies, 0.95));
}

TEST_CASE("control variates: the controlled mean is empty where the metric of a run is not a finite number") {
  for (const double last : {10.0, std::nan("")}) {
    const test::Scratch dir;
    analysis::Store store(dir.path());
    analysis::StudyPlan plan;
    plan.head.metrics = {{"first_seen", "", ""}};
    plan.record_key = "r";
    plan.points = {{"key", {}, 10, "d"}};
    store.begin_study(plan);
    store.put_point(0, {.owners = 1});
    for (std::uint32_t r = 0; r < 10; ++r) {
      analysis::RunResult run;
      run.repetition = r;
      run.series = {.samples = {{.iteration = 1}}, .values = {r < 9 ? r + 1.0 : last}};
      run.scalars = {{"control.ticks", {}, r % 3 - 1.0}};
      store.put_run(run);
    }
    store.close();
    analysis::StoredStudy study(dir.path());
    analysis::write_estimates(study, 0.95, dir.path(), {});
    const auto row = test::rows_of(dir / "estimates.csv").at(1);
    CHECK(row.back() == (last == 10 ? "ticks" : ""));
    CHECK(row.at(3).empty() == std::isnan(last));
    if (last == 10) continue;
    // 1 to 9: mean 5, s^2 = 7.5, t(0.975, 8) = 2.306004.
    CHECK(row[1] == "5");
    CHECK(std::stod(row[2]) == Approx(2.306004 * std::sqrt(7.5 / 9)).epsilon(1e-6));
    CHECK(row[4] + row[5] == "");
    CHECK(row[6] == "9");
  }
}
