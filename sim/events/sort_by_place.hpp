#pragma once
// Sorts what is spread about evenly over an interval of time: distributes it over as many places as there are items, in
// two passes, and puts the few neighbours right that share a place.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::sim {

/// Keeps its memory.
class PlaceSort {
 public:
  /// Writes the items to `out`, least first by before(a, b). `place(item)` in [0, 1) never falls from an item to one
  /// after it. O(n) where places are spread evenly, O(n log n) at most; the result does not depend on places.
  template <class Item, class Place>
  void operator()(std::span<const Item> items, Item* out, Place&& place) {
    const std::size_t n = items.size();
    if (n <= kFew) {
      for (std::size_t k = 0; k < n; ++k) insert(out, k, items[k]);
      return;
    }
    const std::size_t places = std::bit_ceil(n);
    ends_.assign(places + 1, 0);
    const auto scale = static_cast<double>(places);
    const auto number = [&](const Item& item) {
      return std::min(static_cast<std::size_t>(place(item) * scale), places - 1);
    };
    for (const Item& item : items) ++ends_[number(item) + 1];
    std::uint32_t most = 0;
    for (std::size_t k = 1; k <= places; ++k) {
      most = std::max(most, ends_[k]);
      ends_[k] += ends_[k - 1];
    }
    for (const Item& item : items) out[ends_[number(item)]++] = item;
    if (most > kMany)
      return std::sort(out, out + n, [](const Item& a, const Item& b) { return before(a, b); });
    for (std::size_t k = 1; k < n; ++k)
      if (before(out[k], out[k - 1])) insert(out, k, Item(out[k]));
  }

  /// A high-water mark: while it stays the same, nothing has been allocated.
  std::size_t capacity() const { return ends_.capacity(); }

 private:
  static constexpr std::size_t kFew = 12;     // items that are inserted one by one
  static constexpr std::uint32_t kMany = 32;  // items in one place that are not

  // Puts an item into k sorted ones.
  template <class Item>
  static void insert(Item* sorted, std::size_t k, const Item& item) {
    for (; k > 0 && before(item, sorted[k - 1]); --k) sorted[k] = sorted[k - 1];
    sorted[k] = item;
  }

  std::vector<std::uint32_t> ends_;  // by place: where its next item goes
};

}  // namespace hearsay::sim
