// Private coordinate descent: few agents with many neighbours, measured while they learn, or a crowd.
#include <fmt/format.h>

#include <set>

#include "scenarios/benchmarks/hold.hpp"
#include "scenarios/benchmarks/protocol_runs.hpp"

namespace hearsay::scenarios {

namespace {

// Epsilon is so large, and the noise so small, that no model leaves the range in which exp is quick or slow.
std::string p2p_scenario(std::uint64_t agents, std::uint64_t p, std::uint64_t ticks, bool crowd) {
  return fmt::format(
      R"({{"data": {{"type": "linear_separators", "owners": {}, "features": {}, "similarity": "none",
  "test_records": 0, "records": {{"type": "uniform_integer", {}}}}},
"model": {{"loss": "logistic"}},
"network": {{"topology": {{{}, "connected": "connect"}}, {}}},
"protocol": {{"type": "p2p_coordinate_descent"}},
"privacy": {{"mechanism": "laplace", "epsilon": 1e9, "gradient_bound": 1, "steps": {}}},
"record": {},
"stop": {{"iterations": {}}}}})",
      agents, p, crowd ? R"("min": 5, "max": 15)" : R"("min": 10, "max": 100)",
      crowd ? R"("type": "random_regular", "degree": 10)" : R"("type": "erdos_renyi", "mean_degree": 39)",
      kShortLatency, 4 * ticks / agents + 100,
      crowd ? R"({"metrics": ["messages"]})"
            : R"({"every": {"iterations": 100}, "metrics": ["objective_q"]})",
      ticks);
}

}  // namespace

std::vector<BenchmarkRow> p2p_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  const bool crowd = agents > 1000;
  std::vector<std::uint64_t> dimensions{kVectorLength};
  if (!crowd) dimensions.push_back(100);
  if (settings.dimension) dimensions = {*settings.dimension};
  const std::uint64_t ticks = settings.operations.value_or(crowd ? 1'000'000 : 200'000);
  std::vector<BenchmarkRow> rows;
  rows.reserve(dimensions.size());
  for (const std::uint64_t p : dimensions) {
    for (const unsigned threads : std::set{1u, crowd ? settings.threads : 1u}) {
      rows.push_back(measure_protocol(
          {.unit = "ticks",
           .variant = with_threads(crowd ? "degree 10" : "mean degree 39", threads),
           .agents = agents,
           .dimension = p},
          p2p_scenario(agents, p, ticks, crowd), settings.rounds, plain_hold(agents), threads));
    }
  }
  return rows;
}

}  // namespace hearsay::scenarios
