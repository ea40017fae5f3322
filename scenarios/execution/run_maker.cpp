#include "scenarios/execution/run_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <new>
#include <string>
#include <tuple>

#include "analysis/store/output_file.hpp"
#include "analysis/trace/trace_text.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/snapshots.hpp"
#include "scenarios/language/reference/writer.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/point_fit.hpp"
#include "sim/check.hpp"
#include "sim/parallel/crew.hpp"

namespace hearsay::scenarios {

namespace {

// f(), whose errors name the point. Copies of them: several points can wait for the same problem, and share its error.
template <class F>
auto naming_point(std::size_t point, F&& f) {
  try {
    return f();
  } catch (const sim::Error& error) {
    if (error.where.empty() && error.kind != sim::Error::Kind::kOutOfMemory) throw;
    sim::Error named(error);
    named.point = point;
    throw named;
  } catch (const std::bad_alloc&) {
    sim::Error named = error_of(std::current_exception());
    named.point = point;
    throw named;
  }
}

// Problems, and assembled points, that are kept: enough for two points per thread.
std::size_t points_in_memory(unsigned threads) {
  return std::max<std::size_t>(8, 2 * std::size_t{threads});
}

}  // namespace

RunMaker::RunMaker(const Plan& plan, unsigned threads, RunFiles files, const std::atomic<bool>* interrupted,
                   unsigned processes)
    : plan_(plan),
      files_(std::move(files)),
      goes_on_(!files_.folder.empty() && std::filesystem::is_directory(snapshots())),
      interrupted_(interrupted),
      solved_(points_in_memory(threads)),
      schedules_(points_in_memory(threads)),
      assembled_(points_in_memory(threads)),
      kept_pasts_(threads + 1),
      limit_(processes),
      threads_(threads),
      most_(threads) {
  std::map<std::string, std::uint32_t> numbers, pasts;
  for (const PlannedPoint& p : plan_.points) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const auto number = static_cast<std::uint32_t>(problems_.size());
    problems_.push_back(numbers.try_emplace(p.problem_key, next).first->second);
    pasts_.push_back(p.past == nullptr ? number : pasts.try_emplace(p.past_key, number).first->second);
  }
}

std::pair<std::uint32_t, std::uint32_t> RunMaker::problem_of(RunTask task) const {
  const bool drawn = plan_.points[task.point].scenario->draws_data();
  return {problems_[task.point], drawn ? task.repetition : 0};
}

std::vector<RunTask> RunMaker::all_runs() const {
  std::vector<RunTask> runs;
  for (std::uint32_t p = 0; p < plan_.points.size(); ++p)
    for (std::uint32_t r = 0; r < plan_.points[p].repeat; ++r) runs.push_back({p, r});
  // Where each repetition draws its own problem, those of one repetition; and those that go on from one run.
  std::ranges::stable_sort(runs, {}, [this](RunTask t) {
    const auto [problem, instance] = problem_of(t);
    const std::uint32_t of_past = plan_.points[t.point].past == nullptr ? 0 : t.repetition;
    return std::tuple(instance, problem, pasts_[t.point], of_past, t.point, t.repetition);
  });
  return runs;
}

bool RunMaker::is_traced(RunTask task) const {
  const auto& trace = plan_.points[task.point].scenario->record.trace;
  return trace && trace->point == task.point && trace->repetition == task.repetition;
}

// What is planned and composed for one point or instance of data serves all with the same privacy.
std::shared_ptr<const models::ReleaseCache> RunMaker::schedules(const Scenario& scenario, Eigen::Index p) {
  if (!models::is_private(scenario.privacy.mechanism)) return nullptr;
  return schedules_.get({canonical(write_changes(scenario.privacy)), p},
                        [&] { return std::make_shared<const models::ReleaseCache>(&accounting_); });
}

std::shared_ptr<const Experiment> RunMaker::experiment(RunTask task) {
  return assembled(task, false);
}

// `past`: of the run that the task goes on from.
std::shared_ptr<const Experiment> RunMaker::assembled(RunTask task, bool past) {
  const PlannedPoint& point = plan_.points[task.point];
  const Scenario& scenario = past ? *point.past : *point.scenario;
  const std::uint32_t instance = scenario.draws_anew() ? task.repetition : 0;
  return assembled_.get({past, past ? pasts_[task.point] : task.point, instance}, [&] {
    if (limit_.near()) forget();
    return experiment_of(task, scenario);
  });
}

// `scenario`: that of the task, of its past, or of one of its branches.
std::shared_ptr<const Experiment> RunMaker::experiment_of(RunTask task, const Scenario& scenario) {
  const auto problem = problem_of(task);
  return naming_point(task.point, [&] {
    const auto solved = solved_.get(problem, [&] { return solve(scenario, problem.second); });
    return std::make_shared<const Experiment>(scenario, solved, scenario.draws_anew() ? task.repetition : 0,
                                              schedules(scenario, solved->problem.p()), interrupted_,
                                              plan_.points[task.point].past.get());
  });
}

