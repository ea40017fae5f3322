#pragma once
// What each reader has last heard of each of its neighbours: the row of a payload pool, by position of the
// edge from reader to neighbour.
#include <cstdint>
#include <vector>

#include "sim/engine/payload_pool.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

class Heard {
 public:
  bool empty() const { return publications_.empty(); }
  /// Makes room for the first publication. O(edges log degree).
  void prepare(const Topology& topology) {
    publications_.assign(topology.agents(), 0);
    latest_.assign(2 * topology.edges(), kNoSlot);
    reverse_.resize(2 * topology.edges());
    for (AgentId i = 0; i < topology.agents(); ++i) {
      for (std::uint32_t k = 0; k < topology.degree(i); ++k)
        reverse_[topology.first_edge(i) + k] = topology.edge(topology.neighbours(i)[k], i);
    }
  }
  /// Number of the next publication of an agent, from 1.
  std::uint32_t next_version(AgentId from) { return ++publications_[from]; }
  /// Position of (b, a), given that of (a, b).
  std::uint32_t reverse(std::uint32_t position) const { return reverse_[position]; }
  /// Row that was last heard, or kNoSlot.
  std::uint32_t row(std::uint32_t position) const { return empty() ? kNoSlot : latest_[position]; }

  /// A publication arrives; its reference passes to the reader. `newest`: an older one than what is there is
  /// of no use.
  void take(std::uint32_t position, std::uint32_t slot, bool newest, PayloadPool& pool) {
    std::uint32_t& heard = latest_[position];
    if (newest && heard != kNoSlot && pool.header(heard).version > pool.header(slot).version) {
      pool.drop(slot);
      return;
    }
    pool.drop(heard);
    heard = slot;
  }
  /// A reader forgets all that it has heard.
  void forget(AgentId reader, const Topology& topology, PayloadPool& pool) {
    if (empty()) return;
    for (std::uint32_t k = 0; k < topology.degree(reader); ++k) {
      std::uint32_t& heard = latest_[topology.first_edge(reader) + k];
      pool.drop(heard);
      heard = kNoSlot;
    }
  }

 private:
  std::vector<std::uint32_t> publications_;      // so far, by agent; empty until the first
  std::vector<std::uint32_t> latest_, reverse_;  // by position
};

}  // namespace hearsay::sim
