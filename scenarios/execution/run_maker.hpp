#pragma once
// Assembles the points of a plan and makes its runs, one at a time; any number of threads may share it.
#include <Eigen/Core>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/store/participants.hpp"
#include "analysis/store/study.hpp"
#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/budget/release_schedule.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/shared_cache.hpp"
#include "scenarios/study/plan.hpp"

namespace hearsay::sim {
class TraceSink;
}

namespace hearsay::scenarios {

struct SolvedProblem;
struct Keeping;
struct Past;
struct SnapshotPlace;
class Experiment;

/// A run of a plan.
struct RunTask {
  std::uint32_t point = 0, repetition = 0;
};

/// What is stored of a point.
struct PointDescription {
  analysis::PointResult point{};
  analysis::Participants participants{};
};

/// Where a study keeps its traces and the states of its runs; without a folder it keeps no states. At `pause` (s) runs are
/// ended for now.
struct RunFiles {
  std::filesystem::path folder{};
  sim::Time pause = sim::kNever;
};

/// Measures for how long at least one thread composes guarantees, for a hint where that is what a study spends its time on.
class AccountingTime final : public models::AccountantWatch {
 public:
  void begin() override {
    const std::lock_guard lock(mutex_);
    if (composing_++ == 0) since_ = Clock::now();
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    if (--composing_ == 0) total_ += Clock::now() - since_;
  }
  double seconds() const {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(total_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  unsigned composing_ = 0;  // threads
  Clock::time_point since_{};
  Clock::duration total_{};
};

class RunMaker {
 public:
  /// The plan must outlive it. Keeps what `threads` threads need at a time, and limits the memory of this process, one of
  /// so many on this machine. Once `interrupted` is true, which may be null, runs are aborted.
  RunMaker(const Plan& plan, unsigned threads, RunFiles files = {},
           const std::atomic<bool>* interrupted = nullptr, unsigned processes = 1);

  /// Runs with equal pairs share data and problem: the number of the problem, and the instance of its data.
  std::pair<std::uint32_t, std::uint32_t> problem_of(RunTask task) const;
  /// All runs of the plan. Those that share a problem are consecutive. Parts of a study are parts of this sequence.
  std::vector<RunTask> all_runs() const;
  /// Whether the scenario asks for the trace of this run.
  bool is_traced(RunTask task) const;

  /// The assembled point of a run. Throws sim::OptionError and sim::Error (kOutOfMemory).
  std::shared_ptr<const Experiment> experiment(RunTask task);
  // Of the next three, what runs out of memory while others are in progress is done again when fewer are, from then on;
  // alone, and with nothing kept for other points, it throws sim::Error (kOutOfMemory).

  /// Checks what only an assembled point can tell. Throws sim::OptionError.
  void require(std::size_t point);
  PointDescription describe(std::size_t point);
  /// A run once more, with nothing kept; `trace` and `aborted` may be null. Throws what makes a run fail.
  analysis::RunResult repeat(RunTask task, sim::TraceSink* trace, const std::atomic<bool>* aborted);
  /// Makes a run, and its trace if it is traced. A run that fails is returned as failed. Throws InvariantError and
  /// OutputError.
  analysis::RunResult make(RunTask task);
  /// Removes the state of a run that is stored.
  void forget_state(RunTask task) const;
  /// Removes those of the pasts of branches, once all runs are stored, and what a killed process has left half written.
  void forget_pasts() const;
  /// How many of them memory has allowed at a time; without a limit so far, `threads`.
  unsigned at_a_time() const { return most_; }

  /// Seconds in which guarantees were composed.
  double accounting_seconds() const { return accounting_.seconds(); }

 private:
  class Turn;
  template <class F>
  auto within_memory(std::size_t point, F&& f);
  /// Forgets what is kept.
  void forget();
  enum class StateOf { kRun, kPast, kOther };
  SnapshotPlace place_of(RunTask task, StateOf what = StateOf::kRun) const;
  std::shared_ptr<const Experiment> assembled(RunTask task, bool past);
  std::shared_ptr<const Experiment> experiment_of(RunTask task, const Scenario& scenario);
  std::shared_ptr<const Experiment> branch(RunTask task, sim::Time at);
  std::shared_ptr<const Past> past(RunTask task, sim::TraceSink* trace, const std::atomic<bool>* aborted,
                                   const Keeping& kept);
  std::shared_ptr<const Past> make_past(RunTask task, sim::TraceSink* trace, const std::atomic<bool>* aborted,
                                        Keeping kept);
  analysis::RunResult run(RunTask task, sim::TraceSink* trace, const std::atomic<bool>* aborted,
                          Keeping kept);
  std::filesystem::path snapshots() const { return files_.folder / "snapshots"; }
  PointDescription describe_once(std::size_t point);
  analysis::RunResult make_once(RunTask task);
  std::shared_ptr<const models::ReleaseCache> schedules(const Scenario& scenario, Eigen::Index p);

  const Plan& plan_;
  RunFiles files_;
  const bool goes_on_;  // whether there are states from before
  const std::atomic<bool>* interrupted_;
  AccountingTime accounting_;            // outlives the schedules, which it watches
  std::vector<std::uint32_t> problems_;  // by point: number of its problem
  std::vector<std::uint32_t> pasts_;     // by point: the first one with the same past; itself without one
  SharedCache<std::pair<std::uint32_t, std::uint32_t>, SolvedProblem> solved_;         // problem_of()
  SharedCache<std::pair<std::string, Eigen::Index>, models::ReleaseCache> schedules_;  // privacy, parameters
  SharedCache<std::tuple<bool, std::uint32_t, std::uint32_t>, Experiment>
      assembled_;  // whether a past, point, instance of its data and network
  SharedCache<std::pair<std::uint32_t, std::uint32_t>, Past> kept_pasts_;  // pasts_, repetition

  MemoryLimit limit_;
  std::mutex mutex_{};  // of what follows
  const unsigned threads_;
  std::atomic<unsigned> most_;  // at a time
  unsigned running_ = 0;
  std::uint64_t begun_ = 0;
};

}  // namespace hearsay::scenarios
