#include "analysis/store/store_writer.hpp"

#include <utility>

namespace hearsay::analysis {

StoreWriter::StoreWriter(Store& store, std::function<void(const RunResult&)> stored)
    : store_(store), stored_(std::move(stored)), thread_([this] { work(); }) {}

StoreWriter::~StoreWriter() {
  try {
    finish();
  } catch (...) {
    // Callers that need the error call finish().
  }
}

void StoreWriter::add(RunResult run) {
  std::unique_lock lock(mutex_);
  taken_.wait(lock, [this] { return waiting_.size() < kMaxWaiting || failure_; });
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back(std::move(run));
  arrived_.notify_one();
}

void StoreWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    arrived_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void StoreWriter::work() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point due = Clock::now() + kHold;
  std::vector<RunResult> batch, uncommitted;
  try {
    for (bool ending = false; !ending;) {
      {
        std::unique_lock lock(mutex_);
        // Waking up for many runs at once leaves the processor to the runs.
        arrived_.wait_until(lock, due, [this] { return ending_ || waiting_.size() >= kMaxWaiting / 2; });
        batch.swap(waiting_);
        ending = ending_;
        taken_.notify_all();
      }
      for (const RunResult& run : batch) {
        store_.put_run(run);
        if (stored_ && run.status != Status::kInterrupted)
          uncommitted.push_back({.point = run.point, .repetition = run.repetition, .status = run.status});
      }
      batch.clear();
      if (ending || Clock::now() >= due) {
        store_.commit();
        for (const RunResult& run : uncommitted) stored_(run);
        uncommitted.clear();
        due = Clock::now() + kHold;
      }
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    taken_.notify_all();
  }
}

}  // namespace hearsay::analysis
