#include "scenarios/execution/workers/mpi/rank_zero.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "scenarios/execution/workers/mpi/rank_worker.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

namespace {

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

// Where groups of tasks end whose members share what is assembled: the data that a repetition draws, or the point.
std::vector<std::size_t> group_ends(const Plan& plan, std::span<const RunTask> tasks) {
  const auto together = [&](RunTask a, RunTask b) {
    const PlannedPoint &one = plan.points[a.point], &other = plan.points[b.point];
    if (!one.scenario->draws_data()) return a.point == b.point;
    return a.repetition == b.repetition && one.problem_key == other.problem_key;
  };
  std::vector<std::size_t> ends;
  for (std::size_t k = 1; k <= tasks.size(); ++k) {
    if (k == tasks.size() || !together(tasks[k - 1], tasks[k])) ends.push_back(k);
  }
  return ends;
}

}  // namespace

void RankZero::order_all(const Order& order) {
  const std::string text = packed(order);
  for (int rank = 1; rank <= workers(); ++rank) world_.send(rank, kOrderTag, text);
}

std::optional<std::pair<int, Report>> RankZero::poll() {
  const auto status = world_.iprobe(boost::mpi::any_source, kReportTag);
  if (!status) {
    std::this_thread::sleep_for(kPoll);
    return std::nullopt;
  }
  std::string text;
  world_.recv(status->source(), kReportTag, text);
  return std::pair(status->source(), unpacked<Report>(text));
}

void RankZero::plan(const Plan& plan, const PlanOptions& options, const std::atomic<bool>* interrupted) {
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
}

std::vector<RankRecord> RankZero::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

void RankZero::end() {
  order_all({.kind = Order::Kind::kEnd});
  for (int left = workers(); left > 0;) {
    const auto next = poll();
    if (next && next->second.ended) --left;
  }
}

template <class MakeOrder, class Done>
void RankZero::distribute(std::span<const std::size_t> ends, MakeOrder&& order, Done&& done) {
  const auto ranks = static_cast<std::size_t>(workers());
  WorkList list(ends, ranks);
  std::vector<std::size_t> in_hand(ranks);
  std::size_t outstanding = 0;
  Pace pace;
  std::optional<Failure> failure;  // of the first task
  while (outstanding > 0 || (list.left() > 0 && !failure)) {
    if (interrupted()) return order_all({.kind = Order::Kind::kStop});
    for (std::size_t w = 0; w < ranks && !failure; ++w) {
      const std::size_t wanted = pace.in_hand(records_[w].threads, list.left(), ranks);
      while (in_hand[w] < wanted && list.left() > 0) {
        const WorkList::Range range = list.take(w, wanted - in_hand[w]);
        world_.send(static_cast<int>(w + 1), kOrderTag, packed(order(range)));
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

void RankZero::assemble(std::span<const PointTask> tasks, const Described& described) {
  // Points are ordered by problem, and neighbours may share one.
  std::vector<std::size_t> ends;
  for (std::size_t k = 1; k <= tasks.size(); ++k) {
    if (k == tasks.size() ||
        plan_->points[tasks[k - 1].point].problem_key != plan_->points[tasks[k].point].problem_key)
      ends.push_back(k);
  }
  distribute(
      ends,
      [&](WorkList::Range r) {
        const auto part = tasks.subspan(r.begin, r.size());
        return Order{.kind = Order::Kind::kWork, .first = r.begin, .points = {part.begin(), part.end()}};
      },
      [&](Report& report) {
        for (Report::Assembled& a : report.assembled) {
          if (a.description) described(a.task, std::move(*a.description));
        }
      });
}

void RankZero::make(std::span<const RunTask> tasks, const Made& made) {
  distribute(
      group_ends(*plan_, tasks),
      [&](WorkList::Range r) {
        const auto part = tasks.subspan(r.begin, r.size());
        return Order{.kind = Order::Kind::kWork, .first = r.begin, .runs = {part.begin(), part.end()}};
      },
      [&](Report& report) {
        for (Report::Made& m : report.made) made(m.task, std::move(m.run));
      });
}

}  // namespace hearsay::scenarios
