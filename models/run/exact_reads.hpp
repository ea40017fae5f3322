#pragma once
// Which computations read exact private values for something that is run or released, without accounting.
#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay::models {

/// A phrase for each of them, as the manifest lists it. Any number of threads may add.
class ExactReads {
 public:
  void add(std::string_view what) {
    const std::lock_guard lock(mutex_);
    if (std::find(all_.begin(), all_.end(), what) == all_.end()) all_.emplace_back(what);
  }
  /// In the order in which they were first added.
  std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

}  // namespace hearsay::models
