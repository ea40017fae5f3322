// The estimate of a study's memory against what the kernel measures of the program, and what happens when it does not
// fit.
#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "scenarios/execution/memory.hpp"
#include "scenarios/study/errors.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using test::Scratch;
using test::shell;

namespace {

std::string scenario_of(const std::string& data, const std::string& more) {
  return "{\"data\": " + data + ", \"privacy\": {\"mechanism\": \"none\"}, " + more + "}";
}

const std::string kCentralLearner = R"("protocol": {"type": "central_async", "rho": 1}, )";
const std::string kFewIterations = R"("stop": {"iterations": 20})";

// Owners with few records who learn personal models.
std::string personal_scenario(int owners, const std::string& network, const std::string& protocol,
                              const std::string& data = R"("features": 2, "similarity": "none")") {
  return scenario_of(fmt::format(R"({{"type": "linear_separators", "owners": {}, "records": 5,
      "test_records": 0, {}}})",
                                 owners, data),
                     R"("model": {"loss": "logistic", "l2": 0}, "record": {"metrics": ["objective_q"]},
      "network": )" + network +
                         R"(, "protocol": {"type": ")" + protocol + R"("}, )" + kFewIterations);
}

std::string lending_scenario(const std::string& options,
                             const std::string& more = kCentralLearner + kFewIterations) {
  return scenario_of(R"({"type": "lending_like", )" + options + "}", more);
}

std::string tasks_scenario(const std::string& options) {
  return scenario_of(R"({"type": "low_rank_tasks", )" + options + "}",
                     R"("model": {"loss": "logistic", "l2": 0}, "record": {"metrics": ["objective_joint"]},
      "protocol": {"type": "async_mtl", "turns": 5, "threshold": 0.1}, "stop": {"iterations": 5})");
}

std::string csv_scenario(const std::string& file, const std::string& options) {
  return scenario_of(R"({"type": "csv", "target": "y", "path": ")" + file + "\", " + options + "}",
                     kCentralLearner + kFewIterations);
}

// The fraction (3 k mod 1e9 + 7) / (1e9 + 7) to 9 digits or less: numbers that look random.
std::string digits_of(std::uint64_t k, int digits) {
  return fmt::format("{:.{}f}", static_cast<double>(k * 2654435761U % 1000000007U) / 1000000007.0, digits);
}

void write_tables(const Scratch& dir) {
  std::ofstream numbers(dir / "numbers.csv"), owners(dir / "owners.csv"), levels(dir / "levels.csv"),
      sessions(dir / "sessions.csv");
  numbers << "a,b,c,d,e,f,y\n";
  owners << "who,a,b,c,y\n";
  levels << "city,a,y\n";
  sessions << "agent start end\n";
  for (std::uint64_t row = 0; row < 200000; ++row) {
    for (std::uint64_t c = 0; c < 7; ++c) numbers << digits_of(7 * row + c, 4) << (c < 6 ? "," : "\n");
    owners << "o" << row * 2654435761U % 50;
    for (std::uint64_t c = 0; c < 4; ++c) owners << "," << digits_of(4 * row + c, 9);
    owners << "\n";
    if (row < 60000)
      levels << "city" << row * 2654435761U % 60 << "," << digits_of(row, 9) << "," << digits_of(row + 1, 6)
             << "\n";
    sessions << row / 20 << " " << row % 20 * 10 << " " << row % 20 * 10 + 7 << "\n";
    sessions << row / 20 + 10000 << " " << row % 20 * 10 << " " << row % 20 * 10 + 5 << "\n";
  }
}

struct MemoryCase {
  const char* name;
  std::string scenario;
  int threads = 1;
};

// Bytes at the peak of a run of dir/s.json, by the kernel's account of the process.
double measured_bytes(const Scratch& dir, int threads) {
  const auto outcome = shell(fmt::format(
      "cd {} && rm -rf out && hearsay run s.json -o out -j {} --no-progress", dir.path().string(), threads));
  INFO(outcome.err);
  REQUIRE((outcome.code == 0 || outcome.code == 6));  // 6: runs that diverge
  return nlohmann::json::parse(test::text_of(dir / "out/manifest.json")).at("peak_memory_bytes");
}

// Bytes that a dry run shows.
double estimated_bytes(const Scratch& dir, int threads) {
  const std::string shown =
      shell(fmt::format("cd {} && hearsay run s.json -o none -j {} --dry-run", dir.path().string(), threads))
          .out;
  INFO(shown);
  std::smatch found;
  REQUIRE(std::regex_search(shown, found, std::regex("memory: about ([0-9.e+]+) (MB|GB)")));
  return std::stod(found[1]) * (found[2] == "GB" ? 1e9 : 1e6);
}

