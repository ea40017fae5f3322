#include "sim/events/event_heap.hpp"

#include <cstring>

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

}  // namespace hearsay::sim
