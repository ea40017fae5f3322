#pragma once
// Choosing some of many.
#include <vector>

#include "sim/random/random.hpp"

namespace hearsay::models {

/// `count` <= size of `size` positions, all subsets alike: the selection sampling of Knuth, TAOCP 2, 3.4.2 S.
/// One draw a position until all are chosen.
inline std::vector<char> choose(std::size_t size, std::size_t count, sim::Stream stream) {
  std::vector<char> chosen(size, 0);
  for (std::size_t i = 0; i < size && count > 0; ++i) {
    if (sim::uniform_index(stream, size - i) >= count) continue;
    chosen[i] = 1;
    --count;
  }
  return chosen;
}

}  // namespace hearsay::models
