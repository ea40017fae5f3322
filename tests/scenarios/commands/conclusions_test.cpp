// What "analysis" says of a study, through the program.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/process.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// Noise so large that nothing else counts: psi's mean falls with epsilon^-2 and n^-2.
const std::string kNoisy = R"("model": {"l2": 1e-5}, "baselines": ["isolated"], "repeat": 20,
  "sweep": {"privacy.epsilon": [0.01, 0.02, 0.04], "data.records": [200, 400]},
  "analysis": {"slopes": [{"over": "privacy.epsilon"}, {"over": "data.records", "where": "privacy.epsilon < 0.015"}],
               "bounds": [{"type": "cost_of_privacy_11"}, {"type": "cost_of_privacy_11", "c1": 0, "c2": 5},
                          {"type": "asynchronous_moments"}],
               "gains": ["relative_fitness"]})";

// The column value of bounds.csv, point after point.
std::vector<double> bound_values(const std::string& protocol, const std::string& sweep,
                                 const std::string& bound, const std::string& sets = "") {
  const test::Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 4, "records": 100, "features": 2},
    "model": {"l2": 1e-5}, "protocol": )" +
                          protocol + R"(, "stop": {"iterations": 5},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 20},
    "record": {"metrics": ["relative_fitness"]}, "sweep": {"zip": [)" +
                          sweep + R"(]}, "analysis": {"bounds": [)" + bound + "]}}");
  test::run_study(dir, "-o out " + sets);
  std::vector<double> all;
  const auto rows = rows_of(dir / "out/bounds.csv");
  const auto column = std::find(rows.at(0).begin(), rows.at(0).end(), "value") - rows.at(0).begin();
  for (std::size_t k = 1; k < rows.size(); ++k)
    all.push_back(std::stod(rows[k].at(static_cast<std::size_t>(column))));
  return all;
}

}  // namespace

TEST_CASE("conclusions: slopes are reported for each combination of the other axes, with intervals") {
  const test::StudyFolder dir(kNoisy);
  const auto outcome = test::ended_with(dir, "run s.json --set protocol.rho=0.1 --no-progress -o out");
  CHECK_THAT(outcome.out, Catch::Contains("log-log slopes of means with 95 % jackknife intervals"));
  const auto analysis = manifest_of(dir / "out").at("analysis");
  const auto& slopes = analysis.at("slopes");
  REQUIRE(slopes.size() == 3);
  CHECK(slopes[0].at("at") == nlohmann::json({{"data.records", "200"}}));
  CHECK(slopes[1].at("at") == nlohmann::json({{"data.records", "400"}}));
  CHECK(slopes[2].at("at") == nlohmann::json({{"privacy.epsilon", "0.01"}}));
  CHECK(slopes[0].at("points") == 3);
  CHECK(slopes[2].at("points") == 2);
  for (const auto& s : slopes) {
    // The same noise at every budget, scaled: the means are proportional but for what is left of the start.
    // With another size the data differ too: f* and the Hessian by about 1/sqrt(200), a sixth for both.
    const double margin = s.at("over") == "privacy.epsilon" ? 0.02 : 0.3;
    CHECK(s.at("slope").at("value").get<double>() == Approx(-2).margin(margin));
    CHECK(s.at("slope").at("low").get<double>() < s.at("slope").at("high").get<double>());
  }
}

