#pragma once
// What one thread writes at every event begins a cache line, apart from what others read meanwhile: else each of these
// writes takes the line from them.
#include <algorithm>
#include <cstddef>

#include "sim/prefetch.hpp"

namespace hearsay::sim {

/// Bytes.
inline constexpr std::size_t kCacheLine = 64;

/// Fetches so many bytes to be read, but no more than 8 lines, after which the processor goes on by itself.
HEARSAY_PREFETCH inline void fetch_lines(const void* from, std::size_t bytes) {
  for (std::size_t at = 0; at < std::min(bytes, 8 * kCacheLine); at += kCacheLine)
    __builtin_prefetch(static_cast<const std::byte*>(from) + at);
}

}  // namespace hearsay::sim
