#pragma once
// What agents have published and what of it has reached their neighbours. Publications travel as events
// (queued_publications.hpp), or without where that gives the same run (lazy_publications.hpp).
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/engine/lazy_publications.hpp"
#include "sim/engine/queued_publications.hpp"

namespace hearsay::sim {

class Publications {
 public:
  /// `newest`: see QueuedPublications. `longest`: no latency is above it, s, and publications travel without events;
  /// without a value they are events. Topology, pool and links must outlive it.
  Publications(const Topology& topology, PayloadPool& pool, const Links& links, bool newest,
               std::optional<Time> longest)
      : topology_(topology), queued_(topology, pool, newest) {
    if (longest) lazy_.emplace(topology, pool, links, *longest);
  }

  bool lazy() const { return lazy_.has_value(); }
  /// Number of the next publication of an agent, from 1.
  std::uint32_t next_version(AgentId from) {
    if (published_.empty()) [[unlikely]]
      prepare();
    return ++published_[from];
  }
  /// Row of the publication of its k-th neighbour that the reader goes by, or kNoSlot. O(1).
  std::uint32_t row(AgentId reader, std::uint32_t k, Moment now) const {
    return lazy_ ? lazy_->row(reader, k, now) : queued_.row(reader, k);
  }
  /// A reader loses all that it has received.
  void forget(AgentId reader) { queued_.forget(reader); }

  // Where they are events: position of (b, a), given that of (a, b), and the arrival of one.
  std::uint32_t reverse(std::uint32_t position) const { return queued_.reverse(position); }
  void arrive(std::uint32_t edge, std::uint32_t slot) { queued_.arrive(edge, slot); }
  // Where they are not: see LazyPublications.
  void publish(AgentId from, std::uint32_t slot, std::uint64_t first_key, Moment now) {
    lazy_->publish(from, slot, first_key, now);
  }
  std::uint64_t in_flight(Moment now) const { return lazy_->in_flight(now); }

 private:
  void prepare() {
    published_.assign(topology_.agents(), 0);
    if (!lazy_) queued_.prepare();
  }

  const Topology& topology_;
  QueuedPublications queued_;
  std::optional<LazyPublications> lazy_;
  std::vector<std::uint32_t> published_;  // so far, by agent; empty until the first
};

}  // namespace hearsay::sim
