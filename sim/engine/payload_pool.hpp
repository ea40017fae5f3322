#pragma once
// Payloads of messages: rows of doubles of one width, each behind its header and beginning with a cache line, reference
// counted. A broadcast copies its vector once; events and readers store the number of its row.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "sim/check.hpp"
#include "sim/events/event.hpp"
#include "sim/large_vector.hpp"
#include "sim/parallel/cache_line.hpp"
#include "sim/prefetch.hpp"
#include "sim/state/plain.hpp"
#include "sim/time.hpp"

namespace cereal {
class BinaryInputArchive;
class BinaryOutputArchive;
}  // namespace cereal

namespace hearsay::sim {

class PayloadPool {
 public:
  /// Data of a message other than its numbers.
  struct Header {
    Time sent = 0;              ///< when it was sent
    std::uint32_t version = 0;  ///< publication number of its source, from 1; of a free row: the next free
    std::uint32_t conversation =
        0;  ///< number of the exchange it belongs to; of a publication: see LazyPublications
    std::uint32_t numbers : 31 = 0;    ///< how many of the row's doubles are sent
    std::uint32_t not_finite : 1 = 0;  ///< whether one of them is not: nobody is to receive it
    std::uint32_t references = 0;
  };

  /// Rows of `width` doubles.
  explicit PayloadPool(std::size_t width) : width_(width), stride_(bytes_of_row(width)) {}

  /// Memory of a row of so many doubles and its header.
  static constexpr std::size_t bytes_of_row(std::size_t width) {
    return (sizeof(Header) + width * sizeof(double) + kLine - 1) / kLine * kLine;
  }

  std::size_t width() const { return width_; }
  std::size_t in_use() const { return in_use_; }
  /// Rows there is memory for: a high-water mark.
  std::size_t capacity() const { return rows_; }
  /// Bytes of these rows.
  std::size_t bytes() const { return rows_ * stride_; }

  /// A row with one reference and undefined numbers. O(1); allocates when more rows are in use than ever before.
  std::uint32_t take() {
    if (free_ == kNoSlot) grow();
    const std::uint32_t slot = free_;
    free_ = std::exchange(header(slot), Header{.references = 1}).version;
    ++in_use_;
    return slot;
  }
  /// Memory for so many more rows: until they are taken, who reads rows in use may do so on other threads.
  void reserve(std::size_t count) {
    while (rows_ - in_use_ < count) grow();
  }
  void add_reference(std::uint32_t slot, std::uint32_t count = 1) { header(slot).references += count; }
  /// Drops one reference; without any the row is free. kNoSlot is allowed.
  void drop(std::uint32_t slot) {
    if (slot == kNoSlot) return;
    Header& dropped = header(slot);
    sim::check(dropped.references > 0, "a payload row was released twice");
    if (--dropped.references == 0) {
      dropped.version = std::exchange(free_, slot);
      --in_use_;
    }
  }

  /// Fetches the header of a row, to be written or not, or its numbers too. kNoSlot is allowed.
  template <bool written>
  HEARSAY_PREFETCH void prefetch(std::uint32_t slot, bool numbers) const {
    if (slot == kNoSlot) return;
    const std::byte* const row = at(slot);
    __builtin_prefetch(row, written ? 1 : 0);
    if (!numbers) return;
    for (std::size_t k = kLine; k < std::min(stride_, kMostFetched); k += kLine) __builtin_prefetch(row + k);
  }

  /// Fetches the row that take() will give, to be written.
  HEARSAY_PREFETCH void prefetch_free() const {
    if (free_ == kNoSlot) return;
    for (std::size_t k = 0; k < std::min(stride_, kMostFetched); k += kLine)
      __builtin_prefetch(at(free_) + k, 1);
  }

  Header& header(std::uint32_t slot) { return *reinterpret_cast<Header*>(at(slot)); }
  const Header& header(std::uint32_t slot) const { return *reinterpret_cast<const Header*>(at(slot)); }
  /// The row's numbers, at a fixed address while the row is in use.
  std::span<double> row(std::uint32_t slot) { return {data(slot), width_}; }
  std::span<const double> row(std::uint32_t slot) const { return {data(slot), width_}; }

