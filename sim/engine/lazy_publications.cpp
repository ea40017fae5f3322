#include "sim/engine/lazy_publications.hpp"

#include <algorithm>

namespace hearsay::sim {

LazyPublications::LazyPublications(const Topology& topology, PayloadPool& pool, const Links& links,
                                   Time longest)
    : topology_(topology),
      pool_(pool),
      links_(links),
      longest_(longest),
      newest_(topology.agents(), kNoSlot) {}

void LazyPublications::publish(AgentId from, std::uint32_t slot, std::uint64_t first_key, Moment now) {
  if (made_.size() < pool_.capacity()) made_.resize(pool_.capacity());
  made_[slot] = {first_key, now.key};
  before(slot) = std::exchange(newest_[from], slot);
  if (flying_.full()) flying_.set_capacity(std::max<std::size_t>(64, 2 * flying_.size()));
  flying_.push_back({now.time, slot});
  forget(now.time);
}

// Its row is still in use: what replaces it has not reached every reader.
void LazyPublications::forget(Time now) {
  for (; now > flying_.front().sent + longest_; flying_.pop_front()) {
    constexpr std::size_t kRow = 4, kBefore = 2;  // publications ahead
    if (flying_.size() > kRow) {
      pool_.prefetch<true>(flying_[kRow].slot, false);
      pool_.prefetch<true>(before(flying_[kBefore].slot), false);
    }
    pool_.drop(std::exchange(before(flying_.front().slot), kNoSlot));
  }
  pool_.prefetch_free();
}

bool LazyPublications::arrived(std::uint32_t slot, AgentId from, EdgePosition position, Moment now) const {
  if (everywhere(slot, now)) return true;
  const PayloadPool::Header& header = pool_.header(slot);
  const Made& made = made_[slot];
  if (header.sent == now.time && made.event == now.key) return false;
  const auto k = static_cast<std::uint32_t>(position - topology_.first_edge(from));
  const Time arrival =
      header.sent + links_.latency(from, topology_.neighbour(from, k), position, header.version - 1);
  return arrival < now.time || (arrival == now.time && made.first_key + k < now.key);
}

std::uint32_t LazyPublications::search(std::uint32_t slot, AgentId reader, AgentId neighbour,
                                       Moment at) const {
  const EdgePosition position = topology_.edge(neighbour, reader);
  while (slot != kNoSlot && !arrived(slot, neighbour, position, at)) slot = before(slot);
  return slot;
}

std::uint64_t LazyPublications::in_flight(Moment now) const {
  std::uint64_t count = 0;
  for (AgentId from = 0; from < topology_.agents(); ++from) {
    for (std::uint32_t slot = newest_[from]; slot != kNoSlot; slot = before(slot)) {
      if (everywhere(slot, now)) break;  // and so are those before it
      for (std::uint32_t k = 0; k < topology_.degree(from); ++k)
        count += arrived(slot, from, topology_.first_edge(from) + k, now) ? 0 : 1;
    }
  }
  return count;
}

}  // namespace hearsay::sim
