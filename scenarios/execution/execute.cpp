#include "scenarios/execution/execute.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <system_error>

#include "analysis/store/store_writer.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/workers/process_workers.hpp"
#include "scenarios/language/code.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/keys.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

// Returns f(); what runs out of memory in it, also of threads, refuses the study.
template <class F>
auto within_memory(const Plan& plan, F&& f) {
  try {
    return f();
  } catch (const sim::Error& error) {
    if (error.kind == sim::Error::Kind::kOutOfMemory) throw plan.located(error);
    throw;
  } catch (...) {
    const sim::Error error = error_of(std::current_exception());
    if (error.kind != sim::Error::Kind::kOutOfMemory && error.kind != sim::Error::Kind::kRefused) throw;
    throw RefusedError(fmt::format("{}: {}", plan.file, error.what()));
  }
}

// Moves the first task of a point to the front.
template <class Task>
void put_first(std::vector<Task>& tasks, std::size_t point) {
  const auto first = std::ranges::find(tasks, point, &Task::point);
  if (first != tasks.end()) std::rotate(tasks.begin(), first, first + 1);
}

}  // namespace

void throw_differing(const std::string& text) {
  if (!code_in_use()) throw sim::InvariantError(text);
  throw sim::UserError(
      "{}: the code in Python depends on more than its run, such as a clock or random numbers of its own",
      text);
}

Execution::Execution(const Plan& plan, ExecuteOptions options)
    : plan_(plan),
      options_(std::move(options)),
      largest_(largest_point(plan)),
      maker_(plan, options_.threads, {options_.results, options_.pause}, options_.interrupted),
      descriptions_(plan.points.size()) {
  plan_tasks(nullptr);
}

void Execution::consider(const analysis::KnownStudy& known) {
  plan_tasks(&known);
}

std::vector<RunTask> Execution::own_runs() const {
  std::vector<RunTask> runs = maker_.all_runs();
  if (options_.shard) {
    const std::vector<bool> own = runs_of(*options_.shard, runs.size());
    std::size_t k = 0;
    std::erase_if(runs, [&](RunTask) { return !own[k++]; });
  }
  return runs;
}

void Execution::plan_tasks(const analysis::KnownStudy* known) {
  tasks_.clear();
  known_.clear();
  again_.clear();
  cached_ = recorded_anew_ = damaged_ = 0;
  std::map<std::string, std::uint32_t> first;  // of equal points the first makes the runs
  for (std::uint32_t p = 0; p < plan_.points.size(); ++p) first.try_emplace(plan_.points[p].key, p);
  using Known = analysis::KnownRun::State;
  std::vector<RunTask> runs = own_runs();
  all_ = runs.size();
  // A part describes the points of its runs. Others may have been described in its folder before the study was changed.
  described_.assign(plan_.points.size(), options_.shard.has_value());
  for (const RunTask t : runs) described_[t.point] = false;
  for (std::size_t p = 0; known != nullptr && p < described_.size(); ++p)
    described_[p] = known->described[p] || (described_[p] && !known->outdated[p]);
  if (known != nullptr) {
    // The longest first, so that none is left at the end; those of unknown length may be long.
    std::map<std::pair<std::uint32_t, std::uint32_t>, double> longest;  // by problem
    const auto length = [&](RunTask t) {
      return known->seconds[t.point].value_or(std::numeric_limits<double>::infinity());
    };
    for (const RunTask t : runs) {
      double& of_problem = longest[maker_.problem_of(t)];
      of_problem = std::max(of_problem, length(t));
    }
    std::ranges::stable_sort(runs, {}, [&](RunTask t) {
      const auto [problem, instance] = maker_.problem_of(t);
      return std::tuple(-longest.at({problem, instance}), instance, problem, -length(t));
    });
  }
  put_first(runs, largest_);
  for (const RunTask t : runs) {
    const std::uint32_t maker = first.at(plan_.points[t.point].key);
    const analysis::KnownRun run =
        known != nullptr ? known->runs[t.point][t.repetition] : analysis::KnownRun{};
    const bool twin = maker != t.point && t.repetition < plan_.points[maker].repeat;
    if (run.state == Known::kCached || twin) {
      ++cached_;
      if (!maker_.is_traced(t)) continue;
    }
    if (run.state == Known::kUnrecorded) ++recorded_anew_;
    if (run.state == Known::kDamaged) ++damaged_;
    tasks_.push_back(t);
    known_.push_back(run);
    again_.push_back(run.state == Known::kCached || twin);
  }
}

