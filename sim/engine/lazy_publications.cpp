#include "sim/engine/lazy_publications.hpp"

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
  std::uint32_t last = before(slot) = std::exchange(newest_[from], slot);
  while (last != kNoSlot && !everywhere(last, now)) last = before(last);
  if (last != kNoSlot) forget_before(last);
}

bool LazyPublications::arrived(std::uint32_t slot, AgentId from, EdgePosition position, Moment now) const {
  if (everywhere(slot, now)) return true;
  const PayloadPool::Header& header = pool_.header(slot);
  const Made& made = made_[slot];
  if (header.sent == now.time && made.event == now.key) return false;
  const auto k = static_cast<std::uint32_t>(position - topology_.first_edge(from));
  const Time arrival =
      header.sent + links_.latency(from, topology_.neighbours(from)[k], position, header.version - 1);
  return arrival < now.time || (arrival == now.time && made.first_key + k < now.key);
}

std::uint32_t LazyPublications::search(std::uint32_t slot, AgentId reader, std::uint32_t k,
                                       Moment now) const {
  const AgentId from = topology_.neighbours(reader)[k];
  const EdgePosition position = topology_.edge(from, reader);
  while (slot != kNoSlot && !arrived(slot, from, position, now)) slot = before(slot);
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
