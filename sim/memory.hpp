#pragma once
// Estimates of memory from options, before anything large is allocated. Every part of a run (a data source, a graph, a
// protocol) estimates its own need beside its code.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace hearsay::sim {

/// Bytes that a part needs.
struct Memory {
  double held = 0;    ///< while it exists
  double making = 0;  ///< beside that, while it is made

  double peak() const { return held + making; }
};

/// Parts that are made one after the other, each held while the next ones are made.
inline Memory in_order(std::initializer_list<Memory> parts) {
  double held = 0, peak = 0;
  for (const Memory& part : parts) {
    peak = std::max(peak, held + part.peak());
    held += part.held;
  }
  return {held, peak - held};
}

/// What a block of so many bytes takes on the heap of glibc; 0 for an empty one.
inline double heap_block(double bytes) {
  return bytes <= 0 ? 0 : std::max(32.0, 16 * std::ceil((bytes + 8) / 16));
}

/// A vector of `count` elements of `size` bytes that has grown by doubling: when it grew last, the old block, of half the
/// new one's capacity, was copied.
inline Memory grown(double count, double size) {
  if (!(count >= 1) || count > 1e18) return {count * size, 0};
  const auto capacity = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(count)));
  return {count * size, (capacity - count) * size};
}

}  // namespace hearsay::sim
