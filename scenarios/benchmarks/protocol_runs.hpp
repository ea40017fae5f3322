#pragma once
// Rounds of one protocol, as a scenario: what a run costs once its data and network are made.
#include <string>

#include "scenarios/benchmarks/benchmark.hpp"

namespace hearsay::scenarios {

/// A scenario whose runs are measured, one a round, each on `threads` threads. `row`: what is known of the row beforehand.
/// Throws InvariantError unless each run is completed.
BenchmarkRow measure_protocol(BenchmarkRow row, const std::string& scenario, unsigned rounds,
                              const Measure& yardstick, unsigned threads = 1);

/// "latency": U(0, 15 ms), of a scenario's network.
inline constexpr const char* kShortLatency =
    R"("latency": {"type": "uniform", "min": "0 ms", "max": "15 ms"})";

}  // namespace hearsay::scenarios
