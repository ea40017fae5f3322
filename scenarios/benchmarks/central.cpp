// The asynchronous central learner: quadratic forms answer in O(p^2) whatever the number of records.
#include <fmt/format.h>

#include "scenarios/benchmarks/hold.hpp"
#include "scenarios/benchmarks/protocol_runs.hpp"

namespace hearsay::scenarios {

std::vector<BenchmarkRow> central_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  const std::uint64_t p = settings.dimension.value_or(10);
  const std::uint64_t iterations = settings.operations.value_or(1'000'000);
  std::vector<BenchmarkRow> rows;
  for (const int records : {1000, 250'000}) {
    const std::string scenario = fmt::format(
        R"({{"data": {{"type": "lending_like", "owners": {}, "records": {}, "features": {}}},
"model": {{"loss": "squared", "theta_max": 10}},
"network": {{"topology": "star", {}}},
"protocol": {{"type": "central_async", "rho": "auto"}},
"privacy": {{"mechanism": "laplace", "epsilon": 1, "gradient_bound": 50}},
"record": {{"every": {{"iterations": 100}}, "metrics": ["relative_fitness"]}},
"stop": {{"iterations": {}}}}})",
        agents, records, p, kShortLatency, iterations);
    rows.push_back(measure_protocol({.unit = "iterations",
                                     .variant = fmt::format("{} records each", records),
                                     .agents = agents,
                                     .dimension = p},
                                    scenario, settings.rounds, plain_hold(agents)));
  }
  return rows;
}

}  // namespace hearsay::scenarios
