#pragma once
// What one thread writes at every event begins a cache line, apart from what others read meanwhile: else each of these
// writes takes the line from them.
#include <cstddef>

namespace hearsay::sim {

/// Bytes.
inline constexpr std::size_t kCacheLine = 64;

}  // namespace hearsay::sim
