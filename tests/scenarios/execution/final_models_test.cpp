// record.models: the models that runs keep, in models.csv.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "tests/support/parts.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

constexpr double kL2 = 0.5;

// Owners ann with x = 1, y = 3 and bob with x = 1, y = -1.5; no intercept.
void write_two_owners(const Scratch& dir) {
  dir.write("two.csv", "who,x,y\nann,1,3\nbob,1,-1.5\n");
}

std::string two_owners(const std::string& protocol, const std::string& more,
                       const std::string& model = fmt::format("\"l2\": {}", kL2),
                       const std::string& metric = "relative_fitness") {
  return fmt::format(R"({{
    "data": {{"type": "csv", "path": "two.csv", "target": "y", "owner": {{"column": "who"}}}},
    "model": {{{}}}, "protocol": {}, "privacy": {{"mechanism": "none"}},
    "record": {{"metrics": ["{}"], "models": "final"}}, {}}})",
                     model, protocol, metric, more);
}

// f of both owners, l2 theta^2 + mean (theta - y)^2, whose minimiser is the mean of y over 1 + l2.
double objective(double theta) {
  return kL2 * theta * theta + ((theta - 3) * (theta - 3) + (theta + 1.5) * (theta + 1.5)) / 2;
}

// Models by repetition and agent, of one parameter.
using Models = std::map<std::pair<int, int>, double>;
Models models_in(const std::string& folder) {
  Models all;
  const auto rows = rows_of(folder + "/models.csv");
  REQUIRE(rows.at(0) == std::vector<std::string>{"repetition", "agent", "parameter", "name", "value"});
  for (std::size_t k = 1; k < rows.size(); ++k) {
    CHECK(rows[k].at(2) == "0");
    CHECK(rows[k].at(3) == "x");
    all[{std::stoi(rows[k].at(0)), std::stoi(rows[k].at(1))}] = std::stod(rows[k].at(4));
  }
  return all;
}

// By repetition.
std::map<int, double> recorded(const std::string& folder, const std::string& metric) {
  std::map<int, double> all;
  for (const auto& row : rows_of(folder + "/scalars.csv"))
    if (row.at(1) == metric) all[std::stoi(row.at(0))] = std::stod(row.at(3));
  return all;
}

void run(const Scratch& dir, const std::string& scenario) {
  dir.write("s.json", scenario);
  test::run_to(dir, "out");
}

}  // namespace

TEST_CASE("final models: owners who learn alone keep their own minimisers") {
  const Scratch dir;
  write_two_owners(dir);
  run(dir, two_owners(fmt::format(R"({{"type": "local_only", "lambda": {}}})", kL2),
                      R"("stop": {"iterations": 4}, "network": {"topology": "complete"})", "", "messages"));
  const Models models = models_in(dir / "out");
  REQUIRE(models.size() == 2);
  // theta = y/(1 + lambda)
  CHECK(models.at({0, 0}) == Approx(2).epsilon(1e-12));
  CHECK(models.at({0, 1}) == Approx(-1).epsilon(1e-12));
}

TEST_CASE("final models: the recorded metrics are those of the models that a run keeps") {
  const Scratch dir;
  write_two_owners(dir);
  const std::string steps = R"("stop": {"iterations": 30}, "repeat": 3)";
  SECTION("of a learner, who alone has a model") {
    run(dir, two_owners(R"({"type": "central_async", "rho": 1})", steps));
    CHECK(models_in(dir / "out").size() == 3);
  }
  SECTION("of every agent") {
    run(dir,
        two_owners(R"({"type": "push_sum", "step": 0.1})", steps + R"(, "network": {"topology": "ring"})"));
    CHECK(models_in(dir / "out").size() == 6);
  }
  std::map<int, std::vector<double>> fitness;
  for (const auto& [key, theta] : models_in(dir / "out"))
    fitness[key.first].push_back(objective(theta) / objective(0.75 / (1 + kL2)) - 1);
  const auto expected = recorded(dir / "out", "relative_fitness");
  REQUIRE(expected.size() == 3);
  for (const auto& [repetition, values] : fitness) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    CHECK(mean > 1e-6);
    CHECK(mean == Approx(expected.at(repetition)).epsilon(1e-9));
  }
}

TEST_CASE("final models: tasks have their owners' models, and the server none") {
  const Scratch dir;
  run(dir, R"({"data": {"type": "low_rank_tasks", "tasks": 3, "records": 10, "features": 2},
    "model": {"l2": 0}, "protocol": {"type": "amtl", "alpha": 0.01}, "privacy": {"mechanism": "none"},
    "stop": {"iterations": 5}, "record": {"metrics": ["objective_joint"], "models": "final"}})");
  const auto rows = rows_of(dir / "out/models.csv");
  REQUIRE(rows.size() == 1 + 3 * 2);
  for (std::size_t k = 1; k < rows.size(); ++k) {
    CHECK(rows[k].at(1) == std::to_string(1 + (k - 1) / 2));
    CHECK(rows[k].at(2) == std::to_string((k - 1) % 2));
  }
}

TEST_CASE(
    "final models: asked for later, they are of the same runs, and no table is left that was not asked for") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 2)");
  test::run_to(dir, "out");
  CHECK_FALSE(std::filesystem::exists(dir / "out/models.csv"));
  const std::string runs = text_of(dir / "out/runs.csv");
  const std::string models = "--set record.models=final";
  const auto again = ended_with(dir, "run s.json --no-progress -o out " + models);
  CHECK_THAT(again.err, Contains("4 runs: 0 cached, 4 to run (4 of them again, to record other values)"));
  CHECK_THAT(again.out, Contains("models.csv"));
  CHECK(text_of(dir / "out/runs.csv") == runs);
  const auto rows = rows_of(dir / "out/models.csv");
  REQUIRE(rows.size() == 1 + 4 * 4);
  CHECK(rows[0][0] == "privacy.epsilon");
  CHECK(rows[16][4] == "x4");
  // Stored: written again, not made again.
  const std::string table = text_of(dir / "out/models.csv");
  std::filesystem::remove(dir / "out/models.csv");
  CHECK_THAT(ended_with(dir, "run s.json --no-progress -o out " + models).err,
             Contains("4 runs: 4 cached, 0 to run"));
  CHECK(text_of(dir / "out/models.csv") == table);
  test::run_to(dir, "out");
  CHECK_FALSE(std::filesystem::exists(dir / "out/models.csv"));
}

TEST_CASE("final models: parts, series that are stored together and threads have the same table") {
  const test::StudyFolder dir(test::kThreePoints);
  const std::string models = "--set record.models=final --set record.keep=aggregate ";
  test::run_to(dir, "one", models + "-j 1");
  test::run_to(dir, "two", models + "-j 2");
  test::run_parts(dir, 3, models);
  test::merge_to(dir, "3 1 2", "out");
  const std::string table = text_of(dir / "one/models.csv");
  CHECK(rows_of(dir / "one/models.csv").size() == 1 + 21 * 4);
  CHECK(text_of(dir / "two/models.csv") == table);
  CHECK(text_of(dir / "out/models.csv") == table);
}

TEST_CASE("final models: other values of the option are refused with those that there are") {
  const Scratch dir;
  const std::string outcome =
      refusal(dir, "validate " + dir.write("s.json", test::small_scenario()) + " --set record.models=finals");
  CHECK_THAT(outcome,
             Contains("/record/models: expected one of none, final, found \"finals\"; did you mean"));
}
