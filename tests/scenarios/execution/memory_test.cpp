// What happens when a study does not fit into memory.
#include <fmt/format.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "scenarios/execution/memory.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

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

// The address space of the program, so that allocation fails for real.
test::Outcome with_addresses(const Scratch& dir, int megabytes, const std::string& arguments) {
  return shell(dir, fmt::format("ulimit -v {}; hearsay {}", megabytes * 1000, arguments));
}

// The data segment, which is what hearsay limits: threads reserve addresses that they do not use.
test::Outcome with_data(const Scratch& dir, double bytes, const std::string& arguments) {
  return shell(dir, fmt::format("ulimit -d {:.0f}; hearsay {}", bytes / 1000, arguments));
}

// Bytes at the peak of a run of dir/s.json into dir/out, by the kernel's account of the process.
double measured_bytes(const Scratch& dir, const std::string& arguments) {
  std::filesystem::remove_all(dir / "out");
  const auto outcome = shell(dir, "hearsay run s.json -o out --no-progress " + arguments);
  INFO(outcome.err);
  REQUIRE((outcome.code == 0 || outcome.code == 6));  // 6: runs that diverge
  return nlohmann::json::parse(test::text_of(dir / "out/manifest.json")).at("peak_memory_bytes");
}

}  // namespace

TEST_CASE("memory: a study whose records or links do not fit is refused before anything is made") {
  const Scratch dir;
  const auto refused = [&](const std::string& scenario, const std::string& largest) {
    dir.write("s.json", scenario);
    // Whatever the machine has, the process may use 1 GB.
    for (const std::string command : {"validate ", "run --dry-run -o none ", "run -o none "}) {
      const auto outcome = with_addresses(dir, 1000, command + "s.json");
      INFO(command << scenario << outcome.out << outcome.err);
      CHECK(outcome.code == 3);
      CHECK_THAT(outcome.err, Contains("expected a study that needs at most 1.02 GB of memory") &&
                                  Contains("reduce its " + largest + "\n"));
    }
  };
  refused(lending_scenario(R"("owners": 100000000)"), "data");
  refused(lending_scenario(R"("test_records": 1000000000)"), "data");
  refused(tasks_scenario(R"("tasks": 1000000, "records": 100, "features": 20)"), "data");
  refused(tasks_scenario(R"("tasks": 20, "records": 10000000, "features": 28)"), "data");
  refused(personal_scenario(30000, R"({"topology": {"type": "random_regular", "degree": 6000}})",
                            "p2p_coordinate_descent"),
          "network");
}

TEST_CASE("memory: what does not fit ends the study with its part, before any run is stored") {
  const Scratch dir;
  const auto refused = [&](int megabytes, const std::string& scenario, const std::string& message) {
    dir.write("s.json", scenario);
    CHECK(with_addresses(dir, megabytes, "validate s.json").code == 0);
    const auto outcome = with_addresses(dir, megabytes, "run s.json -j 1 --no-progress -o out");
    INFO(scenario << outcome.out << outcome.err);
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("s.json:") && Contains(message));
    CHECK_FALSE(std::filesystem::exists(dir / "out/manifest.json"));
  };
  // The second moments of the features, p x p, have 13 GB.
  refused(1000, lending_scenario(R"("owners": 2, "features": 40000, "records": 50, "test_records": 0)"),
          "/model: out of memory while the model was made; this process can use ");
  refused(
      300,
      R"({"data": {"type": "lending_like", "owners": 3, "records": 200}, "privacy": {"mechanism": "laplace",
      "clip": 1, "schedule": "proposition_2_corrected", "steps": 100000000}, "protocol": {"type": "p2p_coordinate_descent"},
      "network": {"topology": "ring"}, "stop": {"iterations": 60}})",
      "/protocol: out of memory");
  refused(200, lending_scenario(R"("records": 10)", kCentralLearner + R"("stop": {"iterations": 1000000000},
              "record": {"every": {"iterations": 1}})"),
          "/record: out of memory in a run that has come to need ");
  // Models leave an agent's uplink much slower than it makes them.
  refused(400,
          scenario_of(R"({"type": "linear_separators", "owners": 10, "records": 5, "test_records": 0,
      "features": 500, "similarity": "none"})",
                      R"("model": {"loss": "logistic"}, "record": {"metrics": ["messages"]},
      "network": {"topology": "ring", "bandwidth": "1 B/s"}, "protocol": {"type": "gossip_learning", "step": 0.1},
      "stop": {"iterations": 1000000})"),
          "/protocol: out of memory in a run that has come to need ");
}

