#include "scenarios/benchmarks/protocol_runs.hpp"

#include "scenarios/execution/execute.hpp"
#include "scenarios/execution/workers/parallel_for.hpp"
#include "scenarios/study/plan.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

BenchmarkRow measure_protocol(BenchmarkRow row, const std::string& scenario, unsigned rounds,
                              const Measure& yardstick, unsigned threads) {
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

}  // namespace hearsay::scenarios
