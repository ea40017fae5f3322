// Gossip learning of a crowd: a message for each tick, and a local training for each message.
#include <fmt/format.h>

#include <set>

#include "scenarios/benchmarks/hold.hpp"
#include "scenarios/benchmarks/protocol_runs.hpp"

namespace hearsay::scenarios {

std::vector<BenchmarkRow> messages_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  const std::uint64_t p = settings.dimension.value_or(kVectorLength);
  const std::string scenario = fmt::format(
      R"({{"data": {{"type": "linear_separators", "owners": {}, "features": {}, "similarity": "none",
  "test_records": 0, "records": {{"type": "uniform_integer", "min": 5, "max": 15}}}},
"model": {{"loss": "logistic"}},
"network": {{"topology": {{"type": "random_regular", "degree": 10, "connected": "connect"}},
  "latency": {{"type": "uniform", "min": "1 ms", "max": "16 ms"}}}},
"protocol": {{"type": "gossip_learning"}},
"privacy": {{"mechanism": "none"}},
"record": {{"metrics": ["messages"]}},
"stop": {{"iterations": {}}}}})",
      agents, p, settings.operations.value_or(1'000'000));
  std::vector<BenchmarkRow> rows;
  for (const unsigned threads : std::set{1u, settings.threads}) {
    rows.push_back(measure_protocol({.unit = "ticks",
                                     .variant = with_threads("degree 10", threads),
                                     .agents = agents,
                                     .dimension = p},
                                    scenario, settings.rounds, plain_hold(agents), threads));
  }
  return rows;
}

}  // namespace hearsay::scenarios