std::vector<MemoryCase> memory_cases() {
  const std::string ring = "\"ring\"", regular = R"({"type": "random_regular", "degree": )";
  return {
      {"records", lending_scenario(R"("owners": 10, "records": 80000, "features": 20)")},
      {"test records",
       lending_scenario(R"("owners": 10, "records": 1000, "test_records": 70000, "features": 20)")},
      {"features", lending_scenario(R"("owners": 4, "records": 50, "features": 1000)",
                                    kCentralLearner + R"("stop": {"iterations": 5})")},
      {"owners", lending_scenario(R"("owners": 100000, "records": 2, "features": 3)")},
      {"tasks", tasks_scenario(R"("tasks": 20, "records": 4000, "features": 100)")},
      {"many tasks", tasks_scenario(R"("tasks": 3000, "records": 10, "features": 60)")},
      {"similarity", personal_scenario(4000, "{\"topology\": \"similarity\"}", "p2p_coordinate_descent",
                                       R"("features": 2, "weight_threshold": 0.1)")},
      {"complete graph", personal_scenario(3000, "{\"topology\": \"complete\"}", "p2p_coordinate_descent")},
      {"drawn links", personal_scenario(50000, R"({"topology": {"type": "erdos_renyi", "mean_degree": 60}})",
                                        "p2p_coordinate_descent")},
      {"regular graph",
       personal_scenario(100000, R"({"topology": )" + regular + "20}}", "p2p_coordinate_descent")},
      {"lost messages", personal_scenario(60000, R"({"loss": 0.1, "topology": )" + regular + "16}}",
                                          "p2p_coordinate_descent")},
      {"admm", personal_scenario(20000, R"({"topology": )" + regular + "8}}", "p2p_admm",
                                 R"("features": 20, "similarity": "none")")},
      {"alone", personal_scenario(100000, "{\"topology\": \"ring\"}", "local_only")},
      {"sessions",
       personal_scenario(20000,
                         R"({"topology": "ring", "availability": {"type": "trace", "path": "sessions.csv"}})",
                         "p2p_coordinate_descent")},
      {"samples",
       lending_scenario(
           R"("owners": 3, "records": 200, "features": 4)",
           kCentralLearner + R"("stop": {"iterations": 1000000}, "record": {"every": {"iterations": 1},
                          "metrics": ["objective"]})")},
      {"samples of owners",
       lending_scenario(R"("owners": 100, "records": 20, "features": 3)",
                        kCentralLearner + R"("stop": {"iterations": 50000}, "record": {"every":
                                    {"iterations": 1}, "metrics": ["epsilon_spent_by_owner"]})")},
      {"models of owners", R"({"data": {"type": "linear_separators", "owners": 20000, "records": 5,
          "test_records": 0, "features": 200, "similarity": "none"}, "privacy": {"mechanism": "none"},
          "model": {"loss": "logistic"}, "network": {"topology": "ring"}, "protocol": {"type": "push_sum",
          "step": 0.1}, "stop": {"iterations": 20}, "record": {"metrics": ["messages"], "models": "final"}})"},
      {"messages in flight",
       R"({"data": {"type": "lending_like", "owners": 12, "records": 30}, "privacy": {"mechanism": "none"},
          "protocol": {"type": "central_async", "rho": 0.01, "horizon": 10}, "network": {"latency": "4000 s"},
          "clocks": {"type": "poisson", "rate": "10 /s"}, "stop": {"time": "5000 s"}})"},
      {"publications in flight", R"({"data": {"type": "linear_separators", "owners": 100, "records": 5, "test_records": 0,
          "features": 20, "similarity": "none"}, "privacy": {"mechanism": "none"}, "model": {"loss": "logistic", "l2": 0},
          "protocol": {"type": "p2p_coordinate_descent"}, "record": {"metrics": ["messages"]},
          "network": {"topology": "ring", "latency": {"type": "pareto", "min": "1000 s", "alpha": 1.5}},
          "stop": {"time": "2500 s"}})"},
      {"release schedules", R"({"data": {"type": "lending_like", "owners": 3, "records": 200}, "privacy":
          {"mechanism": "laplace", "clip": 1, "schedule": "proposition_2_corrected", "steps": 500000},
          "protocol": {"type": "p2p_coordinate_descent"}, "network": {"topology": "ring"}, "stop": {"iterations": 60}})"},
      {"aggregate",
       lending_scenario(R"("owners": 3, "records": 200, "features": 4)",
                        kCentralLearner + R"("stop": {"iterations": 20000}, "repeat": 30, "record": {"every":
                            {"iterations": 1}, "metrics": ["objective"], "keep": "aggregate"})")},
      {"several data sets", lending_scenario(R"("owners": 4, "records": 20000, "features": 20)",
                                             kCentralLearner + kFewIterations +
                                                 R"(, "sweep": {"seed": {"from": 1, "to": 12, "step": 1}})")},
      {"two threads",
       lending_scenario(
           R"("owners": 4, "records": 20000, "features": 20)",
           kCentralLearner + kFewIterations + R"(, "sweep": {"seed": {"from": 1, "to": 12, "step": 1}})"),
       2},
      {"samples, two threads",
       lending_scenario(R"("owners": 3, "records": 200, "features": 4)",
                        kCentralLearner + R"("stop": {"iterations": 400000}, "repeat": 4, "record":
                                       {"every": {"iterations": 1}, "metrics": ["objective"]})"),
       2},
      {"csv", csv_scenario("numbers.csv", R"("owner": {"blocks": 10})")},
      {"csv, owners by name",
       csv_scenario("owners.csv", R"("owner": {"column": "who"}, "test_fraction": 0.2)")},
      {"csv, one column a level",
       csv_scenario("levels.csv", R"("owner": {"blocks": 5}, "encode": "one_hot")")},
      {"ratings",
       scenario_of(R"({"type": "movielens", "users": 5000, "items": 2000, "ratings": 500000,
                              "features": 20, "sweeps": 1})",
                   R"("model": {"l2": 0}, "network": {"topology": "similarity"}, "record": {"metrics":
                              ["objective_q"]}, "protocol": {"type": "p2p_coordinate_descent"}, )" +
                       kFewIterations)}};
}

