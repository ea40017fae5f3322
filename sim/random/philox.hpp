#pragma once
// Philox4x32-10, a counter-based generator: 128 random bits as a pure function of a 128-bit counter and a
// 64-bit key. Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 4.1.
// One round maps (L0, R0, L1, R1) = (c[1], c[0], c[3], c[2]) through two 32 x 32 -> 64 bit multiplications;
// the key is increased by the Weyl constants between the ten rounds.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace hearsay::sim {

/// A counter, or its random bits.
using PhiloxBlock = std::array<std::uint32_t, 4>;
/// The two words of a key, and what every word of the random bits is combined with by exclusive or: 0, or all ones, which
/// complements them.
struct PhiloxKey {
  std::uint32_t first = 0, second = 0, mask = 0;
  bool operator==(const PhiloxKey&) const = default;
};

namespace philox {
constexpr int kRounds = 10;
constexpr std::uint32_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
}  // namespace philox

constexpr PhiloxBlock philox4x32(PhiloxBlock c, PhiloxKey key) {
  for (int round = 0; round < philox::kRounds; ++round) {
    const std::uint64_t a = std::uint64_t{philox::kMultiplier0} * c[0],
                        b = std::uint64_t{philox::kMultiplier1} * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key.first, static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key.second, static_cast<std::uint32_t>(a)};
    key.first += philox::kWeyl0;
    key.second += philox::kWeyl1;
  }
  for (std::uint32_t& word : c) word ^= key.mask;
  return c;
}

#ifdef __AVX2__
namespace philox {

/// Replaces 2 Registers counters by their bits: two a register, of which the even words are multiplied.
template <std::size_t Registers>
inline void replace(PhiloxBlock* blocks, PhiloxKey key) {
  const auto alternating = [](std::uint32_t first, std::uint32_t second) {
    return _mm256_set_epi32(0, static_cast<int>(second), 0, static_cast<int>(first), 0,
                            static_cast<int>(second), 0, static_cast<int>(first));
  };
  const __m256i multipliers = alternating(kMultiplier0, kMultiplier1), weyl = alternating(kWeyl0, kWeyl1);
  __m256i keys = alternating(key.first, key.second);
  const __m256i mask = _mm256_set1_epi32(static_cast<int>(key.mask));
  auto* const memory = reinterpret_cast<__m256i*>(blocks);
  __m256i c[Registers];
  for (std::size_t r = 0; r < Registers; ++r) c[r] = _mm256_loadu_si256(memory + r);
  for (int round = 0; round < kRounds; ++round) {
    for (__m256i& x : c) {
      // The words of the products, (a low, a high, b low, b high), in reverse order.
      const __m256i products = _mm256_shuffle_epi32(_mm256_mul_epu32(x, multipliers), 0b00'01'10'11);
      x = _mm256_xor_si256(_mm256_xor_si256(products, _mm256_srli_epi64(x, 32)), keys);
    }
    keys = _mm256_add_epi32(keys, weyl);
  }
  for (std::size_t r = 0; r < Registers; ++r) _mm256_storeu_si256(memory + r, _mm256_xor_si256(c[r], mask));
}

}  // namespace philox
#endif

/// Replaces counters by the bits that each has alone: a large number of them in a third of the time.
inline void philox4x32(std::span<PhiloxBlock> blocks, PhiloxKey key) {
#ifdef __AVX2__
  for (; blocks.size() >= 8; blocks = blocks.subspan(8)) philox::replace<4>(blocks.data(), key);
  if (blocks.size() >= 4) {
    philox::replace<2>(blocks.data(), key);
    blocks = blocks.subspan(4);
  }
#endif
  for (PhiloxBlock& block : blocks) block = philox4x32(block, key);
}

}  // namespace hearsay::sim
