// Runs of a plan that go on from a past.
#include "analysis/store/temporary_folder.hpp"
#include "analysis/trace/trace_text.hpp"
#include "scenarios/execution/experiment.hpp"
#include "scenarios/execution/run_maker.hpp"
#include "scenarios/execution/snapshots.hpp"
#include "scenarios/study/branches.hpp"
#include "scenarios/study/errors.hpp"

namespace hearsay::scenarios {

namespace {

// Passes the records of a trace on once a run goes on from its past, after its start.
class LaterTrace final : public sim::TraceSink {
 public:
  LaterTrace(sim::TraceSink* sink, const bool& begun) : sink_(sink), begun_(begun) {}
  void record(const sim::TraceRecord& record) override {
    if (begun_) sink_->record(record);
  }

 private:
  sim::TraceSink* sink_;
  const bool& begun_;
};

}  // namespace

void RunMaker::forget_pasts() const {
  std::error_code error;
  for (std::uint32_t p = 0; p < plan_.points.size() && std::filesystem::is_directory(snapshots(), error);
       ++p) {
    for (std::uint32_t r = 0; plan_.points[p].past != nullptr && r < plan_.points[p].repeat; ++r)
      for (const StateOf what : {StateOf::kPast, StateOf::kOther}) place_of({p, r}, what).remove();
  }
  if (files_.folder.empty() || !std::filesystem::is_directory(snapshots(), error)) return;
  analysis::remove_abandoned(snapshots());
  if (std::filesystem::is_empty(snapshots(), error)) std::filesystem::remove(snapshots(), error);
}

// The state from which a task goes on. With a trace it is of this task alone.
std::shared_ptr<const Past> RunMaker::past(RunTask task, sim::TraceSink* trace,
                                           const std::atomic<bool>* aborted, const Keeping& kept) {
  const auto make = [&] { return make_past(task, trace, aborted, kept); };
  return trace != nullptr ? make() : kept_pasts_.get({pasts_[task.point], task.repetition}, make);
}

std::shared_ptr<const Past> RunMaker::make_past(RunTask task, sim::TraceSink* trace,
                                                const std::atomic<bool>* aborted, Keeping kept) {
  auto past = std::make_shared<Past>();
  if (kept.place) {
    kept.place = [this, task] { return place_of(task, StateOf::kPast); };
    kept.from = [this, task] { return place_of(task, StateOf::kOther); };
  }
  kept.ends_as = past.get();
  try {
    past->ended = assembled(task, true)->run(task.repetition, trace, aborted, &kept);
  } catch (const Interrupted&) {
    if (past->state.empty()) throw;
  }
  if (past->ended && past->ended->status == analysis::Status::kInterrupted) throw Interrupted();
  return past;
}

analysis::RunResult RunMaker::repeat(RunTask task, sim::TraceSink* trace, const std::atomic<bool>* aborted) {
  return run(task, trace, aborted, {});
}

// A run, or what is left of it after its past.
analysis::RunResult RunMaker::run(RunTask task, sim::TraceSink* trace, const std::atomic<bool>* aborted,
                                  Keeping kept) {
  const PlannedPoint& point = plan_.points[task.point];
  if (point.past == nullptr)
    return experiment(task)->run(task.repetition, trace, aborted, kept.place ? &kept : nullptr);
  kept.parting = point.parting;
  const auto past = this->past(task, trace, aborted, kept);
  if (past->ended) return experiment(task)->ended_before(*past->ended, *assembled(task, true));
  bool begun = false;
  kept.begins_as = past.get();
  kept.begun = &begun;
  // A trace that is no part of the state has all that came before.
  LaterTrace later(trace, begun);
  return branch(task, past->at)
      ->run(task.repetition, trace != nullptr && kept.trace == nullptr ? &later : trace, aborted, &kept);
}

// The branch of a task, whose past has ended at a time.
std::shared_ptr<const Experiment> RunMaker::branch(RunTask task, sim::Time at) {
  const PlannedPoint& point = plan_.points[task.point];
  if (point.parting.by_time() || point.scenario->events.size() == point.past->events.size())
    return experiment(task);
  try {
    return experiment_of(task, parted_at(point, at));
  } catch (sim::Error& error) {
    error.point = task.point;
    throw plan_.located(error);
  }
}

}  // namespace hearsay::scenarios
