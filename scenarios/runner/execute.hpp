#pragma once
// Makes the missing runs of a study on several threads. The results depend neither on the number of threads nor on the
// runs that are stored.
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/results/store/store.hpp"
#include "scenarios/runner/memory.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/shared_cache.hpp"

namespace hearsay::sim {
class TraceSink;
}

namespace hearsay::scenarios {

struct SolvedProblem;
class Experiment;

struct ExecuteOptions {
  unsigned threads = 1;
  std::filesystem::path trace_folder{};            ///< for files of the run that is traced
  const std::atomic<bool>* interrupted = nullptr;  ///< once true, runs are aborted and no more are begun
  /// Called with every run, by one thread at a time.
  std::function<void(const analysis::RunResult&)> finished{};
};

class Execution {
 public:
  /// The plan must outlive it. All runs are to be made until consider() is called. Throws RefusedError if it needs more
  /// memory than there is.
  explicit Execution(const Plan& plan, ExecuteOptions options = {});
  ~Execution();

  /// Runs that are stored are not made again, except for a trace.
  void consider(const analysis::KnownStudy& known);

  std::uint64_t all() const { return plan_.runs(); }
  /// Runs that are stored, runs to be made, and the number of these that are stored with other metrics.
  std::uint64_t cached() const { return cached_; }
  std::uint64_t to_run() const { return all() - cached_; }
  std::uint64_t recorded_anew() const { return recorded_anew_; }
  /// Runs to make again, because they are damaged in the store.
  std::uint64_t damaged() const { return damaged_; }

  /// The estimate of the memory that it needs.
  const MemoryEstimate& memory() const { return memory_; }

  /// Assembles every point that has runs to be made or is not described yet. Throws AssemblyError, and RefusedError,
  /// like the functions below, if memory runs out.
  void assemble();

  /// Makes the runs and stores them. A run that fails is stored as failed and the others continue. Throws
  /// InvariantError if a run that is repeated has another fingerprint, and OutputError; the runs made until then are
  /// stored. Returns false if interrupted.
  bool run(analysis::Store& store);

  /// The names of the agents of a run. Throws AssemblyError.
  std::vector<std::string> agent_names(std::size_t point, std::uint32_t repetition);
  sim::AgentId agents(std::size_t point, std::uint32_t repetition);
  /// Makes one run without storing it. Throws AssemblyError and InvariantError.
  analysis::RunResult repeat(std::size_t point, std::uint32_t repetition, sim::TraceSink* trace = nullptr,
                             const std::atomic<bool>* interrupted = nullptr);

 private:
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
  void assemble_points();
  bool make_runs(analysis::Store& store);
  analysis::RunResult make(const Task& task);
  void compare(const Task& task, const analysis::RunResult& run) const;

  const Plan& plan_;
  ExecuteOptions options_;
  MemoryEstimate memory_;
  std::vector<Task> tasks_;
  std::vector<std::uint32_t> problem_of_;  // number of the point's problem
  std::vector<bool> described_;
  struct Description {
    analysis::PointResult point;
    analysis::Participants participants;
  };
  std::vector<std::optional<Description>> described_points_;
  std::uint64_t cached_ = 0, recorded_anew_ = 0, damaged_ = 0;
  SharedCache<std::pair<std::uint32_t, std::uint32_t>, SolvedProblem> problems_;  // problem, repetition
  SharedCache<std::pair<std::uint32_t, std::uint32_t>, Experiment> experiments_;  // point, repetition
};

}  // namespace hearsay::scenarios
