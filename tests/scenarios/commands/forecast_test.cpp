// hearsay forecast, through the program.
#include <cmath>

#include "tests/support/process.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// Noise so large that nothing else counts: psi's mean falls with epsilon^-2 and n^-2. Points: 2 sizes x 3 budgets.
const std::string kForecastSweep = R"("model": {"l2": 1e-5, "theta_max": 1e9}, "repeat": 10, "sweep": {
  "data.records": [200, 400], "privacy.epsilon": [0.01, 0.02, 0.04]})";

// A folder with a study of s.json.
struct SweptStudy {
  test::Scratch dir;
  explicit SweptStudy(const std::string& more = "") {
    dir.write("s.json", test::small_scenario(kForecastSweep));
    const auto outcome =
        test::ended_with(dir, "run s.json --set protocol.rho=0.1 --no-progress -o out " + more);
  }
  test::Outcome forecast(const std::string& options) const {
    return shell(dir, "hearsay forecast out " + options);
  }
  std::vector<std::vector<std::string>> rows(const std::string& options) const {
    const auto outcome = forecast(options + " --format csv > f.csv");
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Catch::Contains("private data that no privacy budget accounts for"));
    return rows_of(dir / "f.csv");
  }
};

}  // namespace

TEST_CASE("forecast: fitted to some points of a study, the others follow from the form") {
  const SweptStudy study;
  const auto rows = study.rows("--fit 'privacy.epsilon < 0.03' --term 's/n^2'");
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == std::vector<std::string>{"data.records", "privacy.epsilon", "N", "n", "s", "forecast",
                                            "low", "high", "mean", "q25", "q75"});
  // Three owners: n = 3 n_i, s = 3/epsilon^2.
  CHECK(std::vector(rows[1].begin() + 2, rows[1].begin() + 4) == std::vector<std::string>{"3", "600"});
  CHECK(std::stod(rows[1][4]) == Approx(1875));
  CHECK(rows[2][3] == "1200");
  const auto number = [&](std::size_t row, std::size_t column) { return std::stod(rows[row][column]); };
  // The form alone determines the ratio of two forecasts: twice the records, a quarter.
  CHECK(number(1, 5) == Approx(4 * number(2, 5)));
  for (const std::size_t row : {1u, 2u}) {
    // Forecast from half and a quarter of the budget with the same noise; other data by less than a sixth.
    CHECK(number(row, 5) == Approx(number(row, 8)).epsilon(0.3));
    CHECK(number(row, 6) < number(row, 5));
    CHECK(number(row, 5) < number(row, 7));
    CHECK(number(row, 9) < number(row, 10));
  }
  const auto text = study.forecast("--fit 'n == 600 && privacy.epsilon < 0.03' --term 's/n^2'");
  CHECK(text.code == 0);
  CHECK_THAT(text.out,
             Catch::StartsWith("mean of relative_fitness = sum of constant * term, fitted to 2 points") &&
                 Catch::Contains("measured: 4 of 4 points\n  factor between mean and forecast: median "));
}

TEST_CASE("forecast: coalitions of the command line, by records and budgets") {
  const SweptStudy study;
  const auto rows =
      study.rows("--fit 'privacy.epsilon < 0.03' --term 's/n^2' --coalition 200:0.04,200:0.04,200:0.04");
  REQUIRE(rows.size() == 4);
  // The first of the two points that are not fitted has these owners.
  CHECK(std::vector(rows[3].begin() + 2, rows[3].begin() + 4) ==
        std::vector(rows[1].begin() + 2, rows[1].begin() + 4));
  CHECK(std::stod(rows[3][5]) == Approx(std::stod(rows[1][5])));
  CHECK(std::vector(rows[3].begin() + 8, rows[3].end()) == std::vector<std::string>{"nan", "nan", "nan"});
  // Without axes: every point of the study is fitted, and nothing of the forecast is measured.
  const auto text = study.forecast("--term 's/n^2' --coalition 100:1 --coalition 1e6:0.5,10:inf");
  CHECK_THAT(text.out, Catch::Contains("fitted to 6 points") && !Catch::Contains("measured:") &&
                           !Catch::Contains("mean/forecast"));
}

