// "repeat.antithetic": repetitions in antithetic pairs.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/conclusions/estimate.hpp"
#include "analysis/tables/summary.hpp"
#include "scenarios/study/repeat.hpp"
#include "tests/support/results.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::scenarios;
using Catch::Contains;
using test::Scratch;

namespace {

const std::string kPairs = R"("repeat": {"count": 8, "antithetic": true})";

double number(const std::string& text) {
  return std::stod(text);
}

// A column of a table of runs, in the order of repetitions.
std::vector<double> column(const std::string& file, const std::string& name) {
  const auto rows = test::rows_of(file);
  const auto at = std::ranges::find(rows.at(0), name) - rows[0].begin();
  REQUIRE(at < static_cast<std::ptrdiff_t>(rows[0].size()));
  std::vector<double> all;
  for (std::size_t r = 1; r < rows.size(); ++r)
    all.push_back(number(rows[r].at(static_cast<std::size_t>(at))));
  return all;
}

double variance_of(const std::vector<double>& x) {
  test::Mean mean;
  for (const double v : x) mean.add(v);
  return std::pow(mean.standard_error(), 2) * static_cast<double>(x.size());
}

// The last value of a metric of each run.
std::vector<double> last_of(const std::string& file, const std::string& metric) {
  const auto rows = test::rows_of(file);
  const auto column_of = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], name) - rows[0].begin());
  };
  const std::size_t run = column_of("repetition"), name = column_of("metric"), value = column_of("value");
  std::vector<double> all;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r][name] != metric) continue;
    all.resize(static_cast<std::size_t>(number(rows[r][run])) + 1);
    all.back() = number(rows[r][value]);
  }
  return all;
}

}  // namespace

TEST_CASE("antithetic: means of pairs by hand") {
  const double nan = std::nan("");
  const auto means = analysis::pair_means({1, 3, 10, 20, 5, nan, 7});
  REQUIRE(means.size() == 4);
  CHECK(means[0] == 2);
  CHECK(means[1] == 15);
  CHECK(std::isnan(means[2]));  // one of the two has no value
  CHECK(std::isnan(means[3]));  // one of the two is missing
  CHECK(analysis::pair_means({1, HUGE_VAL}) == std::vector<double>{HUGE_VAL});
  CHECK(analysis::independent_values({1, 3}, false) == std::vector<double>{1, 3});
  // 2 and 15: mean 8.5, s = 13/sqrt(2), half width t(0.975, 1) s/sqrt(2) = 12.7062 * 6.5. Quartiles are of the runs.
  CHECK(std::isnan(analysis::statistics_of({1, NAN, 10, 20}, true).mean_low));  // one pair
  const analysis::Statistics s = analysis::statistics_of({1, 3, 10, 20}, true);
  CHECK(s.mean == 8.5);
  CHECK(s.mean_high - s.mean == Approx(12.706204736 * 6.5).epsilon(1e-9));
  CHECK(s.median == 6.5);
  const auto d = analysis::paired_difference({0, 1, 2, 3}, {1, 4, 12, 23}, 0.95, true);
  CHECK(d.pairs == 2);
  CHECK(d.mean == 8.5);
  CHECK(d.high - d.mean == Approx(12.706204736 * 6.5).epsilon(1e-9));
  Criterion criterion;
  criterion.half_width = AbsoluteWidth{1};
  const Precision p = precision_at(criterion, 1, {1, 3, 10, 20}, {}, true);
  CHECK(p.estimate == 8.5);
  CHECK(p.repetitions == 4);
  // With one degree of freedom Student's quantile is tan(pi (1/2 - e)), e half of the error 0.05 6/pi^2 of look 1.
  const double error = 0.05 * 6 / (M_PI * M_PI) / 2;
  CHECK(p.half_width == Approx(std::tan(M_PI * (0.5 - error)) * 6.5).epsilon(1e-9));
  criterion.against = {"x=1"};
  CHECK(precision_at(criterion, 1, {1, 4, 12, 23}, {0, 1, 2, 3}, true).half_width == Approx(p.half_width));
}

