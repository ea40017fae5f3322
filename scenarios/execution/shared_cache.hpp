#pragma once
// Expensive values that several threads need at about the same time.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>

#include "sim/parallel/crew.hpp"

namespace hearsay::scenarios {

/// Keeps the `capacity` most recently used values. Each is made once while it is kept: threads that request a value in
/// the making wait for it.
template <class Key, class Value>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit SharedCache(std::size_t capacity) : capacity_(capacity) {}

  /// Throws what `make` throws; the value is then not kept. A thread that waits helps its crew.
  Pointer get(const Key& key, const std::function<Pointer()>& make) {
    std::promise<Pointer> promise;
    std::shared_future<Pointer> future;
    {
      const std::lock_guard lock(mutex_);
      const auto found =
          std::find_if(entries_.begin(), entries_.end(), [&](const auto& e) { return e.first == key; });
      if (found != entries_.end()) {
        future = found->second;
        entries_.splice(entries_.begin(), entries_, found);
      } else {
        entries_.emplace_front(key, promise.get_future().share());
        if (entries_.size() > capacity_) entries_.pop_back();
      }
    }
    sim::Crew* const crew = sim::Crew::current();
    if (future.valid()) {
      if (crew != nullptr)
        crew->help_until(
            [&] { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
      return future.get();
    }
    try {
      Pointer made = make();
      promise.set_value(made);
      if (crew != nullptr) crew->ring();
      return made;
    } catch (...) {
      promise.set_exception(std::current_exception());
      if (crew != nullptr) crew->ring();
      const std::lock_guard lock(mutex_);
      entries_.remove_if([&](const auto& entry) { return entry.first == key; });
      throw;
    }
  }

  /// Forgets all values; those that are in use live on.
  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<std::pair<Key, std::shared_future<Pointer>>> entries_;  // most recently used first
};

}  // namespace hearsay::scenarios