TEST_CASE("forecast: points of a scenario that have not run are forecast as if they had") {
  const SweptStudy part("--points 'privacy.epsilon < 0.03'");
  const std::string again = " --set protocol.rho=0.1 --term 's/n^2' --predict " + part.dir / "s.json";
  const auto rows = part.rows(again);
  const SweptStudy whole;
  const auto expected = whole.rows("--fit 'privacy.epsilon < 0.03' --term 's/n^2'");
  REQUIRE(rows.size() == expected.size());
  for (std::size_t k = 1; k < rows.size(); ++k) {
    CHECK(std::vector(rows[k].begin(), rows[k].begin() + 8) ==
          std::vector(expected[k].begin(), expected[k].begin() + 8));
    CHECK(rows[k][8] == "nan");
  }
  const auto other = part.forecast("--predict " + part.dir / "s.json");
  CHECK(other.code == 2);
  CHECK_THAT(other.err,
             Catch::EndsWith("privacy.epsilon=0.01\n") && Catch::Contains(" has other options than "));
  const auto axes = part.forecast("--set sweep=null --predict " + part.dir / "s.json");
  CHECK(axes.code == 2);
  CHECK_THAT(axes.err, Catch::Contains(" sweeps other options than "));
}

TEST_CASE("forecast: what cannot be fitted or forecast is refused") {
  const SweptStudy study;
  const auto refusal = [&](const std::string& options) {
    const auto outcome = study.forecast(options);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    return outcome.err;
  };
  CHECK(refusal("") ==
        "hearsay: no points to forecast; select the points to fit to with --fit, or name others "
        "with --predict or --coalition\n");
  CHECK(refusal("--fit 'n < 700' --set privacy.epsilon=5") ==
        "hearsay: --set: changes the scenario of --predict; the folder keeps its options\n");
  CHECK(refusal("--fit 'N == 3'") == "hearsay: --fit selects all 6 points; none is left to forecast\n");
  CHECK(refusal("--fit 'n < 700 && privacy.epsilon < 0.03'") ==
        "hearsay: expected at least 4 points to fit 3 constants, found 2; change --fit, or name fewer terms "
        "with "
        "--term\n");
  CHECK(refusal("--fit 'N == 9' --term s") ==
        "hearsay: expected at least 2 points to fit 1 constant, found 0; change --fit, or name fewer terms "
        "with "
        "--term\n");
  CHECK(
      refusal("--fit 'privacy.epsilom < 1'") ==
      "hearsay: --fit: expected N, n, s or numeric axes of the sweep, found 'privacy.epsilom'; did you mean "
      "'privacy.epsilon'?\n");
  CHECK_THAT(refusal("--fit 'n <'"), Catch::StartsWith("hearsay: --fit: expected a condition such as "));
  CHECK_THAT(refusal("--fit 'n < 700' --term 's/'"),
             Catch::StartsWith("hearsay: --term: expected a term such as s/n^2: "));
  CHECK(refusal("--fit 'n < 700' --term 's, n'") ==
        "hearsay: --term: expected one term; join several with +\n");
  CHECK_THAT(refusal("--fit 'n < 700' --term s --term 2*s"),
             Catch::StartsWith("hearsay: the terms are 0 or linearly dependent at the points to fit to"));
  CHECK(refusal("--fit 'n < 700' --term '1 - N'") ==
        "hearsay: --term: expected a finite number of at least 0, found 1 - N = -2 at data.records=200, "
        "privacy.epsilon=0.01\n");
  CHECK(refusal("--fit 'n < 700' --metric relative_fitnes") ==
        "hearsay: --metric: expected one of relative_fitness, epsilon_spent_by_owner, found "
        "'relative_fitnes'; did "
        "you mean 'relative_fitness'?\n");
  for (const char* bad : {"3", "3:", "3:x", "3:0", "0:1", "3:1,", "3:1 4:1", "inf:1"})
    CHECK(refusal(std::string("--coalition '") + bad + "'") ==
          std::string(
              "hearsay: --coalition: expected records and budget of each owner, such as 20000:10,5000:1, "
              "found '") +
              bad + "'\n");
  CHECK_THAT(refusal("--fit 'n < 700' --confidence 1"),
             Catch::StartsWith("hearsay: --confidence: expected "));
}

TEST_CASE("forecast: a point without budgets is not forecast, and cannot be fitted to") {
  const test::StudyFolder dir(R"("model": {"l2": 1e-5}, "repeat": 3, "sweep": {"privacy": [
    {"mechanism": "laplace", "epsilon": 0.01, "gradient_bound": 50},
    {"mechanism": "laplace", "epsilon": 0.02, "gradient_bound": 50}, {"mechanism": "none"}]})");
  test::run_study(dir, "-o out");
  const auto outcome = test::ended_with(dir, "forecast out --fit 's > 0' --term 's/n^2' --coalition 600:1");
  CHECK_THAT(outcome.err,
             Catch::StartsWith(
                 "not forecast: expected a finite number of at least 0, found s/n^2 = nan at privacy="));
  const std::string all = test::refusal(dir, "forecast out --term 's/n^2' --coalition 600:1");
  CHECK_THAT(all, Catch::StartsWith("hearsay: --term: expected a finite number of at least 0"));
}

