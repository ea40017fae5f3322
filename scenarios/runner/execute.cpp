#include "scenarios/runner/execute.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "analysis/results/store/store_writer.hpp"
#include "analysis/results/tables/output_file.hpp"
#include "analysis/trace/trace_text.hpp"
#include "scenarios/runner/errors.hpp"
#include "scenarios/runner/experiment.hpp"
#include "scenarios/runner/keys.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

namespace {

// Calls f(0) .. f(count - 1), each once, on several threads, until one throws; rethrows the exception of the lowest
// number that threw.
template <class F>
void parallel_for(std::size_t count, unsigned threads, F&& f) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t failed = count;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        f(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        next = count;
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned t = 1; t < threads; ++t) pool.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

// Returns f(); what runs out of memory in it, also of threads, refuses the study with the estimate of its parts.
template <class F>
auto within_memory(const Plan& plan, const MemoryEstimate& memory, F&& f) {
  const auto refusal = [&] { return RefusedError(fmt::format("{}: {}", plan.file, memory.exhausted())); };
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw refusal();
  } catch (const std::length_error&) {  // of a vector with more elements than there are addresses
    throw refusal();
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    throw refusal();
  }
}

// The error with its point. A copy: several points can wait for the same problem, and then share its error.
template <class Error>
Error with_point(const Error& error, std::size_t point) {
  Error copy = error;
  copy.point = point;
  return copy;
}

}  // namespace

Execution::Execution(const Plan& plan, ExecuteOptions options)
    : plan_(plan),
      options_(std::move(options)),
      memory_(estimate_memory(plan, options_.threads)),
      described_(plan.points.size()),
      described_points_(plan.points.size()),
      problems_(points_in_memory(options_.threads)),
      experiments_(points_in_memory(options_.threads)) {
  std::map<std::string, std::uint32_t> numbers;
  for (const PlannedPoint& p : plan_.points) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    problem_of_.push_back(numbers.try_emplace(p.problem_key, next).first->second);
  }
  refuse_if_too_large(plan_, memory_, options_.threads);
  plan_tasks(nullptr);
}

Execution::~Execution() = default;

void Execution::consider(const analysis::KnownStudy& known) {
  described_ = known.described;
  plan_tasks(&known);
}

bool Execution::is_traced(std::size_t point, std::uint32_t repetition) const {
  const auto& trace = plan_.points[point].scenario->record.trace;
  return trace && trace->point == point && trace->repetition == repetition;
}

void Execution::plan_tasks(const analysis::KnownStudy* known) {
  tasks_.clear();
  cached_ = recorded_anew_ = damaged_ = 0;
  std::map<std::string, std::size_t> first;  // of equal points the first makes the runs
  using State = analysis::KnownRun::State;
  for (std::size_t p = 0; p < plan_.points.size(); ++p) {
    const std::size_t maker = first.try_emplace(plan_.points[p].key, p).first->second;
    for (std::uint32_t r = 0; r < plan_.points[p].repeat; ++r) {
      const analysis::KnownRun run = known != nullptr ? known->runs[p][r] : analysis::KnownRun{};
      const bool traced = is_traced(p, r);
      const bool twin = maker != p && r < plan_.points[maker].repeat;
      if (run.state == State::kCached || twin) {
        ++cached_;
        if (!traced) continue;
      }
      if (run.state == State::kUnrecorded) ++recorded_anew_;
      if (run.state == State::kDamaged) ++damaged_;
      tasks_.push_back({static_cast<std::uint32_t>(p), r, run, traced});
    }
  }
  // Runs that share a problem are consecutive: those of one repetition where each draws its own.
  const auto order = [this](const Task& t) {
    const bool anew = plan_.points[t.point].scenario->draws_data();
    return std::tuple(anew ? t.repetition : 0, problem_of_[t.point], t.point, t.repetition);
  };
  std::stable_sort(tasks_.begin(), tasks_.end(),
                   [&](const Task& a, const Task& b) { return order(a) < order(b); });
}

std::shared_ptr<const SolvedProblem> Execution::solved(std::size_t point, std::uint32_t repetition) {
  const Scenario& scenario = *plan_.points[point].scenario;
  const std::uint32_t instance = scenario.draws_data() ? repetition : 0;
  return problems_.get({problem_of_[point], instance}, [&] { return solve(scenario, instance); });
}

std::shared_ptr<const Experiment> Execution::experiment(std::size_t point, std::uint32_t repetition) {
  const Scenario& scenario = *plan_.points[point].scenario;
  const std::uint32_t instance = scenario.draws_anew() ? repetition : 0;
  return experiments_.get({static_cast<std::uint32_t>(point), instance}, [&] {
    try {
      return std::make_shared<const Experiment>(scenario, solved(point, repetition), instance);
    } catch (const OverBudget& error) {
      throw with_point(error, point);
    } catch (const AssemblyError& error) {
      throw with_point(error, point);
    }
  });
}

void Execution::assemble() {
  within_memory(plan_, memory_, [&] { assemble_points(); });
}

