#pragma once
// A rank of a team that works for rank 0.
#include <atomic>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/request.hpp>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/workers/messages.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "sim/parallel/crew.hpp"

namespace hearsay::scenarios {

inline constexpr int kOrderTag = 1, kReportTag = 2;

/// Equal on ranks that make the same of a task: runs of the same keys, descriptions of points, the trace, by one build.
std::string digest(const Plan& plan);

class RankWorker {
 public:
  using Make = std::function<Team::Work(const PlanOptions& options)>;

  /// `processes`: on this node that work, with this one.
  RankWorker(boost::mpi::communicator& world, unsigned processes, Make make);
  ~RankWorker();
  RankWorker(const RankWorker&) = delete;
  RankWorker& operator=(const RankWorker&) = delete;

  /// Obeys rank 0 until it ends.
  void work();

 private:
  struct Task {
    std::size_t number = 0;
    std::variant<PointTask, RunTask> what{};
  };
  void plan(const Order& order);
  void accept(const Order& order);
  /// Begins to send what has been done, unless the last report is still on its way.
  void send_report();
  /// Ends the threads; what they are doing is aborted.
  void stop();
  /// Of each thread: does tasks, and helps the others while there are none.
  void run_tasks();
  void run_task(const Task& task, Report& out);

  boost::mpi::communicator& world_;
  unsigned processes_;
  Make make_;
  // Never waited for: rank 0 may be waiting for this rank to receive an order.
  std::optional<boost::mpi::request> sending_;
  std::optional<Team::Work> work_;
  std::unique_ptr<RunMaker> maker_;

  std::mutex mutex_;
  std::condition_variable reported_;
  std::deque<Task> tasks_;
  std::atomic<std::size_t> waiting_ = 0;  // tasks_.size()
  Report report_;
  std::atomic<bool> stopped_ = false;
  std::unique_ptr<sim::Crew> crew_;
  std::vector<std::jthread> threads_;
};

}  // namespace hearsay::scenarios
