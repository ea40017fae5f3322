#pragma once
// The hash of fingerprints and checksums.
#include <cstddef>
#include <cstdint>

namespace hearsay::sim {

/// XXH3, 64 bits, of so many bytes.
std::uint64_t hash_of(const void* data, std::size_t bytes, std::uint64_t seed = 0);

}  // namespace hearsay::sim