TEST_CASE("antithetic: looks are at even numbers of repetitions") {
  UntilPrecise rule;
  rule.max = 60;
  rule.antithetic = true;
  std::vector<std::uint32_t> looks{rule.min};
  while (looks.back() < rule.max) looks.push_back(rule.after(looks.back()));
  CHECK(looks == std::vector<std::uint32_t>{10, 14, 20, 30, 44, 60});
  rule.min = 2;
  CHECK(rule.after(2) == 4);
}

TEST_CASE("antithetic: the variance of pair means is well below half of that of runs, and the means agree") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario());
  test::run_study(dir, "-o pairs -j 2 --set 'repeat={\"count\":400,\"antithetic\":true}'");
  test::run_study(dir, "-o alone -j 2 --set repeat=400");
  // The time of 200 iterations is monotone in the gaps of clocks and in latencies.
  const std::vector<double> pairs = analysis::pair_means(column(dir / "pairs/runs.csv", "time_s")),
                            alone = column(dir / "alone/runs.csv", "time_s");
  REQUIRE(alone.size() == 400);
  REQUIRE(pairs.size() == 200);
  CHECK(variance_of(pairs) < 0.35 * variance_of(alone));
  test::Mean of_pairs, of_alone;
  for (const double x : pairs) of_pairs.add(x);
  for (const double x : alone) of_alone.add(x);
  CHECK(std::abs(of_pairs.mean() - of_alone.mean()) <
        4.5 * std::hypot(of_pairs.standard_error(), of_alone.standard_error()));
}

TEST_CASE("antithetic: what is linear in the noise has the same mean over every pair") {
  const Scratch dir;
  // Two answers of one owner, of which the learner has used the first: its model is affine in the noise.
  dir.write("s.json", test::small_scenario(kPairs, 2));
  test::run_study(
      dir,
      "--set 'clocks={\"type\":\"trace\",\"times\":[1,2],\"agents\":[1,1]}' --set network.latency=0 "
      "--set record.models=final --set protocol.rho=1e-5");
  const std::vector<double> all = column(dir / "out/s/models.csv", "value");
  const std::size_t p = all.size() / 8;
  REQUIRE(p == 4);
  for (std::size_t j = 0; j < p; ++j) {
    for (std::size_t r = 2; r < 8; r += 2) {
      CHECK(all[r * p + j] + all[(r + 1) * p + j] == Approx(all[j] + all[p + j]).epsilon(1e-9));
      CHECK(all[r * p + j] != Approx(all[j]).epsilon(1e-6));
    }
  }
}

TEST_CASE(
    "antithetic: the first of each pair is a run without the option, with the same bytes for threads and parts") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 10]}, )" + kPairs));
  test::run_study(dir, "-j 1 -o one");
  test::run_study(dir, "-j 2 -o two");
  test::run_study(dir, "-o part1 --shard 1/2");
  test::run_study(dir, "-o part2 --shard 2/2");
  test::ended_with(dir, "merge part1 part2 -o merged");
  for (const char* file : {"/series.csv", "/runs.csv", "/scalars.csv"}) {
    const std::string text = test::text_of(dir / "one" + file);
    CHECK(text.size() > 100);
    CHECK(text == test::text_of(dir / "two" + file));
    CHECK(text == test::text_of(dir / "merged" + file));
  }
  test::ended_with(dir, "verify one");
  // A store with runs that are no pairs: none of them is taken for one.
  test::run_study(dir, "-o plain --set repeat=8");
  CHECK_THAT(test::run_study(dir, "-o plain"), Contains("16 runs: 0 cached, 16 to run"));
  CHECK(test::text_of(dir / "plain/runs.csv") == test::text_of(dir / "one/runs.csv"));
  test::run_study(dir, "-o alone --set repeat=8");
  const auto times = column(dir / "one/runs.csv", "time_s"), alone = column(dir / "alone/runs.csv", "time_s");
  for (std::size_t r = 0; r < times.size(); r += 2) {
    CHECK(times[r] == alone[r]);
    CHECK(times[r + 1] != alone[r + 1]);
  }
}

