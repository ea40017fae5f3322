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
#include <boost/circular_buffer.hpp>

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/engine/payload_pool.hpp"
#include "sim/events/event.hpp"
#include "sim/network/links.hpp"
#include "sim/parallel/cache_line.hpp"
#include "sim/prefetch.hpp"
#include "sim/topology/topology.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

class LazyPublications {
 public:
  /// `longest`: upper bound of the latency, s. `pool` holds the publications, with their times in its headers.
  LazyPublications(const Topology& topology, PayloadPool& pool, const Links& links, Time longest);

  /// Row `slot` is agent `from`'s next publication. `first_key`: order key of the copy to its first neighbour; the
  /// others have the next ones. Frees the rows of those of all agents that can no longer be read. O(1) amortised.
  void publish(AgentId from, std::uint32_t slot, std::uint64_t first_key, Moment now);
  /// Row of the newest publication that has reached the reader from a neighbour at a moment, now or later, before which
  /// the neighbour publishes nothing more; or kNoSlot. O(1) unless publications are in flight. Meanwhile others may
  /// publish, if there are rows for that (reserve).
  std::uint32_t row(AgentId reader, AgentId neighbour, Moment at) const {
    const std::uint32_t slot = newest_[neighbour];
    return slot == kNoSlot || everywhere(slot, at) ? slot : search(slot, reader, neighbour, at);
  }
  /// Rows for so many publications.
  void reserve(std::size_t count) {
    pool_.reserve(count);
    if (made_.size() < pool_.capacity()) made_.resize(pool_.capacity());
  }
  HEARSAY_PREFETCH void prefetch_own(AgentId i) const { __builtin_prefetch(&newest_[i], 1); }
  /// See Publications::prefetch.
  HEARSAY_PREFETCH void prefetch(AgentId i, int stage) const {
    topology_.neighbours(i).for_each([&](AgentId neighbour) {
      if (stage == 0) {
        __builtin_prefetch(&newest_[neighbour]);
      } else {
        pool_.prefetch<false>(newest_[neighbour], stage == 2);
      }
    });
  }
  template <class Archive>
  void serialize(Archive& archive) {
    plain(archive, newest_);
    plain(archive, made_);
    std::uint64_t size = flying_.size();
    archive(size);
    if constexpr (Archive::is_loading::value) {
      flying_.set_capacity(size);
      flying_.resize(size);
    }
    raw(archive, flying_.linearize(), size);
  }
  /// Copies that have not arrived. O(publications in flight, their degrees).
  std::uint64_t in_flight(Moment now) const;

 private:
  // Of a row of the pool.
  struct Made {
    std::uint64_t first_key = 0, event = 0;  // event: key of the one that made it
  };

  struct Flying {
    Time sent;
    std::uint32_t slot;
  };

  // Row of the publication before the one in a row, or kNoSlot. It is stored in the header, which every reading fetches,
  // as the number of an exchange, to which no publication belongs.
  std::uint32_t& before(std::uint32_t slot) { return pool_.header(slot).conversation; }
  std::uint32_t before(std::uint32_t slot) const { return pool_.header(slot).conversation; }
  // What was published before what has reached every reader is never read again.
  void forget(Time now);

  bool everywhere(std::uint32_t slot, Moment at) const {
    return at.time > pool_.header(slot).sent + longest_;
  }
  std::uint32_t search(std::uint32_t slot, AgentId reader, AgentId neighbour, Moment at) const;
  // Whether row `slot`, sent on the edge at a position, has arrived.
  bool arrived(std::uint32_t slot, AgentId from, EdgePosition position, Moment now) const;

  const Topology& topology_;
  PayloadPool& pool_;
  const Links& links_;
  Time longest_;
  LargeVector<std::uint32_t> newest_;  // row of the last publication, by agent
  LargeVector<Made> made_;             // by row
  // In order, all that may not have reached every reader, and some that have.
  alignas(kCacheLine) boost::circular_buffer<Flying> flying_;
};

}  // namespace hearsay::sim
