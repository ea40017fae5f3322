#pragma once
// A simple queue of events, the reference for tests and benchmarks of the engine's queue.
#include <cstddef>
#include <queue>
#include <utility>
#include <vector>

#include "sim/events/event.hpp"

namespace hearsay::test {

class PlainQueue {
 public:
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
    const sim::Event least = queue_.top();
    queue_.pop();
    return least;
  }

 private:
  struct Later {
    bool operator()(const sim::Event& a, const sim::Event& b) const {
      return a.time > b.time || (a.time == b.time && a.key > b.key);
    }
  };
  std::priority_queue<sim::Event, std::vector<sim::Event>, Later> queue_;
};

}  // namespace hearsay::test
