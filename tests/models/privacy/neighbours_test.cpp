// What reads exact private values is listed; where nothing is, no event of a run depends on them.
#include <catch2/catch.hpp>
#include <filesystem>

#include "scenarios/language/reader.hpp"
#include "tests/support/neighbours.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using Catch::Contains;
using Catch::VectorContains;

namespace {

scenarios::Scenario read(const std::string& text, const std::filesystem::path& folder = {}) {
  const scenarios::Document document = scenarios::parse(text, "neighbours", folder);
  scenarios::Scenario scenario;
  scenarios::read(document, document.root, scenario);
  return scenario;
}

test::NeighbourRuns compare(const std::string& text) {
  return test::compare_neighbours(read(text));
}

double mean_square_of_targets(const models::DataSet& data) {
  double sum = 0, records = 0;
  for (const models::Shard& shard : data.train) {
    sum += shard.target.squaredNorm();
    records += static_cast<double>(shard.target.size());
  }
  return sum / records;
}

std::string regression(const std::string& rest) {
  return R"({"data": {"type": "lending_like", "owners": 4, "records": 40, "features": 3}, "network": {"topology": "star",
             "latency": "10 ms", "loss": 0.1}, )" +
         rest + "}";
}

std::string separators(const std::string& topology, const std::string& rest) {
  return R"({"data": {"type": "linear_separators", "owners": 8, "features": 4, "records": 12,
             "similarity": "none"}, "model": {"loss": "logistic"}, "record": {"metrics": ["own_test_error"]}, "network": {"topology": )" +
         topology + R"(, "latency": "50 ms"}, )" + rest + "}";
}

const std::string kLaplace = R"("privacy": {"mechanism": "laplace", "epsilon": 1, "clip": 1, "steps": 20})";
const std::string kStop = R"("stop": {"iterations": 60})";

}  // namespace

TEST_CASE("exact reads: a target on an exact metric is listed, and decides when a run ends") {
  const auto scenario = [](const char* metric, double below) {
    return regression(
        fmt::format(R"("protocol": {{"type": "central_async", "rho": 1}}, "privacy": {{"mechanism": "laplace",
      "epsilon": 0.01, "clip": 1}}, "stop": {{"iterations": 60, "target": {{"metric": "{}", "below": {}}}}},
      "record": {{"every": {{"iterations": 1}}}})",
                    metric, below));
  };
  // At the start theta is 0, where the objective is the mean square of the targets: between those of the two data sets,
  // one run ends at once.
  const models::DataSet data = scenarios::solve(read(scenario("objective", 1)), 0)->problem.data();
  const double one = mean_square_of_targets(data), other = mean_square_of_targets(test::neighbour_of(data));
  REQUIRE(one != other);
  const test::NeighbourRuns exact = compare(scenario("objective", (one + other) / 2));
  REQUIRE(exact.applies);
  REQUIRE(exact.listed.size() == 1);
  CHECK_THAT(exact.listed[0], Contains("stop.target") && Contains("objective"));
  CHECK_THAT(exact.difference, Contains("end: target"));
  const test::NeighbourRuns of_run = compare(scenario("messages", -1));
  CHECK(of_run.listed.empty());
  CHECK(of_run.difference == "");
}

TEST_CASE("exact reads: no event depends on a record where nothing is listed") {
  const std::string scenario = GENERATE(
      regression(
          R"("protocol": {"type": "central_async", "rho": 1}, "privacy": {"mechanism": "laplace", "epsilon": 1,
                 "clip": 1}, )" +
          kStop),
      regression(
          R"("protocol": {"type": "central_sync", "c1": 0.1}, "privacy": {"mechanism": "laplace", "epsilon": 1,
                 "clip": 1}, )" +
          kStop),
      regression(R"("protocol": {"type": "fedavg", "step": 0.1}, )" + kLaplace + ", " + kStop),
      regression(R"("protocol": {"type": "fedbuff", "step": 0.1}, )" + kLaplace + ", " + kStop),
      separators(R"({"type": "ring"})",
                 R"("protocol": {"type": "p2p_coordinate_descent", "lipschitz": "public",
                 "feature_bound": 1}, )" +
                     kLaplace + ", " + kStop),
      R"({"data": {"type": "synthetic", "owners": 6, "records": 15, "features": 4, "classes": 3},
          "model": {"loss": "softmax"}, "network": {"topology": "ring", "latency": "50 ms"},
          "record": {"metrics": ["own_test_error"]}, "protocol": {"type": "p2p_coordinate_descent", "lipschitz": "public",
          "feature_bound": 5}, )" +
          kLaplace + ", " + kStop + "}",
      separators(R"({"type": "ring"})",
                 R"("protocol": {"type": "dpsgd_gossip", "step": 0.1}, )" + kLaplace + ", " + kStop),
      separators(
          R"({"type": "ring"})",
          R"("protocol": {"type": "muffliato", "step": 0.1, "gossip_steps": 2, "accelerated": true}, )" +
              kLaplace + ", " + kStop),
      separators(R"({"type": "ring"})",
                 R"("protocol": {"type": "ad_psgd", "step": 0.1}, )" + kLaplace + ", " + kStop));
  INFO(scenario);
  const test::NeighbourRuns runs = compare(scenario);
  CHECK(runs.applies);
  CHECK(runs.listed == std::vector<std::string>{});
  CHECK(runs.difference == "");
}

TEST_CASE("exact reads: options that read exact values are listed") {
  const auto [scenario, phrase] = GENERATE(table<std::string, std::string>({
      {regression(
           R"("protocol": {"type": "central_async", "rho": "auto"}, "privacy": {"mechanism": "laplace", "epsilon": 1,
                  "clip": 1}, )" +
           kStop),
       "protocol.rho: step from private data"},
      {regression(
           R"("model": {"theta_max": 10}, "protocol": {"type": "central_sync", "algorithm": "strongly_convex",
                  "rho": 1}, "privacy": {"mechanism": "laplace", "epsilon": 1, "clip": 1}, )" +
           kStop),
       "model.theta_max: compared with the exact best model"},
      {separators(R"({"type": "ring"})",
                  R"("protocol": {"type": "p2p_coordinate_descent"}, )" + kLaplace + ", " + kStop),
       "protocol.lipschitz: step size from private data"},
  }));
  INFO(scenario);
  const test::NeighbourRuns runs = compare(scenario);
  REQUIRE(runs.listed.size() == 1);
  CHECK_THAT(runs.listed[0], Contains(phrase));
}

TEST_CASE("exact reads: a step that the largest record limits is listed where no bound of it is declared") {
  const test::Scratch dir;
  std::string rows = "owner,x,y\n";
  for (int k = 0; k < 24; ++k) rows += fmt::format("{},{},{}\n", k % 4, k + 1, k % 3);
  dir.write("x.csv", rows);
  const std::string text =
      R"({"data": {"type": "csv", "path": "x.csv", "target": "y", "owner": {"column": "owner"}},
      "network": {"topology": "star"}, "protocol": {"type": "async_mtl", "alpha_1": 1e-6, "turns": 5},
      "privacy": {"mechanism": "exponential_norm", "epsilon_1": 1, "epsilon_2": 1, "gradient_bound": 1},
      "stop": {"iterations": 20}, "record": {"metrics": ["rank"]}})";
  const test::NeighbourRuns runs = test::compare_neighbours(read(text, dir.path()));
  REQUIRE(runs.listed.size() == 1);
  CHECK_THAT(runs.listed[0], Contains("protocol.alpha_1: limited by the largest norm_2 of a record"));
}
