// "repeat.until": repetitions until results are precise.
#include "scenarios/study/repeat.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/conclusions/estimate.hpp"
#include "sim/random/random.hpp"
#include "tests/support/process.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::scenarios;
using Catch::Contains;
using test::Scratch;

namespace {

std::vector<double> one_up_to(int n) {
  std::vector<double> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 1.0);
  return all;
}

Criterion criterion(double half_width, Estimated of = Estimated::kMean) {
  Criterion c;
  c.half_width = AbsoluteWidth{half_width};
  c.of = of;
  return c;
}

// The last look at numbers that draw(r) gives, from 10 repetitions to at most 1000.
template <class Draw>
Precision decided(const Criterion& c, Draw&& draw) {
  const UntilPrecise rule;
  std::vector<double> values, reference;
  std::uint32_t r = rule.min, look = 1;
  for (;; r = rule.after(r), ++look) {
    while (values.size() < r) {
      const auto [x, y] = draw();
      values.push_back(x);
      if (!c.against.empty()) reference.push_back(y);
    }
    const Precision p = precision_at(c, look, values, reference);
    if (p.state == Precision::State::kMet || r == rule.max) return p;
  }
}

// How often the interval of the last look contains the true value, of 2000 studies.
template <class Draw>
double coverage(const Criterion& c, double truth, Draw&& draw) {
  constexpr std::uint32_t kStudies = 2000;
  std::uint32_t inside = 0;
  for (std::uint32_t s = 0; s < kStudies; ++s) {
    sim::Stream stream = test::kStreams(sim::Purpose::kProtocol, s, 0, 0);
    const Precision p = decided(c, [&] { return draw(stream); });
    REQUIRE(p.state == Precision::State::kMet);
    inside += std::abs(p.estimate - truth) <= p.half_width ? 1 : 0;
  }
  return inside / double{kStudies};
}

std::string until_study(const std::string& criteria, const std::string& limits = R"("min": 4, "max": 30)") {
  return test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 10]}, "repeat": {"until": [)" + criteria +
                              "], " + limits + "}");
}

}  // namespace

TEST_CASE("repeat.until: looks are at 10, 15, 22, 33, ... repetitions, and at last at max") {
  UntilPrecise rule;
  rule.max = 60;
  std::vector<std::uint32_t> looks{rule.min};
  while (looks.back() < rule.max) looks.push_back(rule.after(looks.back()));
  CHECK(looks == std::vector<std::uint32_t>{10, 15, 22, 33, 49, 60});
  rule = {.until = {}, .min = 2, .max = 5};
  CHECK(rule.after(2) == 3);
  CHECK(rule.after(3) == 4);
  CHECK(rule.after(4) == 5);
}

TEST_CASE("repeat.until: the rule by hand") {
  // 1, ..., 10: mean 5.5, variance 82.5/9, and with 9 degrees of freedom the 1 - 0.05 (6/pi^2)/2 quantile of Student's
  // distribution is 2.565803 (integrated numerically); at look 2, with a quarter of the error, 3.422395.
  const double first = 2.4565695307736797, second = 3.2766935522716167;
  const Precision one = precision_at(criterion(2.4566), 1, one_up_to(10));
  CHECK(one.estimate == Approx(5.5));
  CHECK(one.half_width == Approx(first).epsilon(1e-9));
  CHECK(one.state == Precision::State::kMet);
  CHECK(precision_at(criterion(2.4565), 1, one_up_to(10)).state == Precision::State::kOpen);
  CHECK(precision_at(criterion(2.4566), 2, one_up_to(10)).half_width == Approx(second).epsilon(1e-9));
  CHECK(precision_at(criterion(2.4566), 2, one_up_to(10)).state == Precision::State::kOpen);
  // In percent of the estimate, or of the reference: 45 % of 5.5 are 2.475, 24 % of 10.5 are 2.52 and 23 % 2.415. The
  // differences of 21 - 2 k from 11 - k, and of that from twice it, are 10, ..., 1 up to their sign.
  Criterion relative = criterion(0);
  relative.half_width = RelativeWidth{"45 %"};
  CHECK(precision_at(relative, 1, one_up_to(10)).state == Precision::State::kMet);
  relative.half_width = RelativeWidth{"44 %"};
  CHECK(precision_at(relative, 1, one_up_to(10)).state == Precision::State::kOpen);
  std::vector<double> reference, values;
  for (int k = 1; k <= 10; ++k) {
    reference.push_back(10.5);
    values.push_back(10.5 - k);
  }
  for (const auto& [share, met] : {std::pair("24 %", true), std::pair("23 %", false)}) {
    relative.half_width = RelativeWidth{share};
    const Precision p = precision_at(relative, 1, values, reference);
    CHECK(p.estimate == Approx(-5.5));
    CHECK((p.state == Precision::State::kMet) == met);
  }
}

