#pragma once
// Makes the missing runs of a study and stores them. The results depend neither on who makes the runs, and in what
// order, nor on the runs that are stored.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/store.hpp"
#include "scenarios/execution/run_maker.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/shard.hpp"

namespace hearsay::scenarios {

class Workers;

struct ExecuteOptions {
  unsigned threads = 1;
  std::filesystem::path results{};                 ///< the folder: for traces and snapshots
  const std::atomic<bool>* interrupted = nullptr;  ///< once true, runs are aborted and no more are begun
  /// Called with every run that is done and had to be, by one thread at a time: not with those that are made once more for
  /// their trace.
  std::function<void(const analysis::RunResult&)> finished{};
  sim::Time pause = sim::kNever;  ///< s: at which the state of each run is kept, and the run ended for now
  std::optional<Shard> shard{};   ///< the part of the study to make; all of it without
  Workers* workers =
      nullptr;  ///< who makes the runs, for as long as the execution lives; its own threads without
};

/// For a run that is repeated with another fingerprint: InvariantError, but UserError with code in Python.
[[noreturn]] void throw_differing(const std::string& text);

class Execution {
 public:
  /// The plan must outlive it. All runs are to be made until consider() is called. Throws RefusedError if the
  /// data and the network of a point need more memory than there is.
  explicit Execution(const Plan& plan, ExecuteOptions options = {});

  /// Runs that are stored are not made again, except for a trace.
  void consider(const analysis::KnownStudy& known);

  /// Runs of the study, or of its part.
  std::uint64_t all() const { return all_; }
  /// Runs that are stored, runs to be made, and the number of these that are stored with other metrics.
  std::uint64_t cached() const { return cached_; }
  std::uint64_t to_run() const { return all() - cached_; }
  std::uint64_t recorded_anew() const { return recorded_anew_; }
  /// Runs to make again, because they are damaged in the store.
  std::uint64_t damaged() const { return damaged_; }

  /// Seconds so far in which guarantees were composed, by threads of this process.
  double accounting_seconds() const { return maker_.accounting_seconds(); }

  /// The point whose data and network are largest (largest_point).
  std::size_t largest() const { return largest_; }
  /// Runs that memory allows at a time, as far as it has shown; at most as many as threads.
  unsigned at_a_time() const { return maker_.at_a_time(); }

  /// Assembles every point that has runs to be made or is not described yet; of a part, only points that have runs in
  /// it, and those that its folder has with another description. The largest is the first. Throws sim::OptionError, and,
  /// like the functions below, sim::Error (kOutOfMemory, kRefused) if memory or threads run out.
  void assemble();

  /// Makes the runs and stores them. A run that fails is stored as failed and the others continue. Throws
  /// InvariantError if a run that is repeated has another fingerprint, and OutputError; the runs made until then are
  /// stored. Returns false if any was interrupted or paused.
  bool run(analysis::Store& store);

  /// The names of the agents of a run. Throws sim::OptionError.
  std::vector<std::string> agent_names(std::size_t point, std::uint32_t repetition);
  /// Those of their nodes in a graph file, or empty.
  std::vector<std::string> node_names(std::size_t point, std::uint32_t repetition);
  /// Makes one run without storing it. Throws sim::OptionError and InvariantError.
  analysis::RunResult repeat(std::size_t point, std::uint32_t repetition, sim::TraceSink* trace = nullptr,
                             const std::atomic<bool>* interrupted = nullptr);

 private:
  std::vector<RunTask> own_runs() const;
  void plan_tasks(const analysis::KnownStudy* known);
  void assemble_points(Workers& workers);
  bool make_runs(analysis::Store& store, Workers& workers);
  void compare(RunTask task, const analysis::KnownRun& known, const analysis::RunResult& run) const;
  template <class F>
  auto with_workers(F&& f);
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }

  const Plan& plan_;
  ExecuteOptions options_;
  std::size_t largest_;  // before maker_, which limits the memory
  RunMaker maker_;
  std::vector<RunTask> tasks_;
  std::vector<analysis::KnownRun> known_;                      // by task
  std::vector<bool> again_;                                    // whether it is made for its trace alone
  std::vector<bool> described_;                                // by point: its description need not be made
  std::vector<std::optional<PointDescription>> descriptions_;  // by point
  std::uint64_t all_ = 0, cached_ = 0, recorded_anew_ = 0, damaged_ = 0;
};

}  // namespace hearsay::scenarios
