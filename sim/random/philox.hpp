#pragma once
// Philox4x32-10, a counter-based generator: 128 random bits as a pure function of a 128-bit counter and a
// 64-bit key. Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 4.1.
// One round maps (L0, R0, L1, R1) = (c[1], c[0], c[3], c[2]) through two 32 x 32 -> 64 bit multiplications;
// the key is increased by the Weyl constants between the ten rounds.
#include <array>
#include <cstdint>

namespace hearsay::sim {

constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c,
                                                  std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kMultiplier0 * c[0], b = kMultiplier1 * c[2];
    c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return c;
}

}  // namespace hearsay::sim
