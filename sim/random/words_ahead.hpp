#pragma once
// The words of a stream, drawn many at a time: the same words, each in less than half of the time.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/random/stream.hpp"

namespace hearsay::sim {

/// A UniformRandomBitGenerator. While it exists nothing else may draw from the stream; afterwards the stream continues
/// after the last word that was taken.
class WordsAhead {
 public:
  using result_type = Stream::result_type;

  /// `expected`: number of words that will be taken, roughly.
  WordsAhead(Stream& stream, std::size_t expected)
      : stream_(stream), next_(stream.drawn()), end_(next_), expected_(expected) {}
  ~WordsAhead() { stream_.move_to(next_); }
  WordsAhead(const WordsAhead&) = delete;
  WordsAhead& operator=(const WordsAhead&) = delete;

  static constexpr result_type min() { return Stream::min(); }
  static constexpr result_type max() { return Stream::max(); }

  result_type operator()() {
    if (next_ == end_) draw();
    return words_[next_++ - begin_];
  }

 private:
  static constexpr std::size_t kMost = 16;  // blocks
  static constexpr std::size_t kFour = 4;   // blocks that take little more time than one

  void draw() {
    const std::size_t needed = expected_ / 2 + 1;
    const std::size_t count = needed < 3 ? needed : std::min((needed + kFour - 1) / kFour * kFour, kMost);
    expected_ -= std::min(expected_, 2 * count);
    std::array<Stream::Block, kMost> blocks;
    stream_.blocks(next_ / 2, std::span(blocks).first(count));
    for (std::size_t k = 0; k < count; ++k) {
      const Stream::Words two = Stream::words_of(blocks[k]);
      words_[2 * k] = two[0];
      words_[2 * k + 1] = two[1];
    }
    begin_ = next_ / 2 * 2;
    end_ = begin_ + 2 * count;
  }

  Stream& stream_;
  std::uint64_t next_, begin_ = 0, end_;  // numbers of words of the stream
  std::size_t expected_;
  std::array<std::uint64_t, 2 * kMost> words_;
};

}  // namespace hearsay::sim
