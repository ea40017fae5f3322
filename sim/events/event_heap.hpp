#pragma once
// A 4-ary heap of events whose sibling groups start on cache lines. A pop leaves a hole at the root; the push that
// usually follows (an agent's next tick, a message) fills the hole and sinks once, which saves moving the last leaf.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "sim/events/event.hpp"

namespace hearsay::sim {

class EventHeap {
 public:
  EventHeap() = default;
  /// Room for `capacity` pending events without allocating.
  explicit EventHeap(std::size_t capacity) { reserve(capacity); }

  bool empty() const { return size() == 0; }
  std::size_t size() const { return count_ - (hole_ ? 1 : 0); }
  /// Number of events there is memory for: a high-water mark.
  std::size_t capacity() const { return capacity_; }
  void reserve(std::size_t capacity);

  /// Adds an event; O(log n). event.time must not be negative or NaN.
  void push(const Event& event) {
    if (hole_) {
      hole_ = false;
      sink(0, event);
      return;
    }
    if (count_ == capacity_) reserve(capacity_ < 16 ? 32 : capacity_ * 2);
    rise(count_++, event);
  }

  /// The earliest event. The queue must not be empty.
  const Event& top() {
    close_hole();
    return heap_[0];
  }

  /// Calls f with each event, in no order.
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t k = hole_ ? 1 : 0; k < count_; ++k) f(heap_[k]);
  }

  /// Removes and returns the earliest event; O(log n). The queue must not be empty.
  Event pop() {
    close_hole();
    const Event earliest = heap_[0];
    hole_ = true;
    return earliest;
  }

 private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{128}); }
  };

  void close_hole() {
    if (!hole_) return;
    hole_ = false;
    if (--count_ > 0) sink(0, heap_[count_]);
  }

  // The hole sinks to the bottom along earliest children, then the event rises from there: an event that
  // replaces the root is usually late, so this saves comparing it on every level.
  void sink(std::size_t hole, const Event event) {
    std::size_t child = 4 * hole + 1;
    while (child + 4 <= count_) {
      const std::size_t left = child + (before(heap_[child + 1], heap_[child]) ? 1u : 0u);
      const std::size_t right = child + 2 + (before(heap_[child + 3], heap_[child + 2]) ? 1u : 0u);
      const std::size_t earliest = before(heap_[right], heap_[left]) ? right : left;
      heap_[hole] = heap_[earliest];
      hole = earliest;
      child = 4 * hole + 1;
    }
    if (child < count_) {
      std::size_t earliest = child;
      for (std::size_t other = child + 1; other < count_; ++other) {
        if (before(heap_[other], heap_[earliest])) earliest = other;
      }
      heap_[hole] = heap_[earliest];
      hole = earliest;
    }
    rise(hole, event);
  }

  void rise(std::size_t hole, const Event event) {
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / 4;
      if (!before(event, heap_[parent])) break;
      heap_[hole] = heap_[parent];
      hole = parent;
    }
    heap_[hole] = event;
  }

  std::unique_ptr<std::byte[], Free> memory_;
  Event* heap_ = nullptr;  // heap_[1], the first group of siblings, is on a 128-byte boundary
  std::size_t count_ = 0;  // events in the heap, the hole included
  std::size_t capacity_ = 0;
  bool hole_ = false;  // the root is free
};

}  // namespace hearsay::sim
