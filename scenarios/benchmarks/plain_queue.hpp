#pragma once
// The yardstick of the benchmarks, and the reference of the event queue's tests: std::priority_queue of the same events,
// ordered by (time, key). Frozen: it measures the machine, so that rates of two versions or two machines can be
// compared. It must not be made faster.
#include <cstddef>
#include <cstdint>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/events/event.hpp"

namespace hearsay::scenarios {

class PlainQueue {
 public:
  /// Reserves storage for `capacity` events.
  explicit PlainQueue(std::size_t capacity = 0) {
    std::vector<sim::Event> storage;
    storage.reserve(capacity);
    queue_ = decltype(queue_)(Later{}, std::move(storage));
  }
  bool empty() const { return queue_.empty(); }
  std::size_t size() const { return queue_.size(); }
  void push(const sim::Event& event) { queue_.push(event); }
  const sim::Event& top() const { return queue_.top(); }
  sim::Event pop() {
    const sim::Event earliest = queue_.top();
    queue_.pop();
    return earliest;
  }

 private:
  struct Later {
    bool operator()(const sim::Event& a, const sim::Event& b) const {
      return a.time > b.time || (a.time == b.time && a.key > b.key);
    }
  };
  std::priority_queue<sim::Event, std::vector<sim::Event>, Later> queue_;
};

/// A queue; one that can reserve memory has it for so many events.
template <class Queue>
Queue queue_for(std::uint64_t events) {
  if constexpr (std::is_constructible_v<Queue, std::uint64_t>) {
    return Queue(events);
  } else {
    return Queue();
  }
}

}  // namespace hearsay::scenarios