  /// The rows in use, which keep their numbers.
  template <class Archive>
  void serialize(Archive& archive) {
    std::uint64_t rows = rows_;
    archive(rows);
    if constexpr (Archive::is_loading::value) free_all(rows);
    for (std::uint32_t slot = 0; slot < rows; ++slot) {
      Header& row = header(slot);
      plain(archive, row.references);
      if (row.references == 0) continue;
      plain(archive, row);
      raw(archive, data(slot), row.numbers);
    }
    if constexpr (Archive::is_loading::value) find_free();
  }

 private:
  static constexpr std::size_t kLine = kCacheLine;
  static constexpr std::size_t kMostFetched = 8 * kLine;  // beyond which the hardware prefetcher continues
  static constexpr std::uint32_t kFirstRows =
      64;  // of block 0; each other has as many as all before it, and 64 more

  struct Free {
    std::size_t bytes;
    void operator()(std::byte* memory) const { HugePages<std::byte>().deallocate(memory, bytes); }
  };

  static std::uint32_t block_of(std::uint32_t slot) {
    return static_cast<std::uint32_t>(std::bit_width(slot / kFirstRows + 1)) - 1;
  }
  static std::size_t rows_before(std::uint32_t block) { return ((std::size_t{1} << block) - 1) * kFirstRows; }
  std::byte* at(std::uint32_t slot) const {
    const std::uint32_t block = block_of(slot);
    return blocks_[block].get() + (slot - rows_before(block)) * stride_;
  }
  double* data(std::uint32_t slot) const { return reinterpret_cast<double*>(at(slot) + sizeof(Header)); }

  // Makes kFirstRows more rows. Pages of the last block that have no row yet are not in memory.
  void grow() {
    const auto first = static_cast<std::uint32_t>(rows_);
    next_number(first, "payloads in memory", kFirstRows);
    if (const std::uint32_t block = block_of(first); block == made_) {
      const std::size_t bytes = (std::size_t{kFirstRows} << block) * stride_;
      blocks_[made_++] = {HugePages<std::byte>().allocate(bytes), Free{bytes}};
    }
    rows_ += kFirstRows;
    for (auto slot = first + kFirstRows; slot-- > first;)
      new (at(slot)) Header{.version = std::exchange(free_, slot)};
  }

  // Room for so many rows, none of which is in use.
  void free_all(std::size_t rows) {
    while (rows_ < rows) grow();
    for (std::uint32_t slot = 0; slot < rows_; ++slot) header(slot) = {};
  }
  void find_free() {
    free_ = kNoSlot;
    in_use_ = rows_;
    for (auto slot = static_cast<std::uint32_t>(rows_); slot-- > 0;) {
      if (header(slot).references > 0) continue;
      header(slot).version = std::exchange(free_, slot);
      --in_use_;
    }
  }

  alignas(kCacheLine) std::size_t width_;  // doubles; bytes:
  std::size_t stride_;
  std::array<std::unique_ptr<std::byte[], Free>, 32> blocks_;  // as many as there may be rows
  alignas(kCacheLine) std::size_t in_use_ = 0;
  std::size_t rows_ = 0;
  std::uint32_t made_ = 0;        // blocks
  std::uint32_t free_ = kNoSlot;  // first of the list of free rows
};

/// The numbers of a row that stays in use while this holds it; the pool must live longer. A default one holds none.
class HeldPayload {
 public:
  HeldPayload() = default;
  HeldPayload(PayloadPool& pool, std::uint32_t slot) : pool_(&pool), slot_(slot) { pool.add_reference(slot); }
  HeldPayload(HeldPayload&& other) noexcept
      : pool_(other.pool_), slot_(std::exchange(other.slot_, kNoSlot)) {}
  HeldPayload& operator=(HeldPayload&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(slot_, other.slot_);
    return *this;
  }
  HeldPayload(const HeldPayload&) = delete;
  HeldPayload& operator=(const HeldPayload&) = delete;
  ~HeldPayload() {
    if (pool_) pool_->drop(slot_);
  }

  std::span<const double> numbers() const {
    if (slot_ == kNoSlot) return {};
    return std::as_const(*pool_).row(slot_).first(pool_->header(slot_).numbers);
  }
  /// Which row it is. It is read before the pool, of which it is a reference.
  void save(cereal::BinaryOutputArchive& archive) const;
  void load(cereal::BinaryInputArchive& archive);

 private:
  PayloadPool* pool_ = nullptr;
  std::uint32_t slot_ = kNoSlot;
};

}  // namespace hearsay::sim
