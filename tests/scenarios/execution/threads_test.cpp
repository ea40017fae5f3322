// One run on several threads.
#include <atomic>
#include <chrono>
#include <thread>

#include "analysis/store/stored_study.hpp"
#include "scenarios/execution/execute.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// Gradients of 4 000 records of 9 numbers or more: worth several threads.
std::string large_scenario(const std::string& changes, const std::string& data = "\"fraud_like\"") {
  return R"({
  "data": { "type": )" +
         data + R"(, "owners": 3, "records": 4000, "features": 9, "test_records": 3000 },
  "network": { "topology": "star", "latency": { "type": "uniform", "min": "0 ms", "max": "15 ms" } },
  "stop": { "iterations": 120 },
  "record": { "every": { "iterations": 20 }, "metrics": ["objective", "test_error", "clipped_records"] },
  )" + changes +
         "\n}\n";
}

const std::string kLaplace = R"("privacy": { "mechanism": "laplace", "epsilon": 1000, "clip": 4 })";

}  // namespace

TEST_CASE("threads: the tables of one run are byte for byte the same on one thread and on four") {
  const std::vector<std::string> studies{
      large_scenario(R"("model": {"loss": "logistic", "l2": 0.01, "theta_max": 10},
        "protocol": {"type": "central_async", "rho": 0.1}, )" +
                     kLaplace),
      large_scenario(R"("model": {"loss": "hinge", "l2": 0.01, "theta_max": 10},
        "protocol": {"type": "central_sync", "c1": 0.1}, )" +
                     kLaplace),
      // Two runs that share one data set.
      large_scenario(R"("protocol": {"type": "central_async", "rho": 0.1},
        "sweep": {"privacy.epsilon": [100, 1000]}, )" +
                         kLaplace,
                     "\"lending_like\""),
  };
  for (const std::string& study : studies) {
    const Scratch dir;
    dir.write("s.json", study);
    for (const std::string threads : {"1", "4"}) {
      test::ended_with(dir, "run s.json --no-progress -j " + threads + " -o " + threads);
    }
    INFO(study);
    check_same_files(dir / "1", dir / "4", {"runs.csv", "series.csv", "scalars.csv", "owners.csv"});
  }
}

TEST_CASE("threads: a run that several threads make can be interrupted") {
  const Scratch dir;
  const auto plan = scenarios::make_plan(
      dir.write("s.json", large_scenario(R"("protocol": {"type": "central_async", "rho": 0.1}, )" + kLaplace,
                                         "\"lending_like\"")),
      {"stop.iterations=1e9"}, {});
  std::atomic<bool> interrupted = false;
  scenarios::Execution execution(plan, {.threads = 4, .interrupted = &interrupted});
  execution.assemble();
  analysis::Store store(dir.path() / "out");
  std::jthread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    interrupted = true;
  });
  CHECK_FALSE(execution.run(store));
  store.close();
}
