#pragma once
// Rank 0 of a team: hands out tasks and collects what the other ranks report.
#include <boost/mpi/communicator.hpp>
#include <mutex>
#include <optional>
#include <utility>

#include "scenarios/execution/workers/messages.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "scenarios/execution/workers/work_list.hpp"

namespace hearsay::scenarios {

class RankZero final : public Workers {
 public:
  explicit RankZero(boost::mpi::communicator& world) : world_(world) {}

  /// See Team.
  void plan(const Plan& plan, const PlanOptions& options, const std::atomic<bool>* interrupted);
  std::vector<RankRecord> records() const;
  /// Returns once all others have ended.
  void end();

  void assemble(std::span<const PointTask> tasks, const Described& described) override;
  void make(std::span<const RunTask> tasks, const Made& made) override;

 private:
  int workers() const { return world_.size() - 1; }
  bool interrupted() const { return interrupted_ != nullptr && *interrupted_; }
  void order_all(const Order& order);
  /// The next report and the rank that sent it; nothing if none has come for a moment.
  std::optional<std::pair<int, Report>> poll();
  /// Hands out tasks, in groups that end at `ends`, as order(range), until all are done; done(report) gets every report.
  template <class MakeOrder, class Done>
  void distribute(std::span<const std::size_t> ends, MakeOrder&& order, Done&& done);

  boost::mpi::communicator& world_;
  const Plan* plan_ = nullptr;
  const std::atomic<bool>* interrupted_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<RankRecord> records_;  // of rank 1, 2, ...
};

}  // namespace hearsay::scenarios
