#pragma once
// A chained hash (XXH3) of the events of a run: equal runs have equal hashes.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstdint>
#include <span>

#include "sim/time.hpp"

namespace hearsay::sim {

class Fingerprint {
 public:
  /// Adds an event: its time, order key, target and outcome.
  void add(Time time, std::uint64_t key, AgentId target, std::uint32_t outcome) {
    const std::uint64_t words[3] = {std::bit_cast<std::uint64_t>(time), key,
                                    (std::uint64_t{target} << 32) | outcome};
    value_ = XXH3_64bits_withSeed(words, sizeof words, value_);
  }
  /// Adds numbers bit by bit.
  void add(std::span<const double> numbers) {
    value_ = XXH3_64bits_withSeed(numbers.data(), numbers.size_bytes(), value_);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace hearsay::sim
