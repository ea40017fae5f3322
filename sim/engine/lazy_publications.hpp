#pragma once
// Publications without events: nothing is queued when an agent publishes; which of a neighbour's publications has
// reached a reader is worked out when it looks. Where a link's latency is short beside the time between
// publications, nearly all have arrived long before, and a look costs no draw. A run is the same, bit for bit, as
// one whose publications travel as events.
//
// A publication made at s on the edge (from, to) arrives at s + latency, drawn from (kLatency, from, to), index =
// number of the publication - 1; it is there for an event of (time, key) if its own (arrival, key) precedes that,
// and unless it was published in the same event. The newest of those counts.
//
// Possible where every message of the run is a publication, latencies are bounded and drawn per message, nothing
// is lost, agents are always up and free, links have no bandwidth and may reorder, clocks never end, and nobody
// traces or counts events.
#include <cstdint>
#include <vector>

#include "sim/events/event.hpp"
#include "sim/links/links.hpp"
#include "sim/engine/payload_pool.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

class LazyPublications {
 public:
  /// `longest`: no latency is above it, s.
  LazyPublications(const Topology& topology, Time longest);

  /// Number of the next publication of an agent, from 1.
  std::uint32_t next_version(AgentId from) const { return published_[from] + 1; }
  /// Row `slot` of the pool, whose header says when, is agent `from`'s next publication. `first_key`: order key of
  /// what its first neighbour is sent, the others' follow. `event`: key of the event it is made in. Gives back
  /// the rows of older ones that nobody can hear any more. O(1) amortised.
  void publish(AgentId from, std::uint32_t slot, std::uint64_t first_key, std::uint64_t event,
               PayloadPool& pool);
  /// Row of the newest publication of the reader's k-th neighbour that is there for an event (now, event), or
  /// kNoSlot. O(1) unless publications are under way.
  std::uint32_t row(AgentId reader, std::uint32_t k, Time now, std::uint64_t event, const PayloadPool& pool,
                    const Links& links) const {
    const std::uint32_t slot = newest_[topology_.neighbours(reader)[k]];
    if (slot == kNoSlot || now > pool.header(slot).sent + longest_) return slot;
    return search(slot, reader, k, now, event, pool, links);
  }
  /// Copies that have not arrived for an event (now, event). O(publications under way, their degrees).
  std::uint64_t under_way(Time now, std::uint64_t event, const PayloadPool& pool, const Links& links) const;

 private:
  // Of a row of the pool.
  struct Made {
    std::uint64_t first_key = 0, event = 0;
    std::uint32_t before = kNoSlot;  // row of the publication before it
  };

  std::uint32_t search(std::uint32_t slot, AgentId reader, std::uint32_t k, Time now, std::uint64_t event,
                       const PayloadPool& pool, const Links& links) const;
  // Whether row `slot`, sent on the edge at a position, is there.
  bool there(std::uint32_t slot, AgentId from, std::uint32_t position, Time now, std::uint64_t event,
             const PayloadPool& pool, const Links& links) const;

  const Topology& topology_;
  Time longest_;
  std::vector<std::uint32_t> newest_, published_;  // row of the last publication and their number, by agent
  std::vector<Made> made_;                         // by row
};

}  // namespace hearsay::sim