TEST_CASE("repeat.until: intervals of order statistics by hand") {
  // B binomial (10, 1/2): P(B < 2) = 11/1024 <= 0.015198, half of the error of look 1, and P(B < 3) = 56/1024 above it;
  // likewise P(B >= 9) and P(B >= 8): from the 2nd to the 9th of ten numbers.
  const Precision p = precision_at(criterion(3.5, Estimated::kMedian), 1, {10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  CHECK(p.estimate == 5.5);
  CHECK(p.half_width == 3.5);
  CHECK(p.state == Precision::State::kMet);
  // Of five numbers even the whole range is too small: 2/32 of error.
  CHECK(std::isinf(precision_at(criterion(100, Estimated::kMedian), 1, one_up_to(5)).half_width));
  // Level 0.9 of n = 20 at confidence 0.9: P(B < 15) = 0.0113, P(B < 16) = 0.0432, P(B < 17) = 0.133; P(B >= 20) = 0.9^20
  // = 0.122 > 0.05: there is no upper end. At level 0.8: P(B < 13) = 0.0321, P(B < 14) = 0.0867; P(B >= 19) = 0.0692,
  // P(B >= 20) = 0.0115.
  const auto upper = analysis::quantile_with_interval(one_up_to(20), 0.9, 0.9);
  CHECK(upper.value == Approx(18.1));
  CHECK(std::isnan(upper.high));
  const auto lower = analysis::quantile_with_interval(one_up_to(20), 0.8, 0.9);
  CHECK(lower.low == 13);
  CHECK(lower.high == 20);
}

TEST_CASE("repeat.until: a run without a finite value leaves nothing to be precise") {
  std::vector<double> values = one_up_to(10);
  values[3] = std::numeric_limits<double>::quiet_NaN();
  CHECK(precision_at(criterion(100), 1, values).state == Precision::State::kNotFinite);
  CHECK(precision_at(criterion(100, Estimated::kMedian), 1, values).state == Precision::State::kNotFinite);
}

TEST_CASE("repeat.until: whatever the looks, intervals cover the true value often enough") {
  // At least 0.95, and 0.93 is missed by 2000 studies with probability P(binomial(2000, 0.95) < 1860) < 5e-5.
  const auto normal = [](sim::Stream& s) { return std::pair(sim::normal(s, 2, 1), 0.0); };
  Criterion c;
  c.half_width = RelativeWidth{"15 %"};
  CHECK(coverage(c, 2, normal) >= 0.93);
  CHECK(coverage(criterion(0.4, Estimated::kMedian), 2, normal) >= 0.93);
  const auto lognormal = [](sim::Stream& s) { return std::pair(std::exp(sim::normal(s, 0, 0.5)), 0.0); };
  CHECK(coverage(c, std::exp(0.125), lognormal) >= 0.93);
  CHECK(coverage(criterion(0.3, Estimated::kMedian), 1, lognormal) >= 0.93);
  // Pairs of correlation 0.8.
  c = criterion(0.2);
  c.against = {"x=1"};
  const auto pairs = [](sim::Stream& s) {
    const double common = sim::normal(s, 0, std::sqrt(0.8)), own = std::sqrt(0.2);
    const double x = common + sim::normal(s, 1, own);
    return std::pair(x, common + sim::normal(s, 0, own));
  };
  CHECK(coverage(c, 1, pairs) >= 0.93);
}

TEST_CASE("repeat.until: pairs of correlation rho need a share 1 - rho of the runs of independent ones") {
  // half_width^2 r is proportional to the variance of a difference, 2 (1 - rho). With 1000 repetitions an estimated variance
  // has the relative standard deviation sqrt(2/999) = 0.045: the ratio of two is within 0.28, more than 4.4 of theirs.
  Criterion c = criterion(1e-9);
  c.against = {"x=1"};
  const auto width = [&](double rho) {
    sim::Stream s = test::kStreams(sim::Purpose::kProtocol, 7, 0, static_cast<std::uint32_t>(100 * rho));
    return decided(c,
                   [&] {
                     const double common = sim::normal(s, 0, std::sqrt(rho)), own = std::sqrt(1 - rho);
                     const double x = common + sim::normal(s, 0, own);
                     return std::pair(x, common + sim::normal(s, 0, own));
                   })
        .half_width;
  };
  for (const double rho : {0.5, 0.9})
    CHECK(std::pow(width(rho) / width(0), 2) == Approx(1 - rho).epsilon(0.28));
}

TEST_CASE("repeat.until: the same bytes for one and two threads, and whatever is stored") {
  const Scratch dir;
  dir.write("s.json", until_study(R"({"metric": "relative_fitness", "half_width": "40 %"})"));
  test::ended_with(dir, "run s.json --no-progress -j 1 -o one");
  test::ended_with(dir, "run s.json --no-progress -j 2 -o two");
  test::ended_with(dir, "run s.json --no-progress --repeat 13 -o three");
  const auto resumed = test::ended_with(dir, "run s.json --no-progress -o three");
  CHECK_THAT(resumed.err, Contains("8 runs: 8 cached, 0 to run"));
  for (const char* file : {"/series.csv", "/runs.csv", "/precision.csv", "/scalars.csv"}) {
    const std::string text = test::text_of(dir / "one" + file);
    CHECK(text.size() > 100);
    CHECK(text == test::text_of(dir / "two" + file));
    CHECK(text == test::text_of(dir / "three" + file));
  }
  CHECK_THAT(resumed.out, Contains("as precise as repeat.until asks for, after "));
  // What is decided is part of the study that is stored.
  test::ended_with(dir, "verify one");
  CHECK_THAT(test::ended_with(dir, "status one").out, Contains("; 0 left"));
  // With a given number the table of precision is not of this study.
  test::ended_with(dir, "run s.json --no-progress --repeat 4 -o one");
  CHECK(test::text_of(dir / "one/precision.csv").empty());
}

TEST_CASE("repeat.until: a study that is not complete leaves no table of another one's precision") {
  const Scratch dir;
  dir.write("s.json", until_study(R"({"metric": "relative_fitness", "half_width": "40 %"})"));
  test::ended_with(dir, "run s.json --no-progress -o out");
  CHECK(test::text_of(dir / "out/precision.csv").size() > 100);
  const auto paused = test::ended_with(dir, "run s.json --no-progress -o out --seed 2 --pause '1 s'");
  CHECK_THAT(paused.err, Contains("paused at 1 s: 0 of "));
  CHECK(test::text_of(dir / "out/precision.csv").empty());
  CHECK_THAT(paused.out, !Contains("precision.csv"));
}

TEST_CASE("repeat.until: a metric that is never precise stops at max and is named") {
  const Scratch dir;
  dir.write("s.json", until_study(R"({"metric": "relative_fitness", "half_width": 1e-9, "of": "median"})",
                                  R"("min": 4, "max": 7)"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress");
  CHECK_THAT(outcome.out, Contains("0 of 2 points as precise as repeat.until asks for, after 7 repetitions"));
  CHECK_THAT(
      outcome.err,
      Contains("warning: repeat.until: point 1: privacy.epsilon=10: the median of relative_fitness is ") &&
          Contains("after 7 repetitions, the most that are allowed"));
  CHECK_THAT(test::text_of(dir / "out/s/precision.csv"), Contains(",median of relative_fitness,0.95,3,7,"));
  // A diverged run has no value.
  const auto diverged = test::ended_with(
      dir, "run s.json --no-progress -o nan --set protocol.rho=1e12 --set privacy.epsilon=1", 6);
  CHECK_THAT(diverged.err,
             Contains("is not finite in all of 4 repetitions, so that no number of them makes it precise"));
}

TEST_CASE(
    "repeat.until: a point that one criterion ends is not said to have the most repetitions for another") {
  const Scratch dir;
  // Runs with the second rho diverge, so that no difference from them is finite.
  dir.write("s.json",
            test::small_scenario(
                R"("sweep": {"protocol.rho": [1, {"label": "far", "value": 1e12}]}, "repeat": {"until": [
      {"metric": "relative_fitness", "half_width": 1e-9},
      {"metric": "relative_fitness", "half_width": 1, "against": ["protocol.rho=far"]}], "min": 4, "max": 30})"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress", 6);
  CHECK_THAT(outcome.err, Contains("after 4 repetitions, where another criterion ended the point") &&
                              !Contains("the most that are allowed"));
}

TEST_CASE("repeat.until: a point that others are compared with has as many repetitions") {
  const Scratch dir;
  dir.write(
      "s.json",
      until_study(R"({"metric": "relative_fitness", "half_width": 1e-9, "against": ["privacy.epsilon=10"]})",
                  R"("min": 4, "max": 7)"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress");
  CHECK_THAT(outcome.out, Contains("1 of 2 points as precise") && Contains("2 points, 14 runs"));
  dir.write(
      "s.json",  // the same number, written otherwise
      until_study(R"({"metric": "relative_fitness", "half_width": 1, "against": ["privacy.epsilon=1e1"]})",
                  R"("min": 4, "max": 7)"));
  test::ended_with(dir, "validate s.json");
}

TEST_CASE("repeat.until: refusals") {
  const Scratch dir;
  const auto refusal = [&](const std::string& criteria, const std::string& limits = R"("min": 4)") {
    return test::refusal(dir, "validate " + dir.write("s.json", until_study(criteria, limits)));
  };
  CHECK_THAT(refusal(R"({"metric": "objective", "half_width": 1})"),
             Contains("/repeat/until/0/metric: expected one of record.metrics, found objective"));
  const std::string metric = R"({"metric": "relative_fitness", )";
  CHECK_THAT(refusal(metric + R"("half_width": "0 %"})"),
             Contains("/repeat/until/0/half_width: expected a number or a percentage above 0"));
  CHECK_THAT(
      refusal(metric + R"("half_width": 1, "against": ["privacy.epsilo=1"]})"),
      Contains("/repeat/until/0/against/0: expected PATH=VALUE of an axis of this sweep (privacy.epsilon)") &&
          Contains("did you mean 'privacy.epsilon'"));
  CHECK_THAT(refusal(metric + R"("half_width": 1, "against": ["privacy.epsilon=2"]})"),
             Contains("expected a value of privacy.epsilon (1, 10), found '2'"));
  CHECK_THAT(refusal("", R"("min": 4)"), Contains("expected at least one criterion"));
  CHECK_THAT(refusal(metric + R"("half_width": 1, "quantile": 0.9})"),
             Contains("/repeat/until/0/quantile: requires of \"quantile\", found \"mean\""));
  dir.write("s.json", until_study(metric + R"("half_width": 1, "of": "quantile", "quantile": 0.9})"));
  test::ended_with(dir, "validate s.json");
  CHECK_THAT(refusal(metric + R"("half_width": 1})", R"("min": 9, "max": 8)"),
             Contains("/repeat/max: expected at least min (9), found 8"));
  dir.write("s.json", until_study(metric + R"("half_width": 1})"));
  CHECK_THAT(test::refusal(dir, "run s.json --shard 1/2"),
             Contains("decides on repetitions by their results"));
  CHECK_THAT(test::ended_with(dir, "run s.json --max-runs 59", 3).err,
             Contains("up to 60 runs, more than 59"));
}
