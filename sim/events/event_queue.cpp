#include "sim/events/event_queue.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hearsay::sim {

void EventHeap::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  // Three unused places before the root put every group of four siblings on a boundary of 128 bytes.
  constexpr std::size_t kBefore = 3;
  std::unique_ptr<std::byte[], Free> memory(
      static_cast<std::byte*>(::operator new[]((capacity + kBefore) * sizeof(Event), std::align_val_t{128})));
  auto* heap = reinterpret_cast<Event*>(memory.get()) + kBefore;
  if (count_ > 0) std::memcpy(static_cast<void*>(heap), heap_, count_ * sizeof(Event));
  memory_ = std::move(memory);
  heap_ = heap;
  capacity_ = capacity;
}

std::uint32_t EventQueue::take_chunk() {
  if (free_ == kNone) {
    const auto first = static_cast<std::uint32_t>(blocks_.size() * kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<Chunk[]>(kBlock));
    for (std::uint32_t i = 0; i < kBlock; ++i) chunk(first + i).next = i + 1 < kBlock ? first + i + 1 : kNone;
    free_ = first;
  }
  const std::uint32_t taken = free_;
  free_ = chunk(taken).next;
  return taken;
}

template <class F>
void EventQueue::drain(Bucket& bucket, F&& f) {
  while (bucket.head != kNone) {
    const std::uint32_t index = bucket.head;
    Chunk& c = chunk(index);
    for (std::uint32_t i = 0; i < c.used; ++i) f(c.events[i]);
    bucket.head = c.next;
    c.next = free_;
    free_ = index;
  }
}

void EventQueue::spill() {
  while (!near_.empty()) {
    append(rest_, near_.pop());
    ++rest_count_;
  }
  laddered_ = true;
  build_rung();
}

void EventQueue::refill() {
  while (near_.empty()) {
    while (open_ < buckets_.size() && buckets_[open_].head == kNone) ++open_;
    if (open_ < buckets_.size()) {
      drain(buckets_[open_++], [this](const Event& e) { near_.push(e); });
    } else {
      build_rung();
    }
  }
}

// Distributes the rest over new buckets. Half of the buckets reach to the mean time, so that one far event does not
// make the buckets wide; events beyond the last bucket become the new rest.
void EventQueue::build_rung() {
  Bucket pending = rest_;
  const std::size_t count = rest_count_;
  rest_ = Bucket{};
  rest_count_ = 0;
  open_ = 0;
  double least = std::numeric_limits<double>::infinity(), sum = 0;
  for (std::uint32_t c = pending.head; c != kNone; c = chunk(c).next) {
    for (std::uint32_t i = 0; i < chunk(c).used; ++i) {
      least = std::min(least, chunk(c).events[i].time);
      sum += chunk(c).events[i].time;
    }
  }
  const double reach = 2 * (sum / static_cast<double>(count) - least);
  const std::size_t buckets = count / kPerBucket;
  const double per_width = static_cast<double>(buckets) / reach;
  if (count < kSmallHeap || !std::isfinite(per_width) || !(reach > 0)) {
    // Too few, or all at one time: they form the heap, as do later ones until it is large again. The next attempt waits
    // until there are twice as many, so that failed attempts cost O(1) per push.
    buckets_.clear();
    laddered_ = false;
    spill_above_ = std::max(kLargeHeap, 2 * count);
    drain(pending, [this](const Event& e) { near_.push(e); });
    return;
  }
  origin_ = least;
  per_width_ = per_width;
  buckets_.assign(buckets, Bucket{});
  drain(pending, [this](const Event& e) { put(e); });
}

}  // namespace hearsay::sim
