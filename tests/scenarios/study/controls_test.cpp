// "analysis.control_variates": the controls of runs, and estimates.csv.
#include <catch2/catch.hpp>

#include <cmath>
#include <map>

#include "tests/support/results.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using test::Scratch;

namespace {

std::map<std::string, std::vector<double>> controls_of(const std::string& folder) {
  std::map<std::string, std::vector<double>> all;
  const auto rows = test::rows_of(folder + "/scalars.csv");
  for (const auto& row : rows) {
    if (row.at(1).starts_with("control.")) all[row[1]].push_back(std::stod(row.at(3)));
  }
  return all;
}

// estimates.csv of one metric.
std::map<std::string, std::string> estimates_of(const std::string& folder) {
  const auto rows = test::rows_of(folder + "/estimates.csv");
  REQUIRE(rows.size() == 2);
  std::map<std::string, std::string> all;
  for (std::size_t k = 0; k < rows[0].size(); ++k) all[rows[0][k]] = rows[1].at(k);
  return all;
}

const std::string kControlled = R"("analysis": {"control_variates": true})";

}  // namespace

TEST_CASE("control variates: those of a scenario have mean 0") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario(kControlled));
  const std::string changes =
      "--set repeat=300 --set network.loss=0.1 "
      "--set 'network.latency={\"type\":\"exponential\",\"mean\":\"50 ms\"}' --set 'record.metrics=[\"relative_fitness\"]' "
      "--set 'network.availability={\"type\":\"on_off\",\"up\":{\"type\":\"exponential\",\"mean\":\"8 s\"},"
      "\"down\":{\"type\":\"exponential\",\"mean\":\"2 s\"}}' ";
  // Each of 16 means fails with probability 7e-6.
  for (const char* more : {"-o iterations", "-o time --set stop.iterations=1000000 --set stop.time=40",
                           "-o gaussian --set privacy.mechanism=gaussian --set privacy.delta=1e-5",
                           "-o norm --set privacy.mechanism=exponential_norm"}) {
    INFO(more);
    test::run_study(dir, changes + more);
    const std::string folder = dir / std::string(more).substr(3, std::string(more).find(' ', 3) - 3);
    const auto controls = controls_of(folder);
    CHECK(controls.size() == 4);
    for (const auto& [name, values] : controls) {
      INFO(name);
      REQUIRE(values.size() == 300);
      test::Mean mean;
      for (const double x : values) mean.add(x);
      CHECK(mean.standard_error() > 0);
      CHECK(std::abs(mean.mean()) < 4.5 * mean.standard_error());
    }
    CHECK(estimates_of(folder).at("controls") == "latency losses noise ticks");
    CHECK(estimates_of(folder).at("repetitions") == "300");
    CHECK(std::stod(estimates_of(folder).at("r2")) > 0);
  }
}

TEST_CASE("control variates: the table, with pairs, with few runs, and without the option") {
  const Scratch dir;
  dir.write("s.json", test::small_scenario(kControlled));
  const std::string one = "--set 'record.metrics=[\"relative_fitness\"]' ";
  test::run_study(dir, one + "-o pairs --set 'repeat={\"count\":12,\"antithetic\":true}'");
  const auto pairs = estimates_of(dir / "pairs");
  CHECK(pairs.at("repetitions") == "12");
  CHECK(pairs.at("controls") == "latency noise ticks");  // nothing is lost
  CHECK(std::stod(pairs.at("controlled_half_width")) > 0);
  test::run_study(dir, one + "-o few --set repeat=4");
  const auto few = estimates_of(dir / "few");
  CHECK(few.at("controlled_mean").empty());
  CHECK(few.at("r2").empty());
  CHECK(std::stod(few.at("mean")) > 0);
  CHECK(std::stod(few.at("half_width")) > 0);
  // Diverged runs.
  test::ended_with(dir, "run s.json --no-progress -o bad --set protocol.rho=1e12 --set repeat=8 " + one, 6);
  CHECK(estimates_of(dir / "bad").at("mean").empty());
  CHECK(estimates_of(dir / "bad").at("repetitions") == "0");
  CHECK(estimates_of(dir / "bad").at("controlled_mean").empty());
  // Runs that were made without the option have no controls: they are made again, with the same events.
  test::run_study(dir, one + "-o plain --set repeat=4 --set analysis={}");
  CHECK(test::text_of(dir / "plain/estimates.csv").empty());
  CHECK(controls_of(dir / "plain").empty());
  const std::string again = test::run_study(dir, one + "-o plain --set repeat=4");
  CHECK_THAT(again, Catch::Contains("4 of them again, to record other values"));
  CHECK(controls_of(dir / "plain").size() == 3);
}
