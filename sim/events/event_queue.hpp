#pragma once
// The pending events, least first. Up to a few thousand of them form a heap. With more, only the nearest do: later ones
// are unsorted in buckets of equal width, and the latest in one list, so that a push is an append and the heap stays in
// the cache (the ladder queue of Tang, Goh and Thng, ACM TOMACS 15(3), 2005, with one rung and a heap at its foot).
//
// A bucket's number is a monotone function of an event's time and equal times share a bucket, so the order of events is
// that of a heap for any widths; if all fall into one bucket, the queue is a heap.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/events/event.hpp"
#include "sim/events/event_heap.hpp"

namespace hearsay::sim {

class EventQueue {
 public:
  EventQueue() = default;
  /// Room for `capacity` pending events.
  explicit EventQueue(std::size_t capacity) : near_(capacity < kLargeHeap ? capacity + 1 : kLargeHeap + 1) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// A high-water mark: while it stays the same, nothing has been allocated.
  std::size_t capacity() const {
    return near_.capacity() + blocks_.size() * kBlock * kChunk + buckets_.capacity();
  }

  /// Adds an event; O(1) amortised. event.time must be finite and not negative.
  void push(const Event& event) {
    ++size_;
    if (!laddered_) {
      near_.push(event);
      if (near_.size() > spill_above_) spill();
      return;
    }
    put(event);
  }

  /// The least event. The queue must not be empty.
  const Event& top() {
    if (near_.empty()) refill();
    return near_.top();
  }

  /// Removes and returns the least event; O(log of a bucket) amortised. The queue must not be empty.
  Event pop() {
    if (near_.empty()) refill();
    --size_;
    return near_.pop();
  }

 private:
  static constexpr std::size_t kLargeHeap =
      4096;  // a heap of so many events (128 KiB) is as fast as the ladder
  static constexpr std::size_t kSmallHeap = 1024;  // with fewer events left the ladder becomes a heap
  static constexpr std::size_t kPerBucket = 16;    // desired events per bucket
  static constexpr std::size_t kChunk = 7;         // events in a chunk
  static constexpr std::size_t kBlock = 1024;      // chunks allocated together
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;

  struct alignas(32) Chunk {
    std::uint32_t next;
    std::uint32_t used;
    Event events[kChunk];
  };

  /// A list of chunks, the one being filled first.
  struct Bucket {
    std::uint32_t head = kNone;
  };

  Chunk& chunk(std::uint32_t index) { return blocks_[index / kBlock][index % kBlock]; }
  std::uint32_t take_chunk();

  void append(Bucket& bucket, const Event& event) {
    if (bucket.head == kNone || chunk(bucket.head).used == kChunk) {
      const std::uint32_t fresh = take_chunk();
      chunk(fresh).next = bucket.head;
      chunk(fresh).used = 0;
      bucket.head = fresh;
    }
    Chunk& c = chunk(bucket.head);
    c.events[c.used++] = event;
  }

  void put(const Event& event) {
    const double place = (event.time - origin_) * per_width_;
    if (place < static_cast<double>(open_)) {
      near_.push(event);
    } else if (place < static_cast<double>(buckets_.size())) {
      append(buckets_[static_cast<std::size_t>(place)], event);
    } else {
      append(rest_, event);
      ++rest_count_;
    }
  }

  template <class F>
  void drain(Bucket& bucket, F&& f);
  void spill();
  void refill();
  void build_rung();

  EventHeap near_;               // every event of the buckets before open_
  std::vector<Bucket> buckets_;  // bucket b: origin_ + b/per_width_ <= time < origin_ + (b+1)/per_width_
  Bucket rest_;                  // events beyond the last bucket
  std::size_t rest_count_ = 0;
  std::size_t size_ = 0;
  std::size_t open_ = 0;
  double origin_ = 0, per_width_ = 0;
  bool laddered_ = false;
  std::size_t spill_above_ = kLargeHeap;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
  std::uint32_t free_ = kNone;
};

}  // namespace hearsay::sim
