#pragma once
// Things that are dear to make and that several threads need at about the same time.
#include <cstddef>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>

namespace hearsay::scenarios {

/// Keeps the `capacity` things used last, and makes each only once while it is kept: threads that ask for one
/// that is being made wait for it.
template <class Key, class Value>
class SharedCache {
 public:
  using Pointer = std::shared_ptr<const Value>;

  explicit SharedCache(std::size_t capacity) : capacity_(capacity) {}

  /// Throws what `make` throws; then the thing is not kept.
  Pointer get(const Key& key, const std::function<Pointer()>& make) {
    std::promise<Pointer> promise;
    std::shared_future<Pointer> future;
    {
      const std::lock_guard lock(mutex_);
      for (auto it = entries_.begin(); it != entries_.end(); ++it) {
        if (it->key != key) continue;
        entries_.splice(entries_.begin(), entries_, it);
        future = it->future;
        break;
      }
      if (!future.valid()) {
        entries_.push_front({key, promise.get_future().share()});
        if (entries_.size() > capacity_) entries_.pop_back();
      }
    }
    if (future.valid()) return future.get();
    try {
      Pointer made = make();
      promise.set_value(made);
      return made;
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::lock_guard lock(mutex_);
      entries_.remove_if([&](const Entry& entry) { return entry.key == key; });
      throw;
    }
  }

 private:
  struct Entry {
    Key key;
    std::shared_future<Pointer> future;
  };
  std::size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // used last first
};

}  // namespace hearsay::scenarios
