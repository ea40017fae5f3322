#include "sim/engine/lazy_publications.hpp"

namespace hearsay::sim {

LazyPublications::LazyPublications(const Topology& topology, Time longest)
    : topology_(topology),
      longest_(longest),
      newest_(topology.agents(), kNoSlot),
      published_(topology.agents()) {}

void LazyPublications::publish(AgentId from, std::uint32_t slot, std::uint64_t first_key, std::uint64_t event,
                               PayloadPool& pool) {
  if (made_.size() < pool.capacity()) made_.resize(pool.capacity());
  made_[slot] = {first_key, event, newest_[from]};
  newest_[from] = slot;
  ++published_[from];
  // What was published before one that everybody has by now will never be looked at again.
  const Time now = pool.header(slot).sent;
  std::uint32_t last = made_[slot].before;
  while (last != kNoSlot && !(now > pool.header(last).sent + longest_)) last = made_[last].before;
  if (last == kNoSlot) return;
  for (std::uint32_t old = std::exchange(made_[last].before, kNoSlot); old != kNoSlot;) {
    const std::uint32_t before = made_[old].before;
    pool.drop(old);
    old = before;
  }
}

bool LazyPublications::there(std::uint32_t slot, AgentId from, std::uint32_t position, Time now,
                             std::uint64_t event, const PayloadPool& pool, const Links& links) const {
  const PayloadPool::Header& header = pool.header(slot);
  const Made& made = made_[slot];
  if (now > header.sent + longest_) return true;
  if (header.sent == now && made.event == event) return false;
  const std::uint32_t k = position - topology_.first_edge(from);
  const Time arrival =
      header.sent + links.latency(from, topology_.neighbours(from)[k], position, header.version - 1);
  return arrival < now || (arrival == now && made.first_key + k < event);
}

std::uint32_t LazyPublications::search(std::uint32_t slot, AgentId reader, std::uint32_t k, Time now,
                                       std::uint64_t event, const PayloadPool& pool,
                                       const Links& links) const {
  const AgentId from = topology_.neighbours(reader)[k];
  const std::uint32_t position = topology_.edge(from, reader);
  while (slot != kNoSlot && !there(slot, from, position, now, event, pool, links)) slot = made_[slot].before;
  return slot;
}

std::uint64_t LazyPublications::under_way(Time now, std::uint64_t event, const PayloadPool& pool,
                                          const Links& links) const {
  std::uint64_t count = 0;
  for (AgentId from = 0; from < topology_.agents(); ++from) {
    for (std::uint32_t slot = newest_[from]; slot != kNoSlot; slot = made_[slot].before) {
      if (now > pool.header(slot).sent + longest_) break;  // and so have those before it
      for (std::uint32_t k = 0; k < topology_.degree(from); ++k)
        count += there(slot, from, topology_.first_edge(from) + k, now, event, pool, links) ? 0 : 1;
    }
  }
  return count;
}

}  // namespace hearsay::sim
