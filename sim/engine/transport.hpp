#pragma once
// Transport of messages: bandwidth, loss, latency and order on each link, and counters.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/check.hpp"
#include "sim/events/event.hpp"
#include "sim/network/links.hpp"
#include "sim/network/timeline.hpp"
#include "sim/prefetch.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

class Transport {
 public:
  /// `vector_length`: numbers of one vector. A message counts the whole vectors in it, at least one if it carries a
  /// number: with p > 1 a number in addition to a vector counts in bytes alone. `stand_in`: numbers that stand for one
  /// vector, 0 for its own. `hub`: the agent that is one, or kNoAgent. Throws std::invalid_argument if options do not fit
  /// the graph.
  Transport(const LinkOptions& options, std::size_t vector_length, const Topology& topology,
            const Streams& streams, AgentId hub, const NetworkFiles& files, std::size_t stand_in = 0)
      : links_(options, topology, streams, hub, files),
        bandwidth_(options.bandwidth, topology.agents(), streams),
        vector_length_(vector_length),
        stand_in_(stand_in),
        header_(options.header),
        bytes_per_number_(options.bytes_per_number),
        fifo_messages_(options.send_order == MessageOrder::kFifo),
        fifo_publications_(options.order == PublicationOrder::kFifo),
        sent_(topology.agents()) {
    if (fifo_messages_ || fifo_publications_) last_arrival_ = ByEdge<Time>(topology);
  }

  /// Messages sent from now on have other laws. `files` of the new laws, which fit the graph.
  void change(const LawChanges& changes, const Topology& topology, const Streams& streams,
              const NetworkFiles& files) {
    links_.change(changes, topology, streams, files);
    if (changes.bandwidth) bandwidth_.change_to(Bandwidth(*changes.bandwidth, topology.agents(), streams));
  }

  /// What is drawn for messages sent from now on is drawn from these streams.
  void draw_from(const Streams& streams) { links_.draw_from(streams); }

  const Traffic& traffic() const { return traffic_; }
  const Links& links() const { return links_; }
  bool unlimited_bandwidth() const { return bandwidth_.unlimited(); }
  /// Size of a message of so many numbers, B.
  std::uint64_t bytes(std::size_t numbers) const {
    return header_ + bytes_per_number_ * (stand_in_ == 0 ? numbers : stood_for(numbers));
  }

  /// Counts messages of `numbers` numbers, one to each receiver. Returns the order key of the first; the others have
  /// the next ones. Throws LimitError.
  std::uint64_t count(AgentId from, std::size_t numbers, std::uint32_t receivers = 1) {
    const std::uint32_t first = sent_[from];
    sent_[from] = next_number(first, "messages of an agent", receivers);
    traffic_.messages += receivers;
    if (numbers > 0) {
      const std::size_t length = stand_in_ == 0 ? vector_length_ : stand_in_;
      traffic_.vectors += std::max<std::uint64_t>(numbers / length, 1) * receivers;
    }
    traffic_.bytes += bytes(numbers) * receivers;
    return order_key(Rank::kMessage, from, first);
  }

  /// Sends a message of `numbers` numbers over the edge at `position`. Sets the time of its arrival at its receiver,
  /// or at the receiver's downlink if bandwidth is limited. Returns why the link loses it, if it does; a lost message
  /// uses the sender's uplink too. `drawn`: see Links::transmit. O(1), no allocation.
  std::optional<LossReason> send(Event& event, EdgePosition position, std::size_t numbers, Time now,
                                 const Time* drawn = nullptr) {
    Time left = now;
    if (!bandwidth_.unlimited()) {
      left = bandwidth_.send(event.source(), static_cast<double>(bytes(numbers)), now);
      event.flags |= Event::kAtDownlink;
    }
    const Fate fate = links_.transmit(event.source(), event.target, position, now, drawn);
    if (fate.lost) return fate.lost;
    event.time = left + fate.latency;
    if (event.kind == EventKind::kMessage ? fifo_messages_ : fifo_publications_) {
      // Equal times keep the order of sending: the key counts the sender's messages.
      Time& last = last_arrival_[position];
      event.time = last = std::max(event.time, last);
    }
    return std::nullopt;
  }
  /// Time at which a message that reaches its receiver's downlink now has been received.
  Time receive(AgentId to, std::size_t numbers, Time now) {
    return bandwidth_.receive(to, static_cast<double>(bytes(numbers)), now);
  }

  /// Fetches what is counted when an agent sends over its edges.
  HEARSAY_PREFETCH void prefetch(AgentId from, EdgePosition first_edge) const {
    __builtin_prefetch(&sent_[from], 1);
    links_.prefetch(first_edge);
  }

  /// Laws that have changed are set again before.
  template <class Archive>
  void serialize(Archive& archive) {
    plain(archive, traffic_);
    plain(archive, sent_);
    archive(last_arrival_, links_, bandwidth_);
  }

  void deliver(std::uint64_t messages = 1) { traffic_.delivered += messages; }
  /// Corrects the count of delivered messages.
  void take_back(std::uint64_t messages = 1) { traffic_.delivered -= messages; }
  void lose(LossReason reason) { ++traffic_.lost[static_cast<int>(reason)]; }

 private:
  std::uint64_t stood_for(std::size_t numbers) const {
    return numbers / stand_in_ * vector_length_ + numbers % stand_in_;
  }

  Links links_;
  Bandwidth bandwidth_;
  Traffic traffic_;
  std::size_t vector_length_, stand_in_;
  std::uint64_t header_, bytes_per_number_;
  bool fifo_messages_, fifo_publications_;
  LargeVector<std::uint32_t> sent_;  // messages so far, by agent
  ByEdge<Time> last_arrival_;        // where links may not reorder
};

}  // namespace hearsay::sim
