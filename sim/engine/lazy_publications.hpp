#pragma once
// Publications without events: nothing is queued when an agent publishes; which of a neighbour's publications has
// reached a reader is determined when it reads. If latencies are short compared with the time between publications,
// nearly all have arrived long before, and reading costs no draw. The run is the same, bit for bit, as with events.
//
// A publication made at s on the edge (from, to) arrives at s + latency, drawn from (kLatency, from, to), index =
// number of the publication - 1. An event reads the newest one whose (arrival, key) precedes the (time, key) of the
// event, and that was not made by the same event.
//
// Requires that every message of the run is a publication, latencies are bounded and drawn per message, nothing is
// lost, agents are always up and free, bandwidth is unlimited, links may reorder, clocks never end, and events are
// neither traced nor limited.
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/payload_pool.hpp"
#include "sim/events/event.hpp"
#include "sim/network/links.hpp"
#include "sim/prefetch.hpp"
#include "sim/topology/topology.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

class LazyPublications {
 public:
  /// `longest`: upper bound of the latency, s. `pool` holds the publications, with their times in its headers.
  LazyPublications(const Topology& topology, PayloadPool& pool, const Links& links, Time longest);

  /// Row `slot` is agent `from`'s next publication. `first_key`: order key of the copy to its first neighbour; the
  /// others have the next ones. Frees the rows of older ones that can no longer be read. O(1) amortised.
  void publish(AgentId from, std::uint32_t slot, std::uint64_t first_key, Moment now);
  /// Row of the newest publication that has reached the reader from its k-th neighbour, or kNoSlot. O(1) unless
  /// publications are in flight. Frees the rows of those that can no longer be read.
  std::uint32_t row(AgentId reader, std::uint32_t k, Moment now) {
    const std::uint32_t slot = newest_[topology_.neighbours(reader)[k]];
    if (slot == kNoSlot) return slot;
    if (!everywhere(slot, now)) return search(slot, reader, k, now);
    if (before(slot) != kNoSlot) forget_before(slot);
    return slot;
  }
  /// See Publications::prefetch.
  HEARSAY_PREFETCH void prefetch(AgentId i, int stage) const {
    if (stage == 0) __builtin_prefetch(&newest_[i], 1);
    for (const AgentId neighbour : topology_.neighbours(i)) {
      if (stage == 0) {
        __builtin_prefetch(&newest_[neighbour]);
      } else {
        pool_.prefetch(newest_[neighbour], stage == 2);
      }
    }
  }
  template <class Archive>
  void serialize(Archive& archive) {
    plain(archive, newest_);
    plain(archive, made_);
  }
  /// Copies that have not arrived. O(publications in flight, their degrees).
  std::uint64_t in_flight(Moment now) const;

 private:
  // Of a row of the pool.
  struct Made {
    std::uint64_t first_key = 0, event = 0;  // event: key of the one that made it
  };

  // Row of the publication before the one in a row, or kNoSlot. It is stored in the header, which every reading fetches,
  // as the number of an exchange, to which no publication belongs.
  std::uint32_t& before(std::uint32_t slot) { return pool_.header(slot).conversation; }
  std::uint32_t before(std::uint32_t slot) const { return pool_.header(slot).conversation; }
  // Those before a publication that has reached every reader are never read again.
  void forget_before(std::uint32_t slot) {
    for (std::uint32_t old = std::exchange(before(slot), kNoSlot); old != kNoSlot;) {
      const std::uint32_t older = before(old);
      pool_.drop(old);
      old = older;
    }
  }

  bool everywhere(std::uint32_t slot, Moment now) const {
    return now.time > pool_.header(slot).sent + longest_;
  }
  std::uint32_t search(std::uint32_t slot, AgentId reader, std::uint32_t k, Moment now) const;
  // Whether row `slot`, sent on the edge at a position, has arrived.
  bool arrived(std::uint32_t slot, AgentId from, EdgePosition position, Moment now) const;

  const Topology& topology_;
  PayloadPool& pool_;
  const Links& links_;
  Time longest_;
  LargeVector<std::uint32_t> newest_;  // row of the last publication, by agent
  LargeVector<Made> made_;             // by row
};

}  // namespace hearsay::sim
