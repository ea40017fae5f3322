#pragma once
// What is worked out from a problem once and used by many runs: reference optima, step sizes, graphs of data.
#include <any>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace hearsay::models {

/// Results by name. Any number of threads may ask; whoever asks first works a result out while the others that
/// want the same one wait. `make` may ask for other names, but not for its own.
class Memo {
 public:
  Memo() = default;
  Memo(const Memo&) = delete;
  Memo& operator=(const Memo&) = delete;

  /// The result of `make`, a T, under a key that names what it is and all that it depends on besides the
  /// problem. What `make` throws is passed on, and the next caller tries again. One key always has
  /// one type: another throws std::bad_any_cast.
  template <class T, class Make>
  std::shared_ptr<const T> get(const std::string& key, Make&& make) const {
    std::shared_ptr<Entry> entry;
    {
      const std::lock_guard lock(mutex_);
      std::shared_ptr<Entry>& place = entries_[key];
      if (place == nullptr) place = std::make_shared<Entry>();
      entry = place;
    }
    const std::lock_guard lock(entry->mutex);
    if (!entry->value.has_value())
      entry->value = std::shared_ptr<const T>(std::make_shared<const T>(std::forward<Make>(make)()));
    return std::any_cast<std::shared_ptr<const T>>(entry->value);
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::any value;
  };
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace hearsay::models
