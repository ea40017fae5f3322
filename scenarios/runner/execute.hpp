#pragma once
// Runs what is missing of a study, over threads. What comes out does not depend on how many, nor on what was
// there before.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/store.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/shared_cache.hpp"

namespace hearsay::scenarios {

struct ExecuteOptions {
  unsigned threads = 1;
  std::filesystem::path trace_folder{};            ///< for files of the run that is traced
  const std::atomic<bool>* interrupted = nullptr;  ///< once true, runs are broken off and no more are begun
  std::function<void(const analysis::RunResult&)> finished{};  ///< told of every run, by one thread at a time
};

class Execution {
 public:
  /// The plan must outlive it. Everything is to be run until consider() says what is there.
  Execution(const Plan& plan, ExecuteOptions options);

  /// Runs that a store has need not be made again, but for a trace.
  void consider(const analysis::KnownStudy& known);

  std::uint64_t all() const { return plan_.runs(); }
  /// Runs that are there, runs to be made, and of these such that are there with other records.
  std::uint64_t kept() const { return kept_; }
  std::uint64_t to_do() const { return all() - kept_; }
  std::uint64_t recorded_anew() const { return recorded_anew_; }

  /// Puts every point together that has anything to do. Throws AssemblyError.
  void assemble();

  /// Makes the runs and keeps them in the store. A run that fails is kept as failed and the others go on.
  /// Throws InvariantError if one that is made again comes out differently, and OutputError; what has been
  /// made until then is kept. Whether it came to its end: false if interrupted.
  bool run(analysis::Store& store);

 private:
  friend class Replay;
  struct Task {
    std::uint32_t point, repetition;
    analysis::KnownRun known;
    bool traced = false;
  };
  std::shared_ptr<const SolvedProblem> solved(std::size_t point, std::uint32_t repetition);
  std::shared_ptr<const Experiment> experiment(std::size_t point, std::uint32_t repetition);
  bool is_traced(std::size_t point, std::uint32_t repetition) const;
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }
  void plan_tasks(const analysis::KnownStudy* known);
  analysis::RunResult make(const Task& task);
  void compare(const Task& task, const analysis::RunResult& run) const;

  const Plan& plan_;
  ExecuteOptions options_;
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> problem_of_;  // number of the point's problem
  std::vector<bool> described_;
  std::vector<std::optional<analysis::PointResult>> described_points_;
  std::uint64_t kept_ = 0, recorded_anew_ = 0;
  SharedCache<std::pair<std::uint32_t, std::uint32_t>, SolvedProblem> problems_;  // problem, repetition
  SharedCache<std::pair<std::uint32_t, std::uint32_t>, Experiment> experiments_;  // point, repetition
};

/// Makes single runs of a plan, one after the other.
class Replay {
 public:
  /// The plan must outlive it.
  explicit Replay(const Plan& plan) : execution_(plan, {}) {}
  /// Throws AssemblyError, and what a broken invariant throws.
  analysis::RunResult run(std::size_t point, std::uint32_t repetition, sim::TraceSink* trace = nullptr,
                          const std::atomic<bool>* interrupted = nullptr) {
    return execution_.experiment(point, repetition)->run(repetition, trace, interrupted);
  }

 private:
  Execution execution_;
};

}  // namespace hearsay::scenarios
