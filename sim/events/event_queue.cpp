#include "sim/events/event_queue.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay::sim {

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

// Spreads the leftovers over new buckets. Half a rung reaches to their mean time, so that one far event does
// not make the buckets wide; what lies beyond the rung is left over again.
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
    // Too few to spread, or all at one time: they are the heap, and so is what is pushed until it is large
    // again. The next attempt waits until there are twice as many, so that attempts in vain stay O(1) per
    // push.
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