// Calls f with those that make the runs; what runs out of memory refuses the study.
template <class F>
auto Execution::with_workers(F&& f) {
  return within_memory(plan_, [&] {
    if (options_.workers != nullptr) return f(*options_.workers);
    if (options_.threads > 1 && tasks_.size() > 1 && ProcessWorkers::needed()) {
      ProcessWorkers own(maker_, options_.threads, options_.interrupted);
      return f(static_cast<Workers&>(own));
    }
    ThreadWorkers own(maker_, options_.threads, options_.interrupted);
    return f(static_cast<Workers&>(own));
  });
}

void Execution::assemble() {
  with_workers([&](Workers& workers) { assemble_points(workers); });
}

void Execution::assemble_points(Workers& workers) {
  std::vector<bool> wanted(plan_.points.size());
  for (std::size_t p = 0; p < wanted.size(); ++p) wanted[p] = !described_[p];
  for (const RunTask t : tasks_) wanted[t.point] = true;
  std::vector<PointTask> points;
  for (std::uint32_t p = 0; p < wanted.size(); ++p)
    if (wanted[p]) points.push_back({p, !described_[p]});
  std::ranges::stable_sort(points, {}, [this](const PointTask& t) {
    return maker_.problem_of({t.point, 0});
  });
  put_first(points, largest_);
  workers.assemble(points, [&](std::size_t k, PointDescription description) {
    descriptions_[points[k].point] = std::move(description);
  });
}

void Execution::compare(RunTask task, const analysis::KnownRun& known, const analysis::RunResult& run) const {
  const bool ended = run.status == analysis::Status::kDone || run.status == analysis::Status::kDiverged;
  if (!known.comparable || !ended || run.end == analysis::RunEnd::kWall) return;
  if (run.fingerprint == known.fingerprint) return;
  throw_differing(
      fmt::format("point {} repetition {} (run key {}, seed {}) has fingerprint {:016x}, expected {:016x}",
                  task.point, task.repetition, run_key(plan_.points[task.point].key, task.repetition),
                  plan_.points[task.point].scenario->seed, run.fingerprint, known.fingerprint));
}

bool Execution::run(analysis::Store& store) {
  return with_workers([&](Workers& workers) { return make_runs(store, workers); });
}

bool Execution::make_runs(analysis::Store& store, Workers& workers) {
  analysis::StudyPlan study = plan_.study();
  if (options_.shard) study.info["shard"] = options_.shard->text();
  store.begin_study(study);
  for (std::size_t p = 0; p < descriptions_.size(); ++p) {
    if (const auto& d = descriptions_[p]) store.put_point(p, d->point, d->participants);
  }
  store.commit();

  analysis::StoreWriter writer(store, [this](const analysis::RunResult& run) {
    maker_.forget_state({static_cast<std::uint32_t>(run.point), run.repetition});
  });
  std::mutex mutex;
  std::atomic<bool> all = true;
  workers.make(tasks_, [&](std::size_t k, analysis::RunResult run) {
    const RunTask task = tasks_[k];
    if (run.status == analysis::Status::kInterrupted) {
      all = false;
      if (again_[k]) return;  // what is stored of it stays, and its state, too
    }
    compare(task, known_[k], run);
    if (options_.finished && !again_[k] && run.status != analysis::Status::kInterrupted) {
      const std::lock_guard lock(mutex);
      options_.finished(run);
    }
    if (known_[k].state == analysis::KnownRun::State::kCached) return maker_.forget_state(task);
    writer.add(std::move(run));
  });
  writer.finish();
  if (!all || interrupted()) return false;
  maker_.forget_pasts();
  return true;
}

std::vector<std::string> Execution::agent_names(std::size_t point, std::uint32_t repetition) {
  return maker_.experiment({static_cast<std::uint32_t>(point), repetition})->agent_names();
}

std::vector<std::string> Execution::node_names(std::size_t point, std::uint32_t repetition) {
  return maker_.experiment({static_cast<std::uint32_t>(point), repetition})->topology().names();
}

analysis::RunResult Execution::repeat(std::size_t point, std::uint32_t repetition, sim::TraceSink* trace,
                                      const std::atomic<bool>* interrupted) {
  return within_memory(plan_, [&] {
    return maker_.repeat({static_cast<std::uint32_t>(point), repetition}, trace, interrupted);
  });
}

}  // namespace hearsay::scenarios
