#pragma once
// A small study with its results, and everything that readers of results.sqlite read.
#include <algorithm>
#include <tuple>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store.hpp"
#include "analysis/store/stored_study.hpp"
#include "scenarios/execution/study_state.hpp"
#include "scenarios/study/plan.hpp"
#include "tests/machines/fuzz/commands.hpp"
#include "tests/support/changed_store.hpp"

namespace hearsay::fuzz {

inline constexpr const char* kResults = "out/results.sqlite";

/// What run_study() leaves: the bytes of its results, the study, its runs.
inline std::string& pristine() {
  static std::string bytes;
  return bytes;
}
inline analysis::StudyPlan& study() {
  static analysis::StudyPlan plan;
  return plan;
}

inline std::vector<analysis::RunResult>& written() {
  static std::vector<analysis::RunResult> runs;
  return runs;
}

/// A run that is read is one that was written.
inline void require_written(const analysis::RunResult& read) {
  const auto numbers = [](const analysis::RunResult& r) {
    return std::tuple(r.point, r.repetition, r.status, r.end, r.iterations, r.time, r.events, r.fingerprint,
                      r.message);
  };
  const bool known =
      std::ranges::any_of(written(), [&](const auto& run) { return numbers(run) == numbers(read); });
  require(known, "a run that is read is one that was written");
}

/// Everything that a reader asks for; f(run) for each run that is not reported as damaged. Throws OutputError.
template <class F>
void read_all(analysis::StoredStudy& stored, F&& f) {
  stored.each_run([](const analysis::PointResult&) {},
                  [&](const analysis::PointResult&, const analysis::RunResult& run) { f(run); });
  for (std::size_t p = 0; p < stored.points(); ++p) {
    stored.owners(p);
    stored.parameters(p);
    if (const auto network = stored.network_number(p)) stored.network(*network);
    stored.states(p);
  }
  stored.plan();
  scenarios::shard_of(stored);
}

template <class F>
void read_study(F&& f) {
  analysis::StoredStudy stored(folder() / "out");
  read_all(stored, f);
  std::optional<analysis::StoredStudy> again;
  scenarios::state_of(folder() / "out", {}, again);
}

/// Values of --set, and the number of runs.
struct StudySize {
  std::vector<std::string> sets{};
  std::uint64_t runs = 4;
};

/// Runs the study in a folder in memory.
inline void run_study(const StudySize& size = {}) {
  std::filesystem::remove_all(folder() / "out");
  written().clear();
  write("scenario.json", R"({
    "data": {"type": "lending_like", "owners": 2, "records": 4}, "protocol": {"type": "central_async", "rho": 1},
    "privacy": {"mechanism": "laplace", "epsilon": 1, "clip": 1}, "sweep": {"privacy.epsilon": [1, 2]},
    "stop": {"iterations": 2}, "record": {"metrics": ["objective"]}, "repeat": 2})");
  const std::string file = folder() / "scenario.json";
  scenarios::Arguments words{file, "-o", folder() / "out", "--no-progress", "--jobs=1"};
  for (const std::string& set : size.sets) words.push_back("--set=" + set);
  scenarios::run_command(words);
  // The same bytes in every process, so that an input does the same.
  test::rewrite(
      folder() / "out",
      "UPDATE run SET wall_s = 0.5, host = 'host'; UPDATE info SET value = '1' WHERE name = 'begun';"
      "UPDATE info SET value = 'text' WHERE name IN ('file', 'folders', 'build')");
  analysis::Database(folder() / kResults, analysis::Database::Access::kRead)
      .run("PRAGMA journal_mode = DELETE; VACUUM");
  pristine() = read(kResults);
  const scenarios::Plan plan = scenarios::make_plan(file, size.sets, {});
  require(plan.runs() == size.runs, "the study has its runs");
  study() = plan.study();
  read_study([](const analysis::RunResult& run) { written().push_back(run); });
  require(written().size() == size.runs, "all runs are stored");
}

/// What resuming the study reads and begins. Throws OutputError.
inline void resume_study() {
  analysis::Store store(folder() / "out");
  store.known(study());
  store.begin_study(study());
  store.close();
}

}  // namespace hearsay::fuzz
