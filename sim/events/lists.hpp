#pragma once
// Lists in no order, to which adding is an append. They share chunks of 1 KiB: a list is the place after its last item,
// and its chunk begins with the place after the last item of the chunk before it, so that thousands of lists that grow at
// a time need a cache line each and nothing else.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/large_vector.hpp"

namespace hearsay::sim {

template <class Item>
class Lists {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  /// A list; null when empty. It belongs to the Lists that it was made with.
  using List = Item*;

  void append(List& list, const Item& item) {
    if (offset(list) == 0) [[unlikely]]
      list = open_chunk(list);
    *list++ = item;
  }
  /// Number of items; O(chunks).
  static std::size_t count(List list) {
    std::size_t items = 0;
    for (; list != nullptr; list = chunk_of(list)->before)
      items += static_cast<std::size_t>(list - chunk_of(list)->items);
    return items;
  }
  /// Calls f with each item.
  template <class F>
  static void for_each(List list, F&& f) {
    for (; list != nullptr; list = chunk_of(list)->before)
      for (const Item* item = chunk_of(list)->items; item != list; ++item) f(*item);
  }
  /// The same, and empties the list. f may append to other lists.
  template <class F>
  void drain(List& list, F&& f) {
    for (List end = std::exchange(list, nullptr); end != nullptr;) {
      Chunk* const chunk = chunk_of(end);
      for (const Item* item = chunk->items; item != end; ++item) f(*item);
      end = std::exchange(chunk->before, free_);
      free_ = chunk->items;
    }
  }
  /// Items there is memory for.
  std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::size_t kChunkBytes = 1024, kFirstBlock = std::size_t{1} << 16;

  struct Chunk {
    List before;  // of a free chunk: the first item of another
    alignas(sizeof(Item)) Item items[kChunkBytes / sizeof(Item) - 1];  // to the end of the chunk
  };
  static_assert(sizeof(Chunk) == kChunkBytes);
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* memory) const { ::operator delete[](memory, alignment); }
  };

  // 0 for a list that is empty or whose chunk is full.
  static std::size_t offset(List list) { return reinterpret_cast<std::uintptr_t>(list) % kChunkBytes; }
  static Chunk* chunk_of(List list) {
    std::byte* const last = reinterpret_cast<std::byte*>(list) - 1;
    return reinterpret_cast<Chunk*>(last - reinterpret_cast<std::uintptr_t>(last) % kChunkBytes);
  }
  List open_chunk(List before) {
    Chunk* chunk = unused_;
    if (free_ != nullptr) {
      chunk = chunk_of(free_ + 1);
      free_ = chunk->before;
    } else {
      if (chunk == unused_end_) chunk = grow();
      unused_ = chunk + 1;
    }
    chunk->before = before;
    return chunk->items;
  }
  // Allocates a block, and returns its first chunk.
  Chunk* grow() {
    const std::size_t bytes = blocks_.empty() ? kFirstBlock : kHugePage;
    const std::align_val_t alignment{blocks_.empty() ? kChunkBytes : kHugePage};
    auto* const block = static_cast<std::byte*>(::operator new[](bytes, alignment));
    blocks_.push_back({block, Free{alignment}});
    // Thousands of lists that grow at a time touch as many pages of 4 KiB, more than the TLB holds.
    if (bytes == kHugePage) use_huge_pages(block, bytes);
    unused_ = reinterpret_cast<Chunk*>(block);
    unused_end_ = unused_ + bytes / kChunkBytes;
    capacity_ += bytes / kChunkBytes * std::size(unused_->items);
    return unused_;
  }

  List free_ = nullptr;                              // first item of a free chunk
  Chunk *unused_ = nullptr, *unused_end_ = nullptr;  // of the last block: never used, so without pages
  std::size_t capacity_ = 0;
  std::vector<std::unique_ptr<std::byte[], Free>> blocks_;
};

}  // namespace hearsay::sim
