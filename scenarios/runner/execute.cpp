#include "scenarios/runner/execute.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "scenarios/runner/experiment.hpp"

namespace hearsay::scenarios {

namespace {

// Calls f(0) .. f(count - 1), each once, on several threads. The exception of the lowest number that threw is
// thrown on.
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

bool draws_anew(const Scenario& s) {
  return s.data.draw() == models::Draw::kRepetition;
}

// Solves every different problem of the points once, for repetition 0.
std::vector<std::shared_ptr<const SolvedProblem>> solve_all(const std::vector<PlannedPoint>& points,
                                                            unsigned threads) {
  std::map<std::string, std::vector<std::size_t>> users;
  for (std::size_t p = 0; p < points.size(); ++p) users[points[p].problem_key].push_back(p);
  std::vector<const std::vector<std::size_t>*> groups;
  for (const auto& [key, all] : users) groups.push_back(&all);
  std::vector<std::shared_ptr<const SolvedProblem>> solved(points.size());
  parallel_for(groups.size(), threads, [&](std::size_t g) {
    const auto problem = solve(points[groups[g]->front()].scenario, 0);
    for (const std::size_t p : *groups[g]) solved[p] = problem;
  });
  return solved;
}

analysis::RunResult failed_run(std::uint32_t repetition, const std::string& why) {
  analysis::RunResult result;
  result.repetition = repetition;
  result.status = analysis::Status::kFailed;
  result.message = why;
  return result;
}

}  // namespace

analysis::StudyResult execute(const std::vector<std::string>& axes, const std::vector<PlannedPoint>& points,
                              const ExecuteOptions& options) {
  analysis::StudyResult study;
  study.axes = axes;
  for (const MetricChoice& m : points.front().scenario.record.metrics) study.metrics.push_back(&*m);

  std::vector<std::unique_ptr<Experiment>> experiments(points.size());
  study.points.resize(points.size());
  {
    const auto solved = solve_all(points, options.threads);
    parallel_for(points.size(), options.threads, [&](std::size_t p) {
      experiments[p] = std::make_unique<Experiment>(points[p].scenario, solved[p]);
      study.points[p] = experiments[p]->describe_point(points[p].labels);
      if (draws_anew(points[p].scenario)) study.points[p].scalars.clear();
    });
  }

  if (options.before_runs) options.before_runs();

  std::vector<std::pair<std::size_t, std::uint32_t>> tasks;
  for (std::size_t p = 0; p < points.size(); ++p) {
    for (std::uint32_t r = 0; r < points[p].scenario.repeat; ++r) tasks.emplace_back(p, r);
  }
  study.runs.resize(tasks.size());
  std::size_t done = 0;
  std::mutex mutex;
  parallel_for(tasks.size(), options.threads, [&](std::size_t t) {
    const auto [p, r] = tasks[t];
    const Scenario& scenario = points[p].scenario;
    std::unique_ptr<analysis::TraceCsv> trace;
    if (scenario.record.trace && scenario.record.trace->point == p &&
        scenario.record.trace->repetition == r) {
      trace = std::make_unique<analysis::TraceCsv>(*scenario.record.trace, options.trace_path);
    }
    try {
      if (draws_anew(scenario)) {
        const Experiment own(scenario, solve(scenario, r));
        study.runs[t] = own.run(r, trace.get());
        study.runs[t].scalars = own.describe_point({}).scalars;
      } else {
        study.runs[t] = experiments[p]->run(r, trace.get());
      }
    } catch (const sim::InvariantError&) {
      throw;
    } catch (const analysis::OutputError&) {
      throw;
    } catch (const std::exception& e) {
      study.runs[t] = failed_run(r, e.what());
    }
    study.runs[t].point = p;
    if (trace) trace->commit();
    if (options.progress) {
      const std::lock_guard lock(mutex);
      options.progress(++done, tasks.size());
    }
  });
  return study;
}

}  // namespace hearsay::scenarios