TEST_CASE("conclusions: constants are marked as given or fitted, and bounds.csv has every point") {
  const test::StudyFolder dir(kNoisy);
  const auto outcome = test::ended_with(dir, "run s.json --set protocol.rho=0.1 --no-progress -o out");
  CHECK_THAT(outcome.out, Catch::Contains("c1 = 0 given, c2 = 5 given") && Catch::Contains("none free"));
  const auto bounds = manifest_of(dir / "out").at("analysis").at("bounds");
  REQUIRE(bounds.size() == 3);
  CHECK(bounds[0].at("constants").at("c2").at("how") == "fitted");
  CHECK(bounds[0].at("constants").at("c2").at("value").get<double>() > 0);
  CHECK(bounds[1].at("constants").at("c2").at("how") == "given");
  CHECK(bounds[1].at("constants").at("c2").at("value") == 5);
  CHECK(bounds[2].at("constants").empty());
  // A fit of c/(n epsilon)^2 to means that fall so is near all of them.
  CHECK(bounds[0].at("min_mean_over_bound").get<double>() > 0.8);
  CHECK(bounds[0].at("max_mean_over_bound").get<double>() < 1.25);
  const std::string table = text_of(dir / "out/bounds.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 3 * 6);
}

TEST_CASE("conclusions: two bounds of one type have different names in tables and figures") {
  const test::StudyFolder dir(R"("repeat": 2, "sweep": {"privacy.epsilon": [0.1, 1, 10]},
    "analysis": {"bounds": [{"type": "cost_of_privacy_11"}, {"type": "cost_of_privacy_11", "c1": 0, "c2": 2.1e9},
                            {"type": "asynchronous_moments"}]})");
  run_study(dir, "-o out");
  std::map<std::string, int> points, constants;
  for (const auto& row : rows_of(dir / "out/bounds.csv")) ++points[row.at(1)];
  for (const auto& row : rows_of(dir / "out/fits.csv")) ++constants[row.at(2)];
  const std::string fitted = "cost_of_privacy_11 (fitted)",
                    given = "cost_of_privacy_11 (c1 = 0, c2 = 2.1e+09)";
  CHECK(points ==
        std::map<std::string, int>{{"bound", 1}, {fitted, 3}, {given, 3}, {"asynchronous_moments", 3}});
  CHECK(constants ==
        std::map<std::string, int>{
            {"name", 1}, {fitted + " c1", 1}, {fitted + " c2", 1}, {given + " c1", 1}, {given + " c2", 1}});
}

TEST_CASE("conclusions: the exact recursion predicts the means of equal whitened owners") {
  // Hessian 2 I, no box. 400 runs: the mean of psi, a sum over coordinates, has a relative deviation of at
  // most sqrt(2/400) (chi-square of one degree, heavier for Laplace noise by less than a factor 2); 7 of
  // these.
  const test::StudyFolder dir(R"("seed": 4, "repeat": 400, "model": {"l2": 1e-5},
    "analysis": {"bounds": [{"type": "asynchronous_moments"}]})");
  test::ended_with(
      dir,
      "run s.json --set data.whiten=true --set protocol.budget_for=horizon --set record.every.iterations=200 --no-progress -o out");
  const auto bound = manifest_of(dir / "out").at("analysis").at("bounds")[0];
  CHECK(bound.at("max_mean_over_bound").get<double>() == Approx(1).margin(0.7));
}

TEST_CASE("conclusions: bounds are of the noise that overlap, adjacency, groups and learner leave") {
  // 4 p Xi^2 T^2 s/((T-1) h n^2) with s = 4: 9 times that with kappa = 3, a quarter for add_remove, s = 3 if one learns.
  const auto closed =
      bound_values(R"({"type": "central_sync", "algorithm": "strongly_convex", "rho": "auto"})",
                   R"({"protocol.overlap": [1, 3, 1, 1],
                                 "privacy.adjacency": ["replace_one", "replace_one", "add_remove", "replace_one"],
                                 "protocol.learner_is_owner": [null, null, null, 2]})",
                   R"({"type": "synchronous_closed_form"})");
  REQUIRE(closed.size() == 4);
  CHECK(closed[1] == Approx(9 * closed[0]).epsilon(1e-9));
  CHECK(closed[2] == Approx(closed[0] / 4).epsilon(1e-9));
  CHECK(closed[3] == Approx(3 * closed[0] / 4).epsilon(1e-9));
  // S = 1/T^2 + N sum (1/T + 2 sqrt(2)/(n epsilon))^2 with T = 5 and n = 400. Four owners: 0.04 + 4 (4 0.2070711^2).
  // One that learns: 0.04 + 4 (3 0.2070711^2 + 0.2^2). Two pairs, of epsilon 1/sqrt(2) each: 0.04 + 2 (2 0.21^2).
  // kappa = 3 with add_remove is epsilon = 2/3: 0.04 + 4 (4 0.2106066^2).
  const auto s = bound_values(R"({"type": "central_async", "rho": 1e-4})",
                              R"({"protocol.learner_is_owner": [null, 1, null, null],
                            "protocol.groups": [[], [], [[1, 3], [2, 4]], []], "protocol.overlap": [1, 1, 1, 3],
                            "privacy.adjacency": ["replace_one", "replace_one", "replace_one", "add_remove"]})",
                              R"({"type": "cost_of_privacy_9", "c1": 0, "c2": 1})");
  REQUIRE(s.size() == 4);
  const std::vector<double> expected{0.7260549, 0.7145412, 0.2164, 0.7496822};
  for (std::size_t k = 0; k < 4; ++k) CHECK(s[k] == Approx(expected[k]).epsilon(1e-6));
}