// The address space of the program, so that allocation fails for real.
test::Outcome with_addresses(int megabytes, const std::string& arguments) {
  return shell(fmt::format("ulimit -v {}; hearsay {}", megabytes * 1000, arguments));
}

}  // namespace

TEST_CASE("memory: the estimate is within a factor of 1.5 of what runs use") {
  constexpr double kFactor = 1.5;
  const Scratch dir;
  write_tables(dir);
  dir.write("s.json", lending_scenario(R"("owners": 3, "records": 200, "features": 4)"));
  const double program = measured_bytes(dir, 1);
  for (const MemoryCase& one : memory_cases()) {
    dir.write("s.json", one.scenario);
    const double used = measured_bytes(dir, one.threads) - program,
                 expected = estimated_bytes(dir, one.threads);
    INFO(one.name << ": measured " << used / 1e6 << " MB, estimated " << expected / 1e6 << " MB");
    CHECK(used > 30e6);  // so that the program itself does not decide
    CHECK(expected < kFactor * used);
    CHECK(expected > used / kFactor);
  }
}

TEST_CASE("memory: a study that does not fit is refused with its largest part, before anything is made") {
  const Scratch dir;
  const auto refused = [&](const std::string& scenario, const std::string& largest) {
    dir.write("s.json", scenario);
    // Whatever the machine has, the process may use 1 GB.
    for (const char* command : {"validate ", "run --dry-run -o none ", "run -o none "}) {
      const auto outcome = with_addresses(1000, command + dir / "s.json");
      INFO(command << scenario << outcome.out << outcome.err);
      CHECK(outcome.code == 3);
      CHECK_THAT(outcome.err, Contains("expected a study that needs at most 1.02 GB of memory") &&
                                  Contains("reduce its largest part, " + largest + "\n"));
    }
  };
  refused(lending_scenario(R"("owners": 100000000)"), "data");
  refused(lending_scenario(R"("test_records": 1000000000)"), "data");
  refused(tasks_scenario(R"("tasks": 1000000, "records": 100, "features": 20)"), "data");
  refused(tasks_scenario(R"("tasks": 20, "records": 10000000, "features": 28)"), "data");
  refused(scenario_of(R"({"type": "fraud_like", "features": 65536, "records": 50})",
                      R"("model": {"loss": "logistic"}, )" + kCentralLearner + kFewIterations),
          "making the model");
  refused(personal_scenario(30000, "{\"topology\": \"complete\"}", "p2p_coordinate_descent"),
          "agents and links");
  refused(
      lending_scenario(
          R"("records": 10)",
          kCentralLearner + R"("stop": {"iterations": 1000000000}, "record": {"every": {"iterations": 1}})"),
      "records");
}