void Execution::assemble_points() {
  std::vector<bool> wanted(plan_.points.size());
  for (std::size_t p = 0; p < wanted.size(); ++p) wanted[p] = !described_[p];
  for (const Task& t : tasks_) wanted[t.point] = true;
  std::vector<std::size_t> points;
  for (std::size_t p = 0; p < wanted.size(); ++p)
    if (wanted[p]) points.push_back(p);
  std::stable_sort(points.begin(), points.end(),
                   [this](std::size_t a, std::size_t b) { return problem_of_[a] < problem_of_[b]; });
  parallel_for(points.size(), options_.threads, [&](std::size_t i) {
    if (interrupted()) return;
    const std::size_t p = points[i];
    const auto one = experiment(p, 0);
    const auto& trace = plan_.points[p].scenario->record.trace;
    if (trace && trace->point == p && trace->agent && *trace->agent >= one->agents()) {
      throw with_point(
          AssemblyError("/record/trace/agent", fmt::format("expected an agent from 0 to {}, found {}",
                                                           one->agents() - 1, *trace->agent)),
          p);
    }
    if (described_[p]) return;
    Description& description = described_points_[p].emplace(
        Description{one->describe_point(plan_.points[p].labels), one->participants()});
    if (plan_.points[p].scenario->draws_anew()) description.point.scalars.clear();
    if (description.participants.network.nodes.empty())
      description.point.notes.push_back(
          fmt::format("network: not stored, because it has more than {} links", analysis::kMostStoredLinks));
  });
}

analysis::RunResult Execution::make(const Task& task) {
  const Scenario& scenario = *plan_.points[task.point].scenario;
  std::unique_ptr<analysis::TraceFiles> trace;
  analysis::RunResult run;
  try {
    const auto one = experiment(task.point, task.repetition);
    if (task.traced)
      trace = std::make_unique<analysis::TraceFiles>(*scenario.record.trace, options_.trace_folder,
                                                     one->agent_names());
    run = one->run(task.repetition, trace.get(), options_.interrupted);
    if (scenario.draws_anew()) {
      const auto numbers = one->describe_point({}).scalars;
      run.scalars.insert(run.scalars.end(), numbers.begin(), numbers.end());
    }
  } catch (const sim::InvariantError&) {
    throw;
  } catch (const analysis::OutputError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    run = {.repetition = task.repetition,
           .status = analysis::Status::kFailed,
           .message = e.what(),
           .end = analysis::RunEnd::kFailed};
  }
  run.point = task.point;
  if (run.status == analysis::Status::kInterrupted) {
    run.series = {};
    run.scalars.clear();
  } else if (trace) {
    trace->commit();
  }
  return run;
}

void Execution::compare(const Task& task, const analysis::RunResult& run) const {
  const bool ended = run.status == analysis::Status::kDone || run.status == analysis::Status::kDiverged;
  if (!task.known.comparable || !ended || run.end == analysis::RunEnd::kWall) return;
  if (run.fingerprint == task.known.fingerprint) return;
  throw sim::InvariantError(
      fmt::format("point {} repetition {} (run key {}, seed {}) has fingerprint {:016x}, expected {:016x}",
                  task.point, task.repetition, run_key(plan_.points[task.point].key, task.repetition),
                  plan_.points[task.point].scenario->seed, run.fingerprint, task.known.fingerprint));
}

bool Execution::run(analysis::Store& store) {
  return within_memory(plan_, memory_, [&] { return make_runs(store); });
}

bool Execution::make_runs(analysis::Store& store) {
  store.begin_study(plan_.study());
  for (std::size_t p = 0; p < described_points_.size(); ++p) {
    if (const auto& d = described_points_[p]) store.put_point(p, d->point, d->participants);
  }
  store.commit();

  analysis::StoreWriter writer(store);
  std::mutex mutex;
  const auto one = [&](std::size_t t) {
    const Task& task = tasks_[t];
    if (interrupted()) return;
    analysis::RunResult run = make(task);
    compare(task, run);
    if (options_.finished) {
      const std::lock_guard lock(mutex);
      options_.finished(run);
    }
    if (task.known.state == analysis::KnownRun::State::kCached) return;
    writer.add(std::move(run), run_key(plan_.points[task.point].key, task.repetition));
  };
  parallel_for(tasks_.size(), options_.threads, one);
  writer.finish();
  if (interrupted()) return false;
  store.aggregate();
  return true;
}

std::vector<std::string> Execution::agent_names(std::size_t point, std::uint32_t repetition) {
  return experiment(point, repetition)->agent_names();
}

sim::AgentId Execution::agents(std::size_t point, std::uint32_t repetition) {
  return experiment(point, repetition)->agents();
}

analysis::RunResult Execution::repeat(std::size_t point, std::uint32_t repetition, sim::TraceSink* trace,
                                      const std::atomic<bool>* interrupted) {
  return within_memory(plan_, memory_,
                       [&] { return experiment(point, repetition)->run(repetition, trace, interrupted); });
}

}  // namespace hearsay::scenarios
