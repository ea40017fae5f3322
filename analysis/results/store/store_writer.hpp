#pragma once
// Stores runs that any number of threads finish. A separate thread writes them, many per commit: a process
// that is killed loses at most what it finished in the last kHold seconds.
#include <condition_variable>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "analysis/results/store/store.hpp"

namespace hearsay::analysis {

class StoreWriter {
 public:
  static constexpr double kHold = 0.5;              ///< s between commits, at most
  static constexpr std::size_t kMostWaiting = 512;  ///< runs; add() waits while there are more

  /// The store must outlive the writer and must not be used meanwhile.
  explicit StoreWriter(Store& store);
  /// Stores what has been added.
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// Hands over a run. Throws what writing an earlier one threw.
  void add(RunResult run, std::string run_key);
  /// Waits until everything that was added is committed. Throws what writing threw.
  void finish();

 private:
  struct Finished {
    RunResult run;
    std::string key;
  };
  void work();

  Store& store_;
  std::mutex mutex_;
  std::condition_variable arrived_, taken_;
  std::vector<Finished> waiting_;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace hearsay::analysis
