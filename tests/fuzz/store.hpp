#pragma once
// A small study with its results, and everything that readers of results.sqlite read.
#include "analysis/results/store/store.hpp"
#include "analysis/results/store/stored_study.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/study_state.hpp"
#include "tests/fuzz/commands.hpp"

namespace hearsay::fuzz {

inline constexpr const char* kResults = "out/results.sqlite";

/// Runs the study in a folder in memory; afterwards the bytes of its results are in `pristine()`.
inline std::string& pristine() {
  static std::string bytes;
  return bytes;
}
inline analysis::StudyPlan& study() {
  static analysis::StudyPlan plan;
  return plan;
}

inline void run_study() {
  write("scenario.json", R"({
    "data": {"type": "lending_like", "owners": 2, "records": 4}, "protocol": {"type": "central_async", "rho": 1},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "clip": 1}, "sweep": {"privacy.epsilon": [1, 2]},
    "stop": {"iterations": 2}, "record": {"metrics": ["objective"]}, "repeat": 2})");
  const std::string file = folder() / "scenario.json";
  scenarios::run_command({file, "-o", folder() / "out", "--no-progress", "--jobs=1"});
  pristine() = read(kResults);
  const scenarios::Plan plan = scenarios::make_plan(file, {}, {});
  require(plan.runs() == 4, "the study has 4 runs");
  study() = plan.study();
}

/// All runs that are not reported as damaged, with everything else that a reader asks for. Throws OutputError.
inline std::vector<analysis::RunResult> read_study() {
  analysis::StoredStudy stored(folder() / "out");
  std::vector<analysis::RunResult> all;
  stored.each_run([](const analysis::PointResult&) {},
                  [&](const analysis::PointResult&, const analysis::RunResult& run) { all.push_back(run); });
  for (std::size_t p = 0; p < stored.points(); ++p) {
    stored.owners(p);
    if (const auto network = stored.network_number(p)) stored.network(*network);
    stored.states(p);
  }
  stored.plan();
  scenarios::state_of(folder() / "out");
  return all;
}

/// What resuming the study reads and begins. Throws OutputError.
inline void resume_study() {
  analysis::Store store(folder() / "out");
  store.known(study());
  store.begin_study(study());
  store.close();
}

}  // namespace hearsay::fuzz
