#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <boost/mpi/collectives/all_reduce.hpp>
#include <boost/mpi/communicator.hpp>
#include <boost/mpi/environment.hpp>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "scenarios/execution/workers/launcher.hpp"
#include "scenarios/execution/workers/messages.hpp"
#include "scenarios/execution/workers/mpi/rank_worker.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "scenarios/execution/workers/work_list.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

namespace {

namespace mpi = boost::mpi;

// Time of the tasks that are queued for a rank, so that its threads do not wait for rank 0.
constexpr double kAhead = 0.1;  // s
constexpr std::size_t kMaxAhead = 4096;
constexpr std::chrono::microseconds kPoll{500};  // without a report: rank 0 shares its processor with others

// What is known of the time that tasks take.
struct Pace {
  double busy = 0;  // s
  std::size_t tasks = 0;

  // Tasks that a rank should have in hand while `left` are not handed out.
  std::size_t in_hand(unsigned threads, std::size_t left, std::size_t workers) const {
    double ahead = threads;
    if (busy > 0) ahead = std::max(ahead, kAhead * threads * static_cast<double>(tasks) / busy);
    const auto fair = std::max<std::size_t>(1, left / (2 * workers));
    return threads + std::min({static_cast<std::size_t>(ahead), fair, kMaxAhead});
  }
};

[[noreturn]] void raise(const sim::Error& error) {
  if (error.kind == sim::Error::Kind::kInternal) throw sim::InvariantError(error.what());
  throw error;
}

// Rank 0 hands out tasks and collects what the other ranks report.
class MpiTeam final : public Team, private Workers {
 public:
  // Of all ranks at the same time.
  MpiTeam();
  // Of rank 0: returns once all others have ended.
  ~MpiTeam() override;

  int rank() const override { return world_.rank(); }
  Workers& plan(const Plan& plan, const PlanOptions& options, const std::atomic<bool>* interrupted) override;
  std::vector<RankRecord> records() const override;
  void work(const std::function<Work(const PlanOptions& options)>& make) override {
    RankWorker(world_, on_this_node_, make).work();
  }

 private:
  void assemble(std::span<const PointTask> tasks, const Described& described) override;
  void make(std::span<const RunTask> tasks, const Made& made) override;

  int workers() const { return world_.size() - 1; }
  bool interrupted() const { return interrupted_ != nullptr && *interrupted_; }
  void order_all(const Order& order);
  // The next report and the rank that sent it; nothing if none has come for a moment.
  std::optional<std::pair<int, Report>> poll();
  // Hands out tasks as the `list` of orders until all are done; done(report) gets every report. Consecutive tasks that are
  // together(a, b) are a group: they share what is assembled.
  template <class Task, class Together, class Done>
  void distribute(std::span<const Task> tasks, std::vector<Task> Order::*list, Together&& together,
                  Done&& done);

  mpi::communicator world_;
  unsigned on_this_node_ = 1;  // ranks of this node that work
  const Plan* plan_ = nullptr;
  const std::atomic<bool>* interrupted_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<RankRecord> records_;  // of rank 1, 2, ...
};

MpiTeam::MpiTeam() {
  const mpi::communicator node = [&] {
    MPI_Comm handle = MPI_COMM_NULL;
    MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &handle);
    return mpi::communicator(handle, mpi::comm_take_ownership);
  }();
  const int zeros = mpi::all_reduce(node, rank() == 0 ? 1 : 0, std::plus<int>());
  on_this_node_ = static_cast<unsigned>(std::max(1, node.size() - zeros));
}

MpiTeam::~MpiTeam() {
  if (rank() > 0) return;
  order_all({.kind = Order::Kind::kEnd});
  for (int left = workers(); left > 0;) {
    const auto next = poll();
    if (next && next->second.ended) --left;
  }
}

void MpiTeam::order_all(const Order& order) {
  const std::string text = packed(order);
  for (int rank = 1; rank <= workers(); ++rank) world_.send(rank, kOrderTag, text);
}

std::optional<std::pair<int, Report>> MpiTeam::poll() {
  const auto status = world_.iprobe(mpi::any_source, kReportTag);
  if (!status) {
    std::this_thread::sleep_for(kPoll);
    return std::nullopt;
  }
  std::string text;
  world_.recv(status->source(), kReportTag, text);
  return std::pair(status->source(), unpacked<Report>(text));
}

