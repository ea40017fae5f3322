#pragma once
// A value for each directed edge, by position. Of a complete graph with many edges only those are kept that have been used.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/large_vector.hpp"
#include "sim/prefetch.hpp"
#include "sim/state/plain.hpp"
#include "sim/topology/graph.hpp"

namespace hearsay::sim {

template <class T>
class ByEdge {
 public:
  ByEdge() = default;  ///< of no edge
  explicit ByEdge(const Topology& topology, T value = {}) : value_(value) {
    few_ = topology.has_few_edges();
    if (few_) all_.assign(2 * topology.edges(), value);
  }
  /// Valid until the next one.
  T& operator[](EdgePosition position) { return few_ ? all_[position] : kept(position); }
  T operator[](EdgePosition position) const {
    if (few_) return all_[position];
    if (some_.empty()) return value_;
    const Kept& found = some_[place_of(position)];
    return found.position == position ? found.value : value_;
  }
  /// Of `count` edges from a position on; may use `room`, which has as many places.
  const T* from(EdgePosition position, std::size_t count, T* room) const {
    if (few_) return &all_[position];
    for (std::size_t k = 0; k < count; ++k) room[k] = (*this)[position + k];
    return room;
  }
  /// Over all edges.
  double sum() const {
    double total = std::accumulate(all_.begin(), all_.end(), 0.0);
    for (const Kept& one : some_)
      if (one.position != kNone) total += static_cast<double>(one.value);
    return total;
  }
  HEARSAY_PREFETCH void prefetch(EdgePosition position) const {
    if (few_) __builtin_prefetch(&all_[position], 1);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    if (few_) return plain(archive, all_);
    std::vector<Kept> all;
    if constexpr (Archive::is_saving::value) {
      for (const Kept& one : some_)
        if (one.position != kNone) all.push_back(one);
      std::ranges::sort(all, {}, &Kept::position);
    }
    plain(archive, all);
    if constexpr (Archive::is_loading::value) {
      some_.clear();
      count_ = 0;
      for (const Kept& one : all) kept(one.position) = one.value;
    }
  }

 private:
  static constexpr EdgePosition kNone = ~EdgePosition{0};
  struct Kept {
    EdgePosition position = kNone;
    T value{};
  };

  // Where a position is, or would be: open addressing, a power of two of places that are at most half full.
  std::size_t place_of(EdgePosition position) const {
    const std::size_t last = some_.size() - 1;
    std::size_t place = (position * 0x9E37'79B9'7F4A'7C15) >> std::countl_zero(last);
    while (some_[place].position != position && some_[place].position != kNone) place = (place + 1) & last;
    return place;
  }
  T& kept(EdgePosition position) {
    if (2 * (count_ + 1) > some_.size()) grow();
    Kept& found = some_[place_of(position)];
    if (found.position == kNone) {
      found = {position, value_};
      ++count_;
    }
    return found.value;
  }
  void grow() {
    LargeVector<Kept> before(std::max<std::size_t>(64, 2 * some_.size()));
    before.swap(some_);
    for (const Kept& one : before)
      if (one.position != kNone) some_[place_of(one.position)] = one;
  }

  bool few_ = true;
  T value_{};
  LargeVector<T> all_;
  LargeVector<Kept> some_;
  std::size_t count_ = 0;  // of them
};

}  // namespace hearsay::sim