TEST_CASE("antithetic: tables compare the means of pairs") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario(R"("sweep": {"privacy.epsilon": [1, 10]}, )" + kPairs));
  test::run_study(dir, "-o pairs");
  const std::vector<double> all = last_of(dir / "pairs/series.csv", "relative_fitness");
  CHECK(all.size() == 8);
  CHECK_THAT(test::output_of(dir, "compare pairs --metric relative_fitness"),
             Contains("paired by antithetic pair of repetitions"));
  const std::string csv = test::output_of(dir, "compare pairs --metric relative_fitness --format csv");
  CHECK_THAT(csv, Contains(",relative_fitness,4,"));
  const std::string table = test::output_of(
      dir,
      "export pairs --format markdown --rows privacy.epsilon --statistic mean --metric relative_fitness");
  // Of the second point, whose rows come last.
  const analysis::Statistics of_pairs = analysis::statistics_of(all, true);
  CHECK_THAT(table, Contains(fmt::format("{:.2g}", of_pairs.mean_high - of_pairs.mean)));
  CHECK(of_pairs.mean_high - of_pairs.mean !=
        Approx(analysis::statistics_of(all).mean_high - of_pairs.mean).epsilon(1e-3));
}

TEST_CASE("antithetic: repeat.until, and candidates of a selection, which are no pairs") {
  const Scratch dir;
  dir.write("s.json",
            test::small_scenario(R"("repeat": {"until": [{"metric": "relative_fitness", "half_width": 1e-9}],
                                    "min": 4, "max": 10, "antithetic": true})"));
  test::run_study(dir, "-o until");
  CHECK_THAT(test::text_of(dir / "until/precision.csv"), Contains(",4,10,"));  // looks at 4, 6, 8, 10
  dir.write("s.json",
            test::small_scenario(
                R"("tune": {"paths": {"protocol.rho": [1, 2]}, "minimise": "relative_fitness", "on": "test",
                            "repetitions": 3}, )" +
                kPairs));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress -o tuned");
  CHECK_THAT(outcome.err, Contains("6 runs: 0 cached, 6 to run") && Contains("8 runs: 0 cached, 8 to run"));
  const auto resolved = test::manifest_of(dir / "tuned").at("scenario").at("repeat");
  CHECK(resolved.at("antithetic") == true);
  CHECK(test::manifest_of(dir / "tuned/selection").at("scenario").at("repeat").at("antithetic") == false);
}

TEST_CASE("antithetic: refusals") {
  const Scratch dir;
  const auto refusal = [&](const std::string& repeat) {
    return test::refusal(dir,
                         "validate " + dir.write("s.json", test::small_scenario("\"repeat\": " + repeat)));
  };
  CHECK_THAT(refusal(R"({"count": 7, "antithetic": true})"),
             Contains("/repeat/count: expected an even number of repetitions, in antithetic pairs, found 7"));
  const std::string until = R"({"until": [{"metric": "relative_fitness", "half_width": 1)";
  CHECK_THAT(refusal(until + R"(}], "min": 5, "antithetic": true})"),
             Contains("/repeat/min: expected an even number of repetitions, in antithetic pairs, found 5"));
  CHECK_THAT(refusal(until + R"(}], "max": 15, "antithetic": true})"),
             Contains("/repeat/max: expected an even number of repetitions, in antithetic pairs, found 15"));
  for (const char* of : {"median", "quantile"}) {
    CHECK_THAT(
        refusal(until + R"(, "of": ")" + of + R"("}], "antithetic": true})"),
        Contains("/repeat/until/0/of: expected mean, because order statistics of antithetic pairs have no "
                 "confidence, found ") &&
            Contains(of));
  }
}
