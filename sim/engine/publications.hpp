#pragma once
// Publications, and what of them has reached each reader. They travel as events, or without where that gives the same
// run (lazy_publications.hpp).
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/check.hpp"
#include "sim/engine/lazy_publications.hpp"
#include "sim/engine/message.hpp"
#include "sim/prefetch.hpp"

namespace hearsay::sim {

class Publications {
 public:
  /// `newest`: a publication that arrives after a newer one is dropped. `longest`: upper bound of the latency, s, if
  /// publications travel without events. Topology, pool and links must outlive it.
  Publications(const Topology& topology, PayloadPool& pool, const Links& links, bool newest,
               std::optional<Time> longest)
      : topology_(topology), pool_(pool), newest_(newest) {
    if (longest) lazy_.emplace(topology, pool, links, *longest);
  }

  /// The publications that travel without events, or empty.
  std::optional<LazyPublications>& lazy() { return lazy_; }
  bool is_lazy() const { return lazy_.has_value(); }
  /// Number of the next publication of an agent, from 1. Throws LimitError.
  std::uint32_t next_version(AgentId from) {
    if (published_.empty()) [[unlikely]]
      prepare();
    return published_[from] = next_number(published_[from], "publications of an agent");
  }
  /// Number of the last publication of an agent; 0: none.
  std::uint32_t version(AgentId from) const { return published_.empty() ? 0 : published_[from]; }
  /// The publication of its k-th neighbour that the reader uses. O(1). Without events: at a moment as in
  /// LazyPublications::row.
  Latest latest(AgentId reader, std::uint32_t k, Moment at) const {
    return of(lazy_ ? lazy_->row(reader, topology_.neighbour(reader, k), at) : received(reader, k));
  }
  /// f(k, neighbour, latest) for all its neighbours, in order.
  template <class F>
  void read(AgentId reader, Moment at, F&& f) const {
    std::uint32_t k = 0;
    if (lazy_) {
      topology_.neighbours(reader).for_each(
          [&](AgentId neighbour) { f(k++, neighbour, of(lazy_->row(reader, neighbour, at))); });
    } else {
      topology_.neighbours(reader).for_each([&](AgentId neighbour) {
        f(k, neighbour, of(received(reader, k)));
        ++k;
      });
    }
  }
  /// Rows for so many publications without events.
  void reserve(std::size_t count) {
    if (published_.empty()) prepare();
    lazy_->reserve(count);
  }

  /// Fetches what is read and counted when an agent reads all its neighbours and publishes: `stage` 0, 1, 2 some time
  /// before, one after the other.
  HEARSAY_PREFETCH void prefetch(AgentId i, int stage) const {
    if (published_.empty()) return;
    const EdgePosition first = topology_.first_edge(i);
    const std::uint32_t degree = topology_.degree(i);
    if (stage == 0) prefetch_own(i);
    if (lazy_) return lazy_->prefetch(i, stage);
    if (stage == 0) {
      __builtin_prefetch(&latest_[first]);
      __builtin_prefetch(&reverse_[first]);
    } else {
      for (std::uint32_t k = 0; k < degree; ++k) pool_.prefetch<true>(latest_[first + k], stage == 2);
    }
  }

  /// Fetches what is counted when an agent publishes.
  HEARSAY_PREFETCH void prefetch_own(AgentId i) const {
    __builtin_prefetch(&published_[i], 1);
    if (lazy_) lazy_->prefetch_own(i);
  }

  // The following are for publications that are events.

  /// Fetches what arrive() reads.
  HEARSAY_PREFETCH void prefetch_arrival(std::uint32_t edge, std::uint32_t slot) const {
    __builtin_prefetch(&latest_[edge], 1);
    pool_.prefetch<true>(slot, false);
  }
  /// Later: the header of the row that it replaces.
  HEARSAY_PREFETCH void prefetch_replaced(std::uint32_t edge) const {
    pool_.prefetch<true>(latest_[edge], false);
  }

  /// Position of (b, a), given that of (a, b).
  std::uint32_t reverse(EdgePosition position) const { return reverse_[position]; }
  /// Row `slot` arrives over the edge whose position at the reader is given; its reference passes to the reader.
  void arrive(std::uint32_t edge, std::uint32_t slot) {
    std::uint32_t& latest = latest_[edge];
    if (newest_ && latest != kNoSlot && pool_.header(latest).version > pool_.header(slot).version)
      return pool_.drop(slot);
    pool_.drop(latest);
    latest = slot;
  }
  /// A reader loses all that it has received.
  void forget(AgentId reader) {
    if (latest_.empty()) return;
    for (std::uint32_t k = 0; k < topology_.degree(reader); ++k)
      pool_.drop(std::exchange(latest_[topology_.first_edge(reader) + k], kNoSlot));
  }

  template <class Archive>
  void serialize(Archive& archive) {
    bool begun = !published_.empty();
    archive(begun);
    if (!begun) return;
    if constexpr (Archive::is_loading::value) prepare();
    plain(archive, published_);
    if (lazy_) {
      archive(*lazy_);
    } else {
      plain(archive, latest_);
    }
  }

 private:
  Latest of(std::uint32_t slot) const {
    if (slot == kNoSlot) return {};
    const PayloadPool::Header& header = pool_.header(slot);
    return {header.version, header.sent, std::as_const(pool_).row(slot).first(header.numbers)};
  }
  // With events: row of the publication of its k-th neighbour that the reader uses, or kNoSlot.
  std::uint32_t received(AgentId reader, std::uint32_t k) const {
    return latest_.empty() ? kNoSlot : latest_[topology_.first_edge(reader) + k];
  }
  // Allocates at the first publication. O(edges log degree). Throws TopologyError.
  void prepare() {
    published_.assign(topology_.agents(), 0);
    if (lazy_) return;
    require_edges_fit(topology_.edges());
    latest_.assign(2 * topology_.edges(), kNoSlot);
    reverse_.resize(2 * topology_.edges());
    for (AgentId i = 0; i < topology_.agents(); ++i) {
      for (std::uint32_t k = 0; k < topology_.degree(i); ++k)
        reverse_[topology_.first_edge(i) + k] =
            static_cast<std::uint32_t>(topology_.edge(topology_.neighbours(i)[k], i));
    }
  }

  const Topology& topology_;
  PayloadPool& pool_;
  bool newest_;
  std::optional<LazyPublications> lazy_;
  LargeVector<std::uint32_t> published_;         // so far, by agent; empty until the first
  LargeVector<std::uint32_t> latest_, reverse_;  // last row received and reverse edge, by position; likewise
};

}  // namespace hearsay::sim
