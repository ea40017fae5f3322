#include "sim/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace hearsay::sim {

std::uint64_t hash_of(const void* data, std::size_t bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(data, bytes, seed);
}

}  // namespace hearsay::sim
