#pragma once
// Payloads of messages: rows of doubles of one width, padded to 64 bytes, reference counted. A broadcast copies its
// vector once; events and readers store the number of its row.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/events/event.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

class PayloadPool {
 public:
  /// Data of a message other than its numbers.
  struct Header {
    Time sent = 0;              ///< when it was sent
    std::uint32_t version = 0;  ///< publication number of its source, from 1; of a free row: the next free
    std::uint32_t conversation = 0;  ///< number of the exchange it belongs to
    std::uint32_t numbers = 0;       ///< how many of the row's doubles are sent
    std::uint32_t references = 0;
  };

  /// Rows of `width` doubles.
  explicit PayloadPool(std::size_t width) : width_(width), stride_((width + 7) / 8 * 8) {}

  std::size_t width() const { return width_; }
  std::size_t in_use() const { return in_use_; }
  /// Rows there is memory for: a high-water mark.
  std::size_t capacity() const { return headers_.size(); }

  /// A row with one reference and undefined numbers. O(1); allocates when more rows are in use than ever before.
  std::uint32_t take() {
    if (free_ == kNoSlot) grow();
    const std::uint32_t slot = free_;
    free_ = std::exchange(headers_[slot], Header{.references = 1}).version;
    ++in_use_;
    return slot;
  }
  void add_reference(std::uint32_t slot, std::uint32_t count = 1) { headers_[slot].references += count; }
  /// Drops one reference; without any the row is free. kNoSlot is allowed.
  void drop(std::uint32_t slot) {
    if (slot == kNoSlot) return;
    Header& header = headers_[slot];
    sim::check(header.references > 0, "a payload row was released twice");
    if (--header.references == 0) {
      header.version = std::exchange(free_, slot);
      --in_use_;
    }
  }

  Header& header(std::uint32_t slot) { return headers_[slot]; }
  const Header& header(std::uint32_t slot) const { return headers_[slot]; }
  /// The row's numbers, at a fixed address while the row is in use.
  std::span<double> row(std::uint32_t slot) { return {data(slot), width_}; }
  std::span<const double> row(std::uint32_t slot) const { return {data(slot), width_}; }

 private:
  static constexpr std::size_t kBlockRows = 64;
  struct Free {
    void operator()(double* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };

  double* data(std::uint32_t slot) const {
    return blocks_[slot / kBlockRows].get() + (slot % kBlockRows) * stride_;
  }

  void grow() {
    const auto first = static_cast<std::uint32_t>(headers_.size());
    next_number(first, "payloads in memory", kBlockRows);
    const std::size_t doubles = stride_ * kBlockRows;
    blocks_.emplace_back(
        static_cast<double*>(::operator new[](doubles * sizeof(double), std::align_val_t{64})));
    headers_.resize(first + kBlockRows);
    for (auto slot = static_cast<std::uint32_t>(first + kBlockRows); slot-- > first;)
      headers_[slot].version = std::exchange(free_, slot);
  }

  std::size_t width_, stride_;
  std::size_t in_use_ = 0;
  std::vector<Header> headers_;
  std::vector<std::unique_ptr<double[], Free>> blocks_;
  std::uint32_t free_ = kNoSlot;  // first of the list of free rows
};

}  // namespace hearsay::sim
