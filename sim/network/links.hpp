#pragma once
// Loss and latency of messages. All draws for the n-th message on the directed edge (from, to) are from (purpose, from,
// to), index n.
#include <span>
#include <vector>

#include "sim/network/bandwidth.hpp"
#include "sim/network/latency.hpp"
#include "sim/network/loss.hpp"
#include "sim/options/describe.hpp"
#include "sim/prefetch.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/by_edge.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

struct LawChanges;
struct NetworkFiles;

/// Which of a neighbour's publications a reader reads.
enum class PublicationOrder { kNewest, kArrival, kFifo };
constexpr auto choices_of(PublicationOrder) {
  return std::to_array<Choice>(
      {{"newest", "the last published of those that have arrived"},
       {"arrival", "the last to arrive, even if it was published before one that arrived earlier"},
       {"fifo", "FIFO links: a publication never arrives before an earlier one"}});
}

enum class MessageOrder { kArrival, kFifo };
constexpr auto choices_of(MessageOrder) {
  return std::to_array<Choice>({{"arrival", "in the order of their arrival times"},
                                {"fifo", "FIFO links: a message is never delivered before an earlier one"}});
}

/// Direction in which messages are delayed, relative to a hub.
enum class DelayedDirection { kBoth, kToHub, kFromHub };
constexpr auto choices_of(DelayedDirection) {
  return std::to_array<Choice>(
      {{"both", "all messages have their latency"},
       {"to_hub", "only messages to the hub are delayed; messages from the hub take no time"},
       {"from_hub", "only messages from the hub are delayed; messages to the hub take no time"}});
}

struct LinkOptions {
  LatencyOptions latency = 0.0;  ///< s
  DelayedDirection delayed_direction = DelayedDirection::kBoth;
  LossOptions loss = BernoulliLoss{};
  BandwidthOptions bandwidth = UnlimitedBandwidth{};
  std::uint64_t header = 64;           ///< B, of every message
  std::uint64_t bytes_per_number = 8;  ///< B
  PublicationOrder order = PublicationOrder::kNewest;
  MessageOrder send_order = MessageOrder::kArrival;
  void describe(Visitor& v);
};

/// Result of sending a message: the time it takes, or why it is lost.
struct Fate {
  std::optional<LossReason> lost;
  Time latency = 0;
};

class Links {
 public:
  /// `hub`: the agent that is one, or kNoAgent. Throws std::invalid_argument if options do not fit the graph.
  Links(const LinkOptions& options, const Topology& topology, const Streams& streams, AgentId hub,
        const NetworkFiles& files);

  /// Messages sent from now on have other laws; their numbers go on. `files` of the new laws, which fit the graph.
  void change(const LawChanges& changes, const Topology& topology, const Streams& streams,
              const NetworkFiles& files);

  /// What is drawn for messages sent from now on is drawn from these streams.
  void draw_from(const Streams& streams) {
    latency_.draw_from(streams);
    loss_.draw_from(streams);
  }

  /// Fate of the next message on the edge at `position`, sent now. `drawn`: its latency, if next_latencies() has drawn
  /// it. O(1); no allocation.
  Fate transmit(AgentId from, AgentId to, EdgePosition position, Time now = 0, const Time* drawn = nullptr) {
    const std::uint32_t n = sent_[position]++;
    if (const auto reason = loss_.of(from, to, position, n, now)) return {reason, 0};
    if (!delayed(from, to)) return {};
    return {std::nullopt, drawn != nullptr ? *drawn : latency_.of(from, to, position, n)};
  }
  /// Latencies of the next messages on the edges from `position` on, to these agents, at most Latency::kTogether. Draws
  /// them together, which takes less time.
  void next_latencies(AgentId from, std::span<const AgentId> to, EdgePosition position, Time* out) const {
    std::uint32_t room[Latency::kTogether];
    latency_.of(from, to, position, sent_.from(position, to.size(), room), out);
  }
  /// Latency of the n-th message on the edge at `position`, lost or not.
  Time latency(AgentId from, AgentId to, EdgePosition position, std::uint32_t n) const {
    return delayed(from, to) ? latency_.of(from, to, position, n) : 0;
  }
  /// That of a message between two agents less its expectation.
  Time latency_deviation(AgentId from, AgentId to, std::uint32_t n) const {
    return delayed(from, to) ? latency_.deviation(from, to, n) : 0;
  }
  Drawn latency_drawn() const { return latency_.drawn(); }
  /// No message on the edge at `position` takes less.
  Time smallest_latency(AgentId from, AgentId to, EdgePosition position) const {
    return delayed(from, to) ? latency_.smallest(from, to, position) : 0;
  }
  /// Messages sent so far on the edge at `position`; on all edges.
  std::uint32_t sent(EdgePosition position) const { return sent_[position]; }
  double sent() const { return sent_.sum(); }
  const Loss& loss() const { return loss_; }
  auto state() { return std::tie(loss_, sent_); }
  HEARSAY_PREFETCH void prefetch(EdgePosition position) const { sent_.prefetch(position); }

 private:
  bool delayed(AgentId from, AgentId to) const {
    return delayed_direction_ == DelayedDirection::kBoth ||
           (delayed_direction_ == DelayedDirection::kToHub ? to : from) == hub_;
  }

  Latency latency_;
  DelayedDirection delayed_direction_;
  AgentId hub_;
  Loss loss_;
  ByEdge<std::uint32_t> sent_;
};

}  // namespace hearsay::sim