// One of those that are in progress at a time. A thread that waits for it helps its crew.
class RunMaker::Turn {
 public:
  explicit Turn(RunMaker& maker) : maker_(maker) {
    sim::Crew* const crew = sim::Crew::current();
    if (!begin() && crew != nullptr) crew->help_until([this] { return begin(); });
  }
  ~Turn() {
    {
      const std::lock_guard lock(maker_.mutex_);
      --maker_.running_;
    }
    sim::Crew* const crew = sim::Crew::current();
    if (crew != nullptr && maker_.most_ < maker_.threads_) crew->ring();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// After it has run out of memory: from now on fewer are in progress at a time. Whether it has been alone.
  bool fail() {
    const std::lock_guard lock(maker_.mutex_);
    maker_.most_ = std::max(1u, maker_.running_ - 1);
    return alone_ && maker_.begun_ == number_;
  }

 private:
  bool begin() {
    const std::lock_guard lock(maker_.mutex_);
    if (maker_.running_ >= maker_.most_) return false;
    alone_ = ++maker_.running_ == 1;
    number_ = ++maker_.begun_;
    return true;
  }

  RunMaker& maker_;
  bool alone_ = false;
  std::uint64_t number_ = 0;
};

template <class F>
auto RunMaker::within_memory(std::size_t point, F&& f) {
  const bool single = plan_.points.size() == 1 && !plan_.points[0].scenario->draws_anew();
  for (bool emptied = single;;) {
    Turn turn(*this);
    try {
      return naming_point(point, f);
    } catch (const sim::Error& error) {
      if (error.kind != sim::Error::Kind::kOutOfMemory) throw;
      const bool alone = turn.fail();
      if (alone && emptied) throw;
      emptied = alone || single;
    }
    forget();
  }
}

void RunMaker::forget() {
  kept_pasts_.clear();
  assembled_.clear();
  solved_.clear();
  schedules_.clear();
}

void RunMaker::require(std::size_t point) {
  within_memory(point, [&] {
    require_traced_agent(*plan_.points[point].scenario, point,
                         experiment({static_cast<std::uint32_t>(point), 0})->agents());
  });
}

PointDescription RunMaker::describe(std::size_t point) {
  return within_memory(point, [&] { return describe_once(point); });
}

analysis::RunResult RunMaker::make(RunTask task) {
  return within_memory(task.point, [&] { return make_once(task); });
}

PointDescription RunMaker::describe_once(std::size_t point) {
  const auto one = experiment({static_cast<std::uint32_t>(point), 0});
  PointDescription description{one->describe_point(plan_.points[point].labels), one->participants()};
  if (plan_.points[point].scenario->draws_anew()) description.point.scalars.clear();
  if (description.participants.network.nodes.empty())
    description.point.notes.push_back(
        fmt::format("network: not stored, because it has more than {} links", analysis::kMaxStoredLinks));
  return description;
}

// kPast: of the run that the task goes on from; kOther: of that run in a study without branches, from where it was copied.
SnapshotPlace RunMaker::place_of(RunTask task, StateOf what) const {
  const PlannedPoint& point = plan_.points[task.point];
  const bool past = what == StateOf::kPast, other = what == StateOf::kOther;
  const std::string key = run_key(other  ? point.past_key
                                  : past ? point.past_key + " past"
                                         : point.key,
                                  task.repetition);
  const std::string traced =
      is_traced(task) ? canonical(write_changes(*point.scenario->record.trace)) : "no trace";
  return {snapshots() / (key.substr(0, 32) + (other ? ".copy" : ".snapshot")),
          sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", version_line(), key, record_key(*point.scenario),
                             canonical(write_changes(point.scenario->privacy)), traced,
                             other || point.past == nullptr ? "" : point.parting.text())),
          fmt::format("{}point {} repetition {}", past || other ? "the past of " : "", task.point,
                      task.repetition)};
}

void RunMaker::forget_state(RunTask task) const {
  std::error_code error;
  if (!files_.folder.empty() && std::filesystem::is_directory(snapshots(), error)) place_of(task).remove();
}

analysis::RunResult RunMaker::make_once(RunTask task) {
  const Scenario& scenario = *plan_.points[task.point].scenario;
  std::unique_ptr<analysis::TraceFiles> trace;
  analysis::RunResult run;
  try {
    const auto one = experiment(task);
    if (is_traced(task))
      trace =
          std::make_unique<analysis::TraceFiles>(*scenario.record.trace, files_.folder, one->agent_names());
    Keeping kept{[this, task] { return place_of(task); }, goes_on_, files_.pause, trace.get()};
    if (files_.folder.empty()) kept.place = nullptr;
    run = this->run(task, trace.get(), interrupted_, std::move(kept));
    one->add_rare_event(run, interrupted_);
    if (scenario.draws_anew()) {
      const auto numbers = one->describe_point({}).scalars;
      run.scalars.insert(run.scalars.end(), numbers.begin(), numbers.end());
    }
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Interrupted&) {
    run = {.repetition = task.repetition,
           .status = analysis::Status::kInterrupted,
           .end = analysis::RunEnd::kInterrupted};
  } catch (const std::exception& e) {
    using enum sim::Error::Kind;
    const auto* error = dynamic_cast<const sim::Error*>(&e);
    if (error != nullptr && (error->kind == kOutput || error->kind == kOutOfMemory)) throw;
    run = {.repetition = task.repetition,
           .status = analysis::Status::kFailed,
           .message = e.what(),
           .end = analysis::RunEnd::kFailed};
  }
  run.point = task.point;
  if (run.status == analysis::Status::kInterrupted) {
    run.series = {};
    run.scalars.clear();
    run.models.clear();
  } else if (trace) {
    trace->commit();
  }
  return run;
}

}  // namespace hearsay::scenarios
