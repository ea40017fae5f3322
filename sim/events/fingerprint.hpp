#pragma once
// A chained hash (XXH3) of the events of a run: equal runs have equal hashes.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/state/plain.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

class Fingerprint {
 public:
  /// Adds an event: its time, order key, target and outcome.
  void add(Time time, std::uint64_t key, AgentId target, std::uint32_t outcome) {
    std::uint64_t* const next = words_.data() + size_;
    next[0] = std::bit_cast<std::uint64_t>(time);
    next[1] = key;
    next[2] = (std::uint64_t{target} << 32) | outcome;
    size_ += kWords;
    if (size_ == words_.size()) [[unlikely]]
      fold();
  }
  /// Adds numbers bit by bit.
  void add(std::span<const double> numbers);
  std::uint64_t value() const;
  template <class Archive>
  void serialize(Archive& archive) {
    plain(archive, words_);
    archive(size_);
  }

 private:
  static constexpr std::size_t kWords = 3;  // of an event
  // Events that are hashed together: no event has to wait for the hash of the one before it.
  static constexpr std::size_t kEvents = 64;

  void fold();

  std::array<std::uint64_t, 1 + kWords * kEvents> words_{};  // the hash so far, and events that are not in it
  std::size_t size_ = 1;
};

}  // namespace hearsay::sim