TEST_CASE("conclusions: bounds are of the noise that mechanism, accountant and planned releases leave") {
  const std::string sync = R"({"type": "central_sync", "algorithm": "strongly_convex", "rho": "auto"})";
  // Two releases in place of T = 4 are twice the epsilon for each. Normal noise of sqrt(2 ln(1.25/delta)) T Delta/epsilon
  // has the variance of Laplace noise of scale T Delta/epsilon' at epsilon = epsilon' sqrt(ln(1.25/delta)), twice epsilon' for
  // delta = 1.25 exp(-4). With zcdp and delta = exp(-4), epsilon = 5 is rho = 1, as rho + 2 sqrt(4 rho) = 5: z^2 = T/(2 rho)
  // = 2, where Laplace noise of the same variance has 2 T^2/epsilon'^2 = 2, epsilon' = 4.
  const auto closed = bound_values(
      sync,
      R"({"privacy.epsilon": [1, 1, 2, 2, 5, 4], "privacy.steps": [null, 2, null, null, null, null],
          "privacy.mechanism": ["laplace", "laplace", "laplace",
                                {"type": "gaussian", "calibration": "classic", "delta_step": 0.022894548610917725},
                                "gaussian", "laplace"],
          "privacy.accountant": ["basic", "basic", "basic", "basic", "zcdp", "basic"],
          "privacy.delta": [null, null, null, 0.1, 0.018315638888734179, null]})",
      R"({"type": "synchronous_closed_form"})", "--set stop.iterations=4");
  REQUIRE(closed.size() == 6);
  CHECK(closed[1] == Approx(closed[0] / 4).epsilon(1e-9));
  CHECK(closed[2] == Approx(closed[0] / 4).epsilon(1e-9));
  CHECK(closed[3] == Approx(closed[0]).epsilon(1e-9));
  CHECK(closed[4] == Approx(closed[5]).epsilon(1e-9));
  // s/n^2 = 4/400^2 at T = 100; expected_share plans ceil(25 + 3 sqrt(25)) = 40 releases: (40/100)^2 of that.
  const auto share =
      bound_values(R"({"type": "central_async", "rho": 1e-4})",
                   R"({"protocol.budget_for": ["horizon", "expected_share"]})",
                   R"({"type": "cost_of_privacy_11", "c1": 0, "c2": 1})", "--set stop.iterations=100");
  REQUIRE(share.size() == 2);
  CHECK(share[0] == Approx(2.5e-5).epsilon(1e-9));
  CHECK(share[1] == Approx(4e-6).epsilon(1e-9));
  // Other protocols have no such noise.
  CHECK(std::isnan(bound_values(R"({"type": "fedavg", "step": 0.01})", R"({"privacy.steps": [5]})",
                                R"({"type": "cost_of_privacy_11", "c1": 0, "c2": 1})",
                                "--set privacy.gradient_bound=null --set privacy.clip=1")
                       .at(0)));
}

