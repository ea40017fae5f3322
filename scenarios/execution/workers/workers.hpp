#pragma once
// Who assembles the points of a plan and makes its runs: threads of this process, or processes on other machines.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "scenarios/execution/run_maker.hpp"

namespace hearsay::scenarios {

/// A point to assemble, and whether to describe it.
struct PointTask {
  std::uint32_t point = 0;
  bool describe = true;
};

class Workers {
 public:
  using Described = std::function<void(std::size_t k, PointDescription description)>;
  using Made = std::function<void(std::size_t k, analysis::RunResult run)>;

  virtual ~Workers() = default;

  /// Assembles each point, calls described(k, description) for those of tasks[k] that are to be described. Ends early if
  /// interrupted. Throws, and begins no more, what goes wrong with the first task that fails.
  virtual void assemble(std::span<const PointTask> tasks, const Described& described) = 0;
  /// Makes each run and calls made(k, run) for that of tasks[k]. Otherwise as assemble(). Consecutive tasks share what
  /// is expensive to assemble.
  virtual void make(std::span<const RunTask> tasks, const Made& made) = 0;
};

/// Threads of this process. They call `described` and `made` at the same time.
class ThreadWorkers : public Workers {
 public:
  /// `maker` must outlive them; once `interrupted` is true, which may be null, no more is begun.
  ThreadWorkers(RunMaker& maker, unsigned threads, const std::atomic<bool>* interrupted)
      : maker_(maker), threads_(threads), interrupted_(interrupted) {}

  void assemble(std::span<const PointTask> tasks, const Described& described) override;
  void make(std::span<const RunTask> tasks, const Made& made) override;

 protected:
  bool interrupted() const { return interrupted_ != nullptr && *interrupted_; }

  RunMaker& maker_;
  unsigned threads_;
  const std::atomic<bool>* interrupted_;
};

}  // namespace hearsay::scenarios