TEST_CASE("memory: runs that do not fit together are made one after the other, with the same results") {
  const Scratch dir;
  dir.write("s.json",
            R"({"data": {"type": "linear_separators", "owners": 500, "records": 1, "test_records": 0,
      "features": 100, "similarity": "none"}, "privacy": {"mechanism": "none"},
      "model": {"loss": "logistic", "network": {"type": "mlp", "hidden": 200}},
      "network": {"topology": "ring"}, "protocol": {"type": "push_sum", "step": 0.1}, "stop": {"iterations": 20},
      "record": {"metrics": ["messages", "consensus_distance"]}, "repeat": 6})");
  const double alone = measured_bytes(dir, "-j 1"), together = measured_bytes(dir, "-j 4");
  const std::string series = test::text_of(dir / "out/series.csv");
  const double limit = alone + 0.4 * (together - alone);
  INFO(alone << " " << together);
  CHECK(together > alone + 200e6);
  const auto outcome = with_data(dir, limit, "run s.json -j 4 --no-progress -o limited");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("note: memory allows "));
  CHECK(test::text_of(dir / "limited/series.csv") == series);
}

TEST_CASE("memory: data sets of other points are forgotten where a point needs their memory") {
  const Scratch dir;
  const auto of_seeds = [&](int last) {
    dir.write("s.json",
              lending_scenario(
                  R"("owners": 4, "records": 20000, "features": 20)",
                  kCentralLearner + kFewIterations +
                      fmt::format(R"(, "sweep": {{"seed": {{"from": 1, "to": {}, "step": 1}}}})", last)));
  };
  of_seeds(1);
  const double one = measured_bytes(dir, "-j 1");
  of_seeds(12);
  const double all = measured_bytes(dir, "-j 1"), limit = one + 0.4 * (all - one);
  INFO(one << " " << all);
  CHECK(all > one + 40e6);
  const auto outcome = with_data(dir, limit, "run s.json -j 1 --no-progress -o limited");
  INFO(outcome.err);
  CHECK((outcome.code == 0 || outcome.code == 6));
}

TEST_CASE("memory: the limit is what is left for each process, while it lives") {
  const auto limit = [] {
    rlimit now{};
    REQUIRE(::getrlimit(RLIMIT_DATA, &now) == 0);
    return now.rlim_cur;
  };
  const rlim_t before = limit();
  const std::uint64_t machine = scenarios::memory_of_machine();
  {
    const scenarios::MemoryLimit one(1);
    CHECK(limit() < machine);
    const scenarios::MemoryLimit tenth(10);
    CHECK(limit() < machine / 5);
  }
  CHECK(limit() == before);
}

TEST_CASE("memory: allocation that fails ends with exit code 3 and the part that was made") {
  const Scratch dir;
  // The prediction fits, but the program's libraries and the stacks of its threads take addresses too.
  dir.write("s.json", lending_scenario(R"("owners": 10, "records": 20000, "features": 20)"));
  int failed = 0;
  for (int megabytes = 60; megabytes <= 100; megabytes += 4) {
    const auto outcome = with_addresses(dir, megabytes, "run s.json -j 1 --no-progress -o out");
    INFO(megabytes << ": " << outcome.code << " " << outcome.err);
    // It did not start, nor did a library of it; or it was enough.
    const bool library = outcome.code == 1 && outcome.err.starts_with("\nlibgomp:");
    if (outcome.code == 127 || library || outcome.code == 0 || outcome.code == 6) continue;
    CHECK(outcome.code == 3);
    CHECK_THAT(outcome.err, Contains("memory"));
    failed += outcome.err.find("/data: out of memory while the data was made") != std::string::npos;
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
  const auto many = test::ended_with(dir, "validate s.json", 3);
  CHECK_THAT(many.err,
             Contains("the sweep has 1e+06 points, more than 100000; raise --max-runs to allow them"));
  CHECK(shell(dir, "hearsay show --runs s.json --max-runs 2e6 --points 'seed < 3'").out ==
        "0  seed=1  x 1\n1  seed=2  x 1\n");
  // 1e6 values took 0.2 GB when they were kept.
  const auto selected = with_addresses(dir, 100, "show --runs s.json --points 'seed < 3'");
  CHECK(selected.code == 0);
  CHECK(selected.out == "0  seed=1  x 1\n1  seed=2  x 1\n");
}
