#pragma once
// Runs a study: all repetitions of all points, over threads. What comes out does not depend on how many.
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study.hpp"
#include "scenarios/runner/scenario.hpp"

namespace hearsay::scenarios {

/// One point, read.
struct PlannedPoint {
  Scenario scenario;
  std::vector<std::string> labels;
  std::string problem_key{};  ///< equal keys: the same data and model
};

struct ExecuteOptions {
  unsigned threads = 1;
  std::filesystem::path trace_path{};  ///< of the run that is traced
  std::function<void()>
      before_runs{};  ///< called when every point has been put together and the first run is due
  /// Told after every run: how many are done, and of how many.
  std::function<void(std::size_t, std::size_t)> progress{};
};

/// Runs `repeat` repetitions of every point. Throws AssemblyError before the first run if any point can not
/// be put together; a run that fails later is marked so, the others go on.
analysis::StudyResult execute(const std::vector<std::string>& axes, const std::vector<PlannedPoint>& points,
                              const ExecuteOptions& options);

}  // namespace hearsay::scenarios
