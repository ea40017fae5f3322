#pragma once
// Counter-based random streams: every draw is a pure function of (seed, repetition, purpose, entity, index), so
// adding an agent, a metric or another protocol changes no other draw.
//
//   key     = first 64 bits of Philox4x32-10(key = seed, counter = (repetition, purpose, continuation, 0)),
//             once per run and purpose
//   counter = (block, index, entity a, entity b)
//
// An entity is an agent (b = 0) or an edge (source id, target id). `index` numbers the n-th gap, message,
// release or period of the entity; each index has 2^32 blocks of 128 bits.
//
// Antithetic repetitions: 2k and 2k + 1 are a pair. In the latter the network draws the complement of each word of the
// former, u becomes 1 - u, and mechanisms add the negative of its noise. Both have the law of any repetition, because a
// complemented uniform word is uniform and the noise is symmetric; a mean over pairs varies less where a result is
// monotone in the draws (Hammersley and Morton, "A new Monte Carlo technique: antithetic variates", 1956).
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/random/philox.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// Purpose of a draw. Every result depends on the numbers: one is never reused.
enum class Purpose : std::uint32_t {
  kClock = 1,           ///< (agent), index = n-th gap
  kLatency = 2,         ///< (from, to), index = n-th message on the edge
  kLoss = 3,            ///< (from, to), index = n-th message on the edge
  kAvailability = 4,    ///< (agent), index = n-th up or down period
  kTopology = 5,        ///< (0), or the node; index = TopologyDraw
  kData = 6,            ///< (owner), index = part of the owner's data
  kNoise = 7,           ///< (agent), index = n-th release
  kPerAgent = 8,        ///< (agent), index = PerAgentOption
  kOnlineTick = 9,      ///< (agent), index = n-th tick: whether the agent is online
  kOnlineMessage = 10,  ///< (from, to), index = n-th message on the edge: whether the receiver is online
  kCompute = 11,        ///< (agent), index = n-th computation
  kStart = 12,          ///< (0): where learning starts
  kTuning = 13,         ///< (0): the number of trials; (1): their candidates
  kAudit = 14,          ///< (0), index = n-th canary: whether it is there; (1), likewise: its direction
  kSplitting = 15,      ///< (0), index = number of a stage: how states are dealt to trajectories
  kHostile = 16,        ///< (0): who is hostile; (agent + 1, receiver), index = n-th sending of the agent
  kProtocol = 1000,     ///< + the number that the protocol gives to its purpose: (agent), index = n-th draw
};

/// A stream of 64-bit words; a UniformRandomBitGenerator for Boost.Random. 48 bytes, no allocation.
class Stream {
 public:
  using result_type = std::uint64_t;
  using Key = PhiloxKey;
  /// Two words that are drawn together, or the counter that they are drawn from.
  using Block = PhiloxBlock;

  Stream(Key key, std::uint32_t a, std::uint32_t b, std::uint32_t index)
      : Stream(key, counter(a, b, index)) {}
  Stream(Key key, const Block& counter) : counter_(counter), key_(key) {}
  /// Counter of the first block of Stream(key, a, b, index); philox4x32 draws those of many streams at once.
  static constexpr Block counter(std::uint32_t a, std::uint32_t b, std::uint32_t index) {
    return {0, index, a, b};
  }
  /// A stream from which nothing has been drawn, given its first block.
  Stream(const Stream& fresh, const Block& first)
      : counter_{1, fresh.counter_[1], fresh.counter_[2], fresh.counter_[3]},
        key_(fresh.key_),
        next_(0),
        words_(words_of(first)) {}

  /// The words of a block.
  using Words = std::array<std::uint64_t, 2>;
  static constexpr Words words_of(const Block& block) {
    return {block[0] | (std::uint64_t{block[1]} << 32), block[2] | (std::uint64_t{block[3]} << 32)};
  }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }

  result_type operator()() {
    if (next_ >= 2) refill();
    return words_[next_++];
  }

  /// Number of words drawn or skipped, while there are fewer than 2^33.
  std::uint64_t drawn() const { return 2 * std::uint64_t{counter_[0]} + next_ - 2; }
  /// Passes over so many words. O(1).
  void skip(std::uint64_t words) { move_to(drawn() + words); }
  /// From now on as if so many words had been drawn in all. O(1).
  void move_to(std::uint64_t words) {
    counter_[0] = static_cast<std::uint32_t>(words / 2);
    next_ = static_cast<std::uint32_t>(2 + words % 2);
  }
  /// Blocks first, first + 1, ... of the whole stream.
  void blocks(std::uint64_t first, std::span<Block> out) const {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = {static_cast<std::uint32_t>(first + k), counter_[1], counter_[2], counter_[3]};
    philox4x32(out, key_);
  }

 private:
  void refill() {
    words_ = words_of(philox4x32(counter_, key_));
    ++counter_[0];
    next_ -= 2;
  }

  Block counter_;  // of the next block
  Key key_;
  std::uint32_t next_ = 2;  // of words_; from 2 on, 2 more than that of the next block's
  Words words_{};
};

