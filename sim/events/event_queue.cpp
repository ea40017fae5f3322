#include "sim/events/event_queue.hpp"

#include <algorithm>
#include <bit>
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

std::size_t EventQueue::capacity() const {
  std::size_t bins = 0;
  for (const Rung& rung : rung_) bins += rung.bin.capacity();
  return late_.capacity() + lists_.capacity() + sorted_.capacity() + unsorted_.capacity() + sort_.capacity() +
         sample_.capacity() + bins;
}

// Makes the next events sorted or heaped.
void EventQueue::refill() {
  while (next_ == end_ && late_.empty()) {
    Rung& rung = rung_[rungs_ - 1];
    auto b = static_cast<std::size_t>(rung.open);
    while (b < rung.bin.size() && rung.bin[b] == nullptr) ++b;
    if (b < rung.bin.size()) {
      rung.open = static_cast<double>(b + 1);
      open_bin(rung, b);
      soon_ = b + 1 < rung.bin.size() ? rung.bin[b + 1] : nullptr;
    } else if (rung.rest_count > kMaxLate) {
      divide(rung);
    } else {
      lists_.drain(rung.rest, [this](const Event& e) { late_.push(e); });
      rung.bin.clear();
      rung.rest_count = 0;
      --rungs_;
    }
  }
  // Dividing the open bin takes as long as what has come to it.
  most_late_ = std::max(kMaxLate, static_cast<std::size_t>(end_ - next_));
}

// Sorts the events of a bin, or divides them.
void EventQueue::open_bin(Rung& rung, std::size_t b) {
  const std::size_t count = Lists<Event>::count(rung.bin[b]);
  if (count > kMaxSorted && rung.bin.size() > 1 && rungs_ < kMaxRungs) {
    Rung& finer = rung_[rungs_++];
    finer.open = finer.bins = 0;
    finer.rest = std::exchange(rung.bin[b], nullptr);
    finer.rest_count = count;
    return;
  }
  if (sorted_.size() < count) {
    unsorted_.resize(std::bit_ceil(count));
    sorted_.resize(unsorted_.size());
  }
  Event* last = unsorted_.data();
  lists_.drain(rung.bin[b], [&last](const Event& e) { *last++ = e; });
  next_ = sorted_.data();
  end_ = next_ + count;
  sort_(std::span<const Event>(unsorted_.data(), last), sorted_.data(),
        [&rung, first = static_cast<double>(b)](const Event& e) { return rung.place(e.time) - first; });
}

// More events have come late than a heap should have: divides what is left of the open bin.
void EventQueue::divide_late() {
  if (rungs_ == kMaxRungs) {
    most_late_ = std::numeric_limits<std::size_t>::max();
    return;
  }
  Rung& finer = rung_[rungs_++];
  finer.open = finer.bins = 0;
  for (; next_ != end_; ++next_, ++finer.rest_count) lists_.append(finer.rest, *next_);
  for (; !late_.empty(); ++finer.rest_count) lists_.append(finer.rest, late_.pop());
  refill();
}

// Distributes the rest of a rung over bins. They reach 8 times as far as the median, so that neither far events nor
// many near ones make them wide or few; events beyond them are the new rest.
void EventQueue::divide(Rung& rung) {
  constexpr double kReach = 8;
  constexpr std::size_t kSample = 256;
  const std::size_t stride = rung.rest_count / kSample + 1;
  Time earliest = kNever;
  std::size_t k = 0;
  sample_.clear();
  Lists<Event>::for_each(rung.rest, [&](const Event& e) {
    earliest = std::min(earliest, e.time);
    if (k++ % stride == 0) sample_.push_back(e.time);
  });
  const auto median = sample_.begin() + static_cast<std::ptrdiff_t>(sample_.size() / 2);
  std::nth_element(sample_.begin(), median, sample_.end());
  std::size_t bins = std::min(kMaxBins, rung.rest_count / kPerBin);
  rung.per_width = static_cast<double>(bins) / (kReach * (*median - earliest));
  if (!std::isfinite(rung.per_width)) {
    // Most are at one time, or the earliest doubles apart: a bin for that time.
    bins = 1;
    rung.per_width = std::numeric_limits<double>::max();
  }
  rung.origin = earliest;
  rung.open = 0;
  rung.bins = static_cast<double>(bins);
  rung.bin.assign(bins, nullptr);
  Lists<Event>::List pending = std::exchange(rung.rest, nullptr);
  rung.rest_count = 0;
  lists_.drain(pending, [&](const Event& e) { put(rung, e); });
}

}  // namespace hearsay::sim