TEST_CASE("memory: messages in flight and release schedules are refused where they do not fit") {
  const Scratch dir;
  const auto refused = [&](const std::string& scenario, const std::string& largest) {
    dir.write("s.json", scenario);
    const auto outcome = with_addresses(1000, "validate " + dir / "s.json");
    INFO(scenario << outcome.out << outcome.err);
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("reduce its largest part, " + largest + "\n"));
  };
  refused(lending_scenario(R"("owners": 12, "records": 30)",
                           kCentralLearner + R"("network": {"latency": "1e9 s"}, "clocks": {"type": "poisson",
                           "rate": "10 /s"}, )" + kFewIterations),
          "messages in flight");
  refused(R"({"data": {"type": "lending_like", "owners": 3, "records": 200}, "privacy": {"mechanism": "laplace", "clip": 1,
          "schedule": "proposition_2_corrected", "steps": 1000000000}, "protocol": {"type": "p2p_coordinate_descent"},
          "network": {"topology": "ring"}, "stop": {"iterations": 60}})",
          "release schedules");
}

TEST_CASE("memory: a run that grows beyond its estimate ends with exit code 3 and what has grown") {
  const Scratch dir;
  // Models leave an agent's uplink much slower than it makes them.
  dir.write("s.json", scenario_of(R"({"type": "linear_separators", "owners": 10, "records": 5, "test_records": 0,
      "features": 500, "similarity": "none"})",
                                  R"("model": {"loss": "logistic"}, "record": {"metrics": ["messages"]},
      "network": {"topology": "ring", "bandwidth": "1 B/s"}, "protocol": {"type": "gossip_learning", "step": 0.1},
      "stop": {"iterations": 1000000})"));
  const auto outcome = with_addresses(400, "run " + dir / "s.json -j 1 --no-progress -o " + dir / "out");
  INFO(outcome.err);
  CHECK(outcome.code == 3);
  CHECK_THAT(outcome.err, Contains("out of memory; the study has come to need about ") &&
                              Contains("reduce its largest part, messages in flight\n"));
}

TEST_CASE("memory: a run may grow until hardly any memory is left") {
  constexpr std::size_t kNow = 1 << 24;
  CHECK(scenarios::room_of_run(kNow) > kNow);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
  const rlimit little{std::min<rlim_t>(before.rlim_max, 1 << 20), before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_DATA, &little) == 0);
  double in_flight = 0;
  try {
    scenarios::room_of_run(kNow);
  } catch (const scenarios::OutOfMemory& error) {
    in_flight = error.in_flight;
  }
  REQUIRE(::setrlimit(RLIMIT_DATA, &before) == 0);
  CHECK(in_flight == kNow);
}

TEST_CASE("memory: allocation that fails ends with exit code 3 and the largest part") {
  const Scratch dir;
  // The estimate fits, but the program's libraries and the stacks of its threads take addresses too.
  dir.write("s.json", lending_scenario(R"("owners": 10, "records": 20000, "features": 20)"));
  int failed = 0;
  for (int megabytes = 60; megabytes <= 100; megabytes += 4) {
    const auto outcome =
        with_addresses(megabytes, "run " + dir / "s.json -j 1 --no-progress -o " + dir / "out");
    INFO(megabytes << ": " << outcome.code << " " << outcome.err);
    if (outcome.code == 127 || outcome.code == 0 || outcome.code == 6)
      continue;  // did not start, or was enough
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("memory"));
    if (outcome.err.find("out of memory; the study ") != std::string::npos) {
      ++failed;
      CHECK_THAT(outcome.err, Contains("reduce its largest part, data\n"));
    }
  }
  CHECK(failed > 0);
}

TEST_CASE("memory: sweeps of many points are refused at once, and conditions keep only what they select") {
  const Scratch dir;
  const auto swept = [](const std::string& sweep) {
    return lending_scenario(R"("owners": 3, "records": 10, "features": 2)",
                            kCentralLearner + kFewIterations + ", \"sweep\": " + sweep);
  };
  dir.write("s.json", swept(R"({"seed": {"from": 1, "to": 1e6, "step": 1}})"));
  const auto many = shell("hearsay validate " + dir / "s.json");
  CHECK(many.code == 3);
  CHECK_THAT(many.err,
             Contains("the sweep has 1e+06 points, more than 100000; raise --max-runs to allow them"));
  CHECK(shell("hearsay show --runs " + dir / "s.json --max-runs 2e6 --points 'seed < 3'").out ==
        "0  seed=1  x 1\n1  seed=2  x 1\n");
  // 1e6 values took 0.2 GB when they were kept.
  const auto selected = with_addresses(100, "show --runs " + dir / "s.json --points 'seed < 3'");
  CHECK(selected.code == 0);
  CHECK(selected.out == "0  seed=1  x 1\n1  seed=2  x 1\n");
}