TEST_CASE("forecast: s is without the owner that adds no noise, N counts a group once") {
  const test::Scratch dir;
  dir.write("s.json", test::small_scenario(R"("model": {"l2": 1e-5, "theta_max": 1e9}, "repeat": 20,
    "sweep": {"data.owners": [2, 4, 8]})"));
  const std::string central =
      R"( --set 'protocol={"type": "central_sync", "c1": "auto", "learner_is_owner": 1}' --set stop.iterations=20)";
  test::ended_with(dir, "run s.json --no-progress -o one" + central);
  test::ended_with(dir, "forecast one --fit 'N <= 4' --term 's/n^2' --format csv > f.csv");
  auto rows = rows_of(dir / "f.csv");
  REQUIRE(rows.size() == 2);
  CHECK(std::vector(rows[1].begin(), rows[1].begin() + 4) == std::vector<std::string>{"8", "8", "1600", "7"});
  // The square of Laplace noise has the relative deviation sqrt(5), the mean of 20 at most sqrt(5/20) = 0.5.
  CHECK(std::stod(rows[1][7]) == Approx(std::stod(rows[1][4])).epsilon(0.8));
  // The points of a scenario that has not run are described alike.
  test::ended_with(dir, "run s.json --points 'data.owners < 8' --no-progress -o part" + central);
  test::ended_with(dir, "forecast part --term 's/n^2' --format csv --predict s.json" + central + " > p.csv");
  const auto planned = rows_of(dir / "p.csv");
  CHECK(std::vector(planned.at(1).begin(), planned[1].begin() + 7) ==
        std::vector(rows[1].begin(), rows[1].begin() + 7));

  const std::string grouped = R"( --set data.owners=4 --set 'sweep={"privacy.epsilon": [0.5, 1],)"
                              R"( "protocol.groups": [[], [[1, 3], [2, 4]], [[2, 3, 4]]]}')";
  test::ended_with(dir, "run s.json --no-progress -o groups --repeat 2 --set protocol.rho=0.1" + grouped);
  test::ended_with(dir, "forecast groups --fit 'N == 4' --term 's/n^2' --format csv > f.csv");
  rows = rows_of(dir / "f.csv");
  REQUIRE(rows.size() == 5);
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(std::vector(rows[k].begin() + 2, rows[k].begin() + 4) == std::vector<std::string>{"2", "800"});
    CHECK(std::stod(rows[k][4]) * std::pow(std::stod(rows[k][0]), 2) == Approx(4));
  }
}

TEST_CASE("forecast: fitted points of which runs diverged are named") {
  const test::StudyFolder dir(
      R"("seed": 3, "repeat": 20, "sweep": {"privacy.epsilon": [0.5, 1, 2, 4]}, "model": {"l2": 1e-5})");
  const auto run =
      shell(dir,
            "hearsay run s.json --no-progress -o out --set data.features=10 --set protocol.rho=4.3 "
            "--set protocol.budget_for=horizon --set stop.iterations=400 --set network.latency=0 "
            "--set record.every=null --set privacy.gradient_bound=20");
  REQUIRE(run.code == 6);
  const auto outcome = test::ended_with(dir, "forecast out --term 's/n^2' --coalition 200:3,200:3,200:3");
  CHECK_THAT(
      outcome.err,
      Catch::EndsWith("\n" + manifest_of(dir / "out").at("diverged").dump() +
                      " runs of the fitted points diverged or failed: the forecast is of the others\n"));
}

TEST_CASE("forecast: owners alone forecast the coalitions of the study") {
  // psi is a weighted sum of squares in 10 dimensions: its relative deviation is at most about sqrt(2/10), that of a
  // mean of 40 runs 0.07, that of the logarithm of the ratio of two 0.1. The interval is 5 of these; 24 ratios.
  const test::Scratch dir;
  REQUIRE(shell(dir, "hearsay run " + test::kScenarios +
                         "studies/forecast.json --repeat 40 --set privacy.clip=null " +
                         "--set privacy.gradient_bound=250 --no-progress -o out")
              .code == 0);
  test::ended_with(dir, "forecast out --fit 'N == 1' --format csv > f.csv");
  std::size_t coalitions = 0;
  for (const auto& row : rows_of(dir / "f.csv")) {
    if (row[0] == "data.records") continue;
    ++coalitions;
    const double ratio = std::stod(*(row.end() - 3)) / std::stod(*(row.end() - 6));
    CHECK(std::abs(std::log(ratio)) < 0.5);
  }
  CHECK(coalitions == 24);
}