TEST_CASE("conclusions: where repetitions draw data or network, bounds are of what is equal in all of them") {
  const std::string
      async = R"({"type": "central_async", "rho": 1e-4})",
      sweep = R"({"privacy.epsilon": [1]})",
      bounds = R"({"type": "cost_of_privacy_11", "c1": 0, "c2": 1}, {"type": "asynchronous_moments"})";
  const auto fixed = bound_values(async, sweep, bounds, "--repeat 2"),
             drawn = bound_values(async, sweep, bounds, "--repeat 2 --set data.draw=repetition");
  REQUIRE(drawn.size() == 2);
  CHECK(drawn[0] == Approx(2.5e-5).epsilon(1e-9));
  CHECK(std::isnan(drawn[1]));  // f* and the Hessian differ
  REQUIRE(fixed.size() == 2);
  CHECK(fixed[1] > 0);
  CHECK(bound_values(async, sweep, bounds,
                     R"(--repeat 2 --set 'network.topology={"type": "random_geometric", "radius": 2, )"
                     R"("draw": "repetition", "overlay": {"type": "star"}}')") == fixed);
  // Owners of different sizes in each repetition: 6/30^2 of 6 owners, of whom none is lost to rounding.
  const test::StudyFolder dir(R"("analysis": {"bounds": [{"type": "asynchronous_moments"}]})");
  std::string table = "x,y\n";
  for (int k = 0; k < 30; ++k) table += fmt::format("{},{}\n", k % 7, k % 3);
  dir.write("t.csv", table);
  dir.write("sizes.json", R"({
    "data": {"type": "csv", "path": "t.csv", "target": "y", "test_fraction": 0, "draw": "repetition",
             "owner": {"type": "quantity", "owners": 6, "alpha": 1}}, "repeat": 6,
    "protocol": {"type": "central_async", "rho": 1e-4}, "stop": {"iterations": 7},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 20},
    "analysis": {"bounds": [{"type": "cost_of_privacy_11", "c1": 0, "c2": 1}]}})");
  test::ended_with(dir, "run sizes.json --no-progress -o sizes");
  CHECK(std::stod(test::rows_of(dir / "sizes/bounds.csv").back().at(2)) == Approx(6. / 900).epsilon(1e-9));
  CHECK_THAT(test::ended_with(dir, "validate s.json --set data.draw=repetition").err,
             Catch::Contains("warning: analysis.bounds: bounds without free constants are of one data set"));
  CHECK(test::ended_with(dir, "validate s.json").err.empty());
}

TEST_CASE("conclusions: a closed form of another algorithm, or of runs that end before T, has no value") {
  const std::string async = R"({"type": "central_async", "rho": 1e-4, "horizon": 5})",
                    averaged =
                        R"({"type": "central_sync", "algorithm": "averaged", "c1": 1e-4, "horizon": 5})",
                    sweep = R"({"privacy.epsilon": [1]})",
                    until = "--set stop.iterations=null --set stop.time=1e6",
                    moments = R"({"type": "asynchronous_moments"})",
                    closed = R"({"type": "synchronous_closed_form"})";
  const auto value = [&](const std::string& protocol, const std::string& bound,
                         const std::string& sets = "") {
    return bound_values(protocol, sweep, bound, sets).at(0);
  };
  CHECK(value(async, moments) > 0);
  CHECK(value(async, moments, until) == value(async, moments));  // the horizon ends the run
  CHECK(std::isnan(
      value(async, moments, "--set stop.iterations=null --set stop.time=1e-3")));  // the first tick is later
  CHECK(std::isnan(value(async, closed)));
  CHECK(std::isnan(value(averaged, closed)));
  CHECK(std::isnan(value(averaged, moments)));
  const test::StudyFolder dir(R"("analysis": {"bounds": [{"type": "synchronous_closed_form"}]})");
  CHECK(
      test::ended_with(dir, "validate s.json").err ==
      "warning: analysis.bounds: synchronous_closed_form is of central_sync with algorithm strongly_convex: it has "
      "no value in this study\n");
}

