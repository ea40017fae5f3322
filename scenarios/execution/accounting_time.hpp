#pragma once
// The time in which guarantees are composed, for a hint where that is what a study spends its time on.
#include <chrono>
#include <mutex>

#include "models/privacy/accountants/accountant.hpp"

namespace hearsay::scenarios {

/// Measures for how long at least one thread composes.
class AccountingTime final : public models::AccountantWatch {
 public:
  void begin() override {
    const std::lock_guard lock(mutex_);
    if (composing_++ == 0) since_ = Clock::now();
  }
  void end() override {
    const std::lock_guard lock(mutex_);
    if (--composing_ == 0) total_ += Clock::now() - since_;
  }
  double seconds() const {
    const std::lock_guard lock(mutex_);
    return std::chrono::duration<double>(total_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  mutable std::mutex mutex_;
  unsigned composing_ = 0;  // threads
  Clock::time_point since_{};
  Clock::duration total_{};
};

}  // namespace hearsay::scenarios
