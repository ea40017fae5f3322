#pragma once
// Replaces the global operator new by one that counts. Include it in one source of an executable.
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace hearsay::test {

struct Allocations {
  std::atomic<std::size_t> made = 0;  ///< since the start
  std::atomic<std::size_t> live = 0;  ///< bytes that are allocated now
  std::atomic<std::size_t> peak = 0;  ///< most bytes that were; may be set back to `live`

  void add(void* memory) {
    made.fetch_add(1, std::memory_order_relaxed);
    const std::size_t bytes = malloc_usable_size(memory);
    const std::size_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now > peak.load(std::memory_order_relaxed)) peak.store(now, std::memory_order_relaxed);
  }
  void remove(void* memory) { live.fetch_sub(malloc_usable_size(memory), std::memory_order_relaxed); }
};
inline constinit Allocations allocations;

inline void* allocate(std::size_t bytes, std::size_t alignment) {
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(std::max<std::size_t>(bytes, 1))
                                                        : std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  allocations.add(memory);
  return memory;
}

inline void deallocate(void* memory) {
  if (memory == nullptr) return;
  allocations.remove(memory);
  std::free(memory);
}

}  // namespace hearsay::test

void* operator new(std::size_t bytes) {
  return hearsay::test::allocate(bytes, 1);
}
void* operator new[](std::size_t bytes) {
  return hearsay::test::allocate(bytes, 1);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return hearsay::test::allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return hearsay::test::allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete[](void* memory) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  hearsay::test::deallocate(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  hearsay::test::deallocate(memory);
}
