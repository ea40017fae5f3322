// The server of asynchronous multi-task learning: an eigendecomposition of the tasks' matrix at every update.
#include <fmt/format.h>

#include <memory>

#include "models/algebra/dense.hpp"
#include "scenarios/benchmarks/protocol_runs.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

// Frozen, as PlainQueue is: Eigen's solver from scratch, of the Gram matrix of a 28 x 20 matrix.
Measure plain_eigensolver() {
  sim::Stream s = sim::Streams(1, 0)(sim::Purpose::kData, 0);
  Eigen::MatrixXd m(28, 20);
  for (double& x : m.reshaped()) x = sim::normal(s);
  const auto gram = std::make_shared<Eigen::MatrixXd>(m.transpose() * m);
  return [gram] {
    constexpr std::uint64_t kTimes = 10'000;
    models::SymmetricEigen solver(gram->rows());
    return Timing{kTimes, seconds_of([&] {
                    for (std::uint64_t n = 0; n < kTimes; ++n) solver.compute(*gram);
                  })};
  };
}

}  // namespace

std::vector<BenchmarkRow> mtl_benchmark(const BenchmarkSettings& settings, std::uint64_t agents) {
  const std::uint64_t d = settings.dimension.value_or(28);
  const std::uint64_t updates = settings.operations.value_or(40'000);
  const Measure yardstick = plain_eigensolver();
  std::vector<BenchmarkRow> rows;
  struct Variant {
    const char *name, *privacy;
    double threshold;
  };
  // Without noise the rank of P falls from 16 to 7 at the usual threshold, and is 3 from the 2,000th update on at the
  // other, until the 40,000th.
  constexpr Variant kVariants[] = {
      {"with noise", R"("mechanism": "exponential_norm", "epsilon_1": 1, "epsilon_2": 1)", 1.5e-3},
      {"without noise", R"("mechanism": "none")", 1.5e-3},
      {"P of rank 3", R"("mechanism": "none")", 6e-3},
  };
  for (const Variant& variant : kVariants) {
    // No task makes its last turn before the end.
    const std::string scenario = fmt::format(
        R"({{"data": {{"type": "low_rank_tasks", "tasks": {}, "features": {}, "rank": 3}},
"model": {{"loss": "logistic"}},
"network": {{"topology": "star", {}, "delayed_direction": "to_hub"}},
"protocol": {{"type": "async_mtl", "start": "zero", "threshold": {}, "turns": {}}},
"privacy": {{{}}},
"record": {{"every": {{"iterations": 2000}}, "metrics": ["objective_joint"]}},
"stop": {{"iterations": {}}}}})",
        agents, d, kShortLatency, variant.threshold, 2 * updates / agents + 100, variant.privacy, updates);
    rows.push_back(
        measure_protocol({.unit = "updates", .variant = variant.name, .agents = agents, .dimension = d},
                         scenario, settings.rounds, yardstick));
  }
  return rows;
}

}  // namespace hearsay::scenarios