Workers& MpiTeam::plan(const Plan& plan, const PlanOptions& options, const std::atomic<bool>* interrupted) {
  plan_ = &plan;
  interrupted_ = interrupted;
  order_all({.kind = Order::Kind::kPlan,
             .digest = digest(plan),
             .validation = options.validation,
             .chosen = options.chosen,
             .repetitions = options.repetitions});
  {
    const std::lock_guard lock(mutex_);
    records_.assign(static_cast<std::size_t>(workers()), {});
  }
  std::optional<Failure> failure;
  for (int missing = workers(); missing > 0 && !this->interrupted();) {
    const auto next = poll();
    if (!next || !next->second.planned) continue;
    --missing;
    const auto& [rank, report] = *next;
    for (const Failure& f : report.failures) {
      if (failure) continue;
      failure = f;
      failure->error = sim::Error(f.error.kind, f.error.where,
                                  fmt::format("rank {} on {}: {}", rank, report.host, f.error.what()));
      failure->error.point = f.error.point;
    }
    const std::lock_guard lock(mutex_);
    records_[static_cast<std::size_t>(rank - 1)] = {
        .rank = rank, .host = report.host, .threads = report.threads};
  }
  if (failure) raise(failure->error);
  return *this;
}

std::vector<RankRecord> MpiTeam::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

template <class Task, class Together, class Done>
void MpiTeam::distribute(std::span<const Task> tasks, std::vector<Task> Order::*list, Together&& together,
                         Done&& done) {
  std::vector<std::size_t> ends;  // of the groups
  for (std::size_t k = 1; k <= tasks.size(); ++k) {
    if (k == tasks.size() || !together(tasks[k - 1], tasks[k])) ends.push_back(k);
  }
  const auto ranks = static_cast<std::size_t>(workers());
  WorkList waiting(ends, ranks);
  std::vector<std::size_t> in_hand(ranks);
  std::size_t outstanding = 0;
  Pace pace;
  std::optional<Failure> failure;  // of the first task
  while (outstanding > 0 || (waiting.left() > 0 && !failure)) {
    if (interrupted()) return order_all({.kind = Order::Kind::kStop});
    for (std::size_t w = 0; w < ranks && !failure; ++w) {
      const std::size_t wanted = pace.in_hand(records_[w].threads, waiting.left(), ranks);
      while (in_hand[w] < wanted && waiting.left() > 0) {
        const WorkList::Range range = waiting.take(w, wanted - in_hand[w]);
        const auto part = tasks.subspan(range.begin, range.size());
        Order order{.kind = Order::Kind::kWork, .first = range.begin};
        (order.*list).assign(part.begin(), part.end());
        world_.send(static_cast<int>(w + 1), kOrderTag, packed(order));
        in_hand[w] += range.size();
        outstanding += range.size();
      }
    }
    auto next = poll();
    if (!next) continue;
    auto& [rank, report] = *next;
    in_hand[static_cast<std::size_t>(rank - 1)] -= report.tasks();
    outstanding -= report.tasks();
    pace.busy += report.busy;
    pace.tasks += report.tasks();
    {
      const std::lock_guard lock(mutex_);
      RankRecord& record = records_[static_cast<std::size_t>(rank - 1)];
      record.runs += report.made.size();
      record.busy += report.busy;
    }
    for (const Failure& f : report.failures) {
      if (!failure || f.task < failure->task) failure = f;
    }
    done(report);
  }
  if (failure) raise(failure->error);
}

void MpiTeam::assemble(std::span<const PointTask> tasks, const Described& described) {
  // Points are ordered by problem, and neighbours may share one.
  const auto together = [&](PointTask a, PointTask b) {
    return plan_->points[a.point].problem_key == plan_->points[b.point].problem_key;
  };
  distribute(tasks, &Order::points, together, [&](Report& report) {
    for (Report::Assembled& a : report.assembled) {
      if (a.description) described(a.task, std::move(*a.description));
    }
  });
}

void MpiTeam::make(std::span<const RunTask> tasks, const Made& made) {
  // The data that a repetition draws, or the point.
  const auto together = [&](RunTask a, RunTask b) {
    const PlannedPoint &one = plan_->points[a.point], &other = plan_->points[b.point];
    if (!one.scenario->draws_data()) return a.point == b.point;
    return a.repetition == b.repetition && one.problem_key == other.problem_key;
  };
  distribute(tasks, &Order::runs, together, [&](Report& report) {
    for (Report::Made& m : report.made) made(m.task, std::move(m.run));
  });
}

}  // namespace

std::string Team::version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string_view all(text, static_cast<std::size_t>(length));
  return fmt::format("MPI: {}", all.substr(0, all.find_first_of(",\n")));
}

std::unique_ptr<Team> Team::join() {
  if (!launched()) return nullptr;
  // Until the process ends: MPI cannot be started again. An exception is reported like any other, and rank 0 tells the
  // others.
  static const mpi::environment environment(mpi::threading::funneled, /*abort_on_exception=*/false);
  if (mpi::communicator().size() == 1) return nullptr;
  return std::make_unique<MpiTeam>();
}

}  // namespace hearsay::scenarios
