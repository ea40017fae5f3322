#pragma once
// Processes of this machine that make runs: for code in Python, which only one thread of a process executes at a time.
#include "scenarios/execution/workers/workers.hpp"

namespace hearsay::scenarios {

/// How this process is forked, by the embedding interpreter: fork() as the system's, with the interpreter in order on both
/// sides; leave() before the new process ends. Null: it is not.
struct Forker {
  int (*fork)() = nullptr;
  void (*leave)() = nullptr;
};
void set_forker(Forker forker);

/// Each process is forked when runs are made, with the points that have been assembled, and takes the next run that no other
/// has begun. The same results as threads. What code in Python stores outside a run is lost with its process.
class ProcessWorkers final : public Workers {
 public:
  /// As ThreadWorkers. At least two processes.
  ProcessWorkers(RunMaker& maker, unsigned processes, const std::atomic<bool>* interrupted)
      : maker_(maker), processes_(processes), interrupted_(interrupted) {}
  /// Whether this process can be forked, and executes code that its threads cannot execute at the same time.
  static bool needed();

  /// By threads of this process.
  void assemble(std::span<const PointTask> tasks, const Described& described) override;
  /// Throws sim::Error (kInternal) if a process ends before its runs. Runs for which memory is too small are made again, one
  /// at a time.
  void make(std::span<const RunTask> tasks, const Made& made) override;

 private:
  std::vector<std::size_t> make_some(std::span<const RunTask> tasks, std::span<const std::size_t> which,
                                     unsigned processes, const Made& made);
  bool interrupted() const { return interrupted_ != nullptr && *interrupted_; }

  RunMaker& maker_;
  unsigned processes_;
  const std::atomic<bool>* interrupted_;
};

}  // namespace hearsay::scenarios
