#pragma once
// Publications that travel as events: what each reader has received last from each of its neighbours.
#include <cstdint>
#include <vector>

#include "sim/engine/payload_pool.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

class QueuedPublications {
 public:
  /// `newest`: a publication that arrives after a newer one is of no use.
  QueuedPublications(const Topology& topology, PayloadPool& pool, bool newest)
      : topology_(topology), pool_(pool), newest_(newest) {}

  /// Makes room for the first publication. O(edges log degree).
  void prepare() {
    latest_.assign(2 * topology_.edges(), kNoSlot);
    reverse_.resize(2 * topology_.edges());
    for (AgentId i = 0; i < topology_.agents(); ++i) {
      for (std::uint32_t k = 0; k < topology_.degree(i); ++k)
        reverse_[topology_.first_edge(i) + k] = topology_.edge(topology_.neighbours(i)[k], i);
    }
  }
  /// Position of (b, a), given that of (a, b).
  std::uint32_t reverse(std::uint32_t position) const { return reverse_[position]; }
  /// Row that has arrived last from the reader's k-th neighbour, or kNoSlot.
  std::uint32_t row(AgentId reader, std::uint32_t k) const {
    return latest_.empty() ? kNoSlot : latest_[topology_.first_edge(reader) + k];
  }

  /// Row `slot` arrives over the edge whose position at the reader is given; its reference passes to the reader.
  void arrive(std::uint32_t edge, std::uint32_t slot) {
    std::uint32_t& latest = latest_[edge];
    if (newest_ && latest != kNoSlot && pool_.header(latest).version > pool_.header(slot).version) {
      pool_.drop(slot);
      return;
    }
    pool_.drop(latest);
    latest = slot;
  }
  /// A reader loses all that it has received.
  void forget(AgentId reader) {
    if (latest_.empty()) return;
    for (std::uint32_t k = 0; k < topology_.degree(reader); ++k) {
      std::uint32_t& latest = latest_[topology_.first_edge(reader) + k];
      pool_.drop(latest);
      latest = kNoSlot;
    }
  }

 private:
  const Topology& topology_;
  PayloadPool& pool_;
  bool newest_;
  std::vector<std::uint32_t> latest_, reverse_;  // by position; empty until the first publication
};

}  // namespace hearsay::sim
