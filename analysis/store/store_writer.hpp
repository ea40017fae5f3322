#pragma once
// Stores runs that any number of threads finish. A separate thread writes them, many per commit: a process that is
// killed loses at most the runs of the last kHold.
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "analysis/store/store.hpp"

namespace hearsay::analysis {

class StoreWriter {
 public:
  static constexpr std::chrono::milliseconds kHold{500};  ///< between commits, at most
  static constexpr std::size_t kMaxWaiting = 512;         ///< runs; add() waits while there are more

  /// The store must outlive the writer and must not be used meanwhile. `stored`, which may be empty, is called by another
  /// thread with every run that is committed and not interrupted; only its numbers are left of it.
  explicit StoreWriter(Store& store, std::function<void(const RunResult&)> stored = {});
  /// Stores the runs that have been added.
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// Adds a run. Rethrows an exception of writing an earlier one.
  void add(RunResult run);
  /// Waits until everything that was added is committed. Rethrows an exception of writing.
  void finish();

 private:
  void work();

  Store& store_;
  std::function<void(const RunResult&)> stored_;
  std::mutex mutex_;
  std::condition_variable arrived_, taken_;
  std::vector<RunResult> waiting_;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace hearsay::analysis
