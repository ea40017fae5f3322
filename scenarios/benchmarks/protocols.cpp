// Rounds of one protocol each, as a scenario: what a run costs once its data and network are made.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "models/algebra/dense.hpp"
#include "scenarios/benchmarks/hold.hpp"
#include "scenarios/execution/execute.hpp"
#include "scenarios/execution/workers/parallel_for.hpp"
#include "scenarios/study/plan.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"

namespace hearsay::scenarios {

namespace {

// A scenario whose runs are measured, one a round, each on `threads` threads. `row`: what is known of the row beforehand.
// Throws InvariantError unless each run is completed.
BenchmarkRow measure_protocol(BenchmarkRow row, const std::string& scenario, unsigned rounds,
                              const Measure& yardstick, unsigned threads = 1) {
  const Plan plan = make_plan_of_text(scenario, "benchmark");
  Execution execution(plan);
  execution.assemble();
  AgentMemory memory(row.agents.value_or(0));
  std::uint32_t repetition = 0;
  const auto ours = [&] {
    analysis::RunResult run;
    memory.watch(
        [&] { parallel_for(1, threads, [&](std::size_t) { run = execution.repeat(0, repetition++); }); });
    sim::check(run.status == analysis::Status::kDone, "a run of a benchmark was not completed");
    return Timing{run.iterations, run.wall};
  };
  measure_in_turns(row, rounds, yardstick, ours);
  row.bytes_per_agent = memory.bytes_per_agent();
  return row;
}

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

// The asynchronous central learner: quadratic forms answer in O(p^2) whatever the number of records.
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

// Private coordinate descent: few agents with many neighbours, measured while they learn, or a crowd.
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

// Gossip learning of a crowd: a message for each tick, and a local training for each message.
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
    rows.push_back(measure_protocol(
        {.unit = "ticks", .variant = with_threads("degree 10", threads), .agents = agents, .dimension = p},
        scenario, settings.rounds, plain_hold(agents), threads));
  }
  return rows;
}

// The server of asynchronous multi-task learning: an eigendecomposition of the tasks' matrix at every update.
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
