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
/// has begun. The same results as threads, which assemble the points. What code in Python stores outside a run is lost with
/// its process.
class ProcessWorkers final : public ThreadWorkers {
 public:
  /// As many processes, at least two, as threads.
  using ThreadWorkers::ThreadWorkers;
  /// Whether this process can be forked, and executes code that its threads cannot execute at the same time.
  static bool needed();

  /// Throws sim::Error (kInternal) if a process ends before its runs. Runs for which memory is too small are made again, one
  /// at a time.
  void make(std::span<const RunTask> tasks, const Made& made) override;

 private:
  std::vector<std::size_t> make_some(std::span<const RunTask> tasks, std::span<const std::size_t> which,
                                     unsigned processes, const Made& made);
};

}  // namespace hearsay::scenarios
