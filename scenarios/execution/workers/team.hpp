#pragma once
// The processes that a launcher of MPI has started: rank 0 plans, hands out the work and stores the results; the others
// work. Without a launcher, or with one process, there is no team. In a build without MPI there never is one.
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "scenarios/execution/workers/workers.hpp"
#include "scenarios/study/plan.hpp"

namespace hearsay::scenarios {

/// What a rank has done since the last plan.
struct RankRecord {
  int rank = 0;
  std::string host{};
  unsigned threads = 0;
  std::uint64_t runs = 0;
  double busy = 0;  ///< s of its threads, with what they have assembled
};

class Team {
 public:
  /// Of "--version": which MPI this build has, or that it has none.
  static std::string version();
  /// Nothing if this process works alone. Throws InputError if it was launched as one of several and this build has no
  /// MPI. At most one at a time.
  static std::unique_ptr<Team> join();

  /// Of rank 0: lets the others end.
  virtual ~Team() = default;
  virtual int rank() const = 0;

  /// Rank 0: the others as workers on a plan, which they make themselves; until the next call. Throws InputError if a
  /// rank cannot make it or makes another one, and RefusedError if a node has too little memory.
  virtual Workers& plan(const Plan& plan, const PlanOptions& options,
                        const std::atomic<bool>* interrupted) = 0;
  /// Rank 0: of the other ranks, in order. By any thread.
  virtual std::vector<RankRecord> records() const = 0;

  /// What another rank needs to work.
  struct Work {
    Plan plan;
    unsigned threads = 0;  ///< 0: its part of the processors
    std::filesystem::path results{};
    sim::Time pause = sim::kNever;  ///< s
  };
  /// The other ranks: works until rank 0 ends.
  virtual void work(const std::function<Work(const PlanOptions& options)>& make) = 0;
};

}  // namespace hearsay::scenarios