TEST_CASE("conclusions: gains are relative to the isolated baseline") {
  const test::Scratch dir;
  // Without noise and with owners alike but few records, everybody gains; with much noise nobody does.
  dir.write("s.json", test::small_scenario(R"("baselines": ["isolated"], "repeat": 10,
    "sweep": {"privacy.epsilon": [1e9, 0.01]}, "analysis": {"gains": ["relative_fitness"]})"));
  const auto outcome =
      test::ended_with(dir, "run s.json --set protocol.rho=0.02 --set data.records=20 --no-progress -o out");
  CHECK(test::has_words(outcome.out, "1e9 relative_fitness 3 3 3 0"));
  CHECK(test::has_words(outcome.out, "0.01 relative_fitness 3 0 0 3"));
  const std::string fits = text_of(dir / "out/fits.csv");
  CHECK(std::count(fits.begin(), fits.end(), '\n') == 1 + 6);
}

TEST_CASE("conclusions: they can be added later without repeating runs") {
  const test::Scratch dir;
  const std::string before = R"("repeat": 2, "sweep": {"privacy.epsilon": [1, 2]})";
  dir.write("s.json", test::small_scenario(before));
  test::run_study(dir, "-o out");
  dir.write("s.json", test::small_scenario(before + R"(, "analysis": {"slopes": [{"over": "privacy.epsilon"}],
    "bounds": [{"type": "asynchronous_rule_of_thumb"}]})"));
  const auto outcome = test::ended_with(dir, "run s.json --no-progress -o out");
  CHECK_THAT(outcome.err, Catch::Contains("4 runs: 4 cached, 0 to run"));
  const auto analysis = manifest_of(dir / "out").at("analysis");
  CHECK(analysis.at("slopes").size() == 1);
  CHECK(analysis.at("bounds")[0].at("min_mean_over_bound").get<double>() > 0);
}

TEST_CASE("conclusions: axes that vary together are one curve, and conditions select points") {
  const test::StudyFolder dir(R"("repeat": 2,
    "sweep": {"zip": [{"privacy.epsilon": [0.01, 0.02, 0.04], "protocol.rho": [1, 1.1, 1.2]}]},
    "analysis": {"slopes": [{"over": "privacy.epsilon"}, {"over": "privacy.epsilon", "where": "protocol.rho > 1.05"}]})");
  test::run_study(dir, "-o out");
  const auto slopes = manifest_of(dir / "out").at("analysis").at("slopes");
  REQUIRE(slopes.size() == 2);
  CHECK(slopes[0].at("points") == 3);
  CHECK(slopes[1].at("points") == 2);
}

TEST_CASE("conclusions: a missing or non-numeric axis is refused with its position") {
  const test::Scratch dir;
  const auto answer = [&](const std::string& sweep, const std::string& slope) {
    dir.write("s.json",
              test::small_scenario(R"("sweep": )" + sweep + R"(, "analysis": {"slopes": [)" + slope + "]}"));
    const auto outcome = test::ended_with(dir, "validate s.json", 2);
    return outcome.out + outcome.err;
  };
  CHECK_THAT(
      answer(R"({"privacy.epsilon": [1, 2]})", R"({"over": "privacy.epsilom"})"),
      Catch::Contains("s.json:8:") &&
          Catch::Contains("/analysis/slopes/0/over: expected an axis of the sweep, found 'privacy.epsilom'"));
  CHECK_THAT(answer(R"({"protocol.when_busy": ["queue", "refuse"]})", R"({"over": "protocol.when_busy"})"),
             Catch::Contains("expected a numeric axis, found 'protocol.when_busy'"));
  CHECK_THAT(answer(R"({"privacy.epsilon": [1, 2]})", R"({"over": "privacy.epsilon", "where": "rho > 1"})"),
             Catch::Contains("/analysis/slopes/0/where:"));
}