/// What the network draws. Not kPerAgent: rates and delays that agents keep are drawn like data.
constexpr bool is_of_network(Purpose purpose) {
  using enum Purpose;
  return purpose == kClock || purpose == kLatency || purpose == kLoss || purpose == kAvailability ||
         purpose == kOnlineTick || purpose == kOnlineMessage || purpose == kCompute;
}

/// All streams of one run.
class Streams {
 public:
  /// `antithetic`: the repetition is one of an antithetic pair.
  Streams(std::uint64_t seed, std::uint32_t repetition, bool antithetic = false)
      : seed_(seed),
        repetition_(repetition),
        noise_repetition_(repetition),
        mirrored_(antithetic && repetition % 2 == 1) {
    for (std::uint32_t p = 0; p < keys_.size(); ++p) keys_[p] = derive(p);
  }

  Stream operator()(Purpose purpose, std::uint32_t a, std::uint32_t b = 0, std::uint32_t index = 0) const {
    return Stream(key(purpose), a, b, index);
  }

  /// The stream of a purpose defined by a protocol.
  Stream protocol(std::uint32_t purpose, std::uint32_t a, std::uint32_t b = 0,
                  std::uint32_t index = 0) const {
    return Stream(derive(static_cast<std::uint32_t>(Purpose::kProtocol) + purpose, repetition_,
                         purpose < kOfWholeRun ? continuation_ : 0),
                  a, b, index);
  }
  /// Purposes of a protocol from this one on are of a whole run, however it is continued.
  static constexpr std::uint32_t kOfWholeRun = 1U << 30;

  Stream::Key key(Purpose purpose) const {
    const auto p = static_cast<std::uint32_t>(purpose);
    return p < keys_.size() ? keys_[p] : derive(p);
  }

  /// Whether this is the second repetition of an antithetic pair: the noise of mechanisms is then the negative of what is
  /// drawn from kNoise, which is the stream of the first.
  bool mirrored() const { return mirrored_; }
  /// kNoise of this repetition alone, for what a mechanism draws that is not symmetric noise.
  Stream own_noise(std::uint32_t a, std::uint32_t b, std::uint32_t index) const {
    return Stream(derive(static_cast<std::uint32_t>(Purpose::kNoise), noise_repetition_, continuation_), a, b,
                  index);
  }
  /// The same streams, but for the noise of mechanisms: as if this were another repetition, of no pair.
  Streams with_noise_of(std::uint32_t repetition) const {
    Streams other(*this);
    const auto noise = static_cast<std::uint32_t>(Purpose::kNoise);
    other.noise_repetition_ = repetition;
    other.mirrored_ = false;
    other.keys_[noise] = derive(noise, repetition, continuation_);
    return other;
  }
  /// The same streams, but for what is drawn while a run goes on: by the network, noise, hostile agents, and protocols for
  /// their own purposes. Those of different numbers are independent; 0 changes nothing. With a number the repetition is of no pair.
  Streams continued(std::uint32_t number) const {
    if (number == 0) return *this;
    Streams other(*this);
    other.continuation_ = number;
    other.mirrored_ = false;
    for (std::uint32_t p = 0; p < keys_.size(); ++p) other.keys_[p] = other.derive(p);
    return other;
  }

 private:
  Stream::Key derive(std::uint32_t purpose, std::uint32_t repetition, std::uint32_t continuation) const {
    const auto out = philox4x32({repetition, purpose, continuation, 0},
                                {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    return {out[0], out[1]};
  }
  Stream::Key derive(std::uint32_t purpose) const {
    const auto named = static_cast<Purpose>(purpose);
    const bool network = is_of_network(named), paired = network || named == Purpose::kNoise;
    const bool goes_on = paired || named == Purpose::kHostile;
    Stream::Key key =
        derive(purpose, mirrored_ && paired ? repetition_ - 1 : repetition_, goes_on ? continuation_ : 0);
    if (mirrored_ && network) key.mask = ~std::uint32_t{0};
    return key;
  }

  std::uint64_t seed_;
  std::uint32_t repetition_, noise_repetition_;
  std::uint32_t continuation_ = 0;  // of the purposes that continued() names
  bool mirrored_;
  std::array<Stream::Key, 16> keys_{};
};

}  // namespace hearsay::sim
