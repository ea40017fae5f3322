#pragma once
// What happens to a message between being sent and arriving. Everything that is drawn for the n-th message on
// the directed edge (from, to) is drawn from (purpose, from, to), index n.
#include <vector>

#include "sim/availability/compute_time.hpp"
#include "sim/options/describe.hpp"
#include "sim/links/bandwidth.hpp"
#include "sim/links/latency.hpp"
#include "sim/links/loss.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

struct NetworkFiles;

/// Which publication of a neighbour a reader has: of those that have arrived.
enum class PublicationOrder { kNewest, kArrival, kFifo };
template <>
struct Choices<PublicationOrder> {
  static constexpr std::array kValues{
      Choice{"newest", "the one published last among those that have arrived"},
      Choice{"arrival", "the one that arrived last, be it older than one before it"},
      Choice{"fifo",
             "the same for both: a link never reorders, who would overtake arrives with the one ahead"}};
};
enum class MessageOrder { kArrival, kFifo };
template <>
struct Choices<MessageOrder> {
  static constexpr std::array kValues{
      Choice{"arrival", "as their latencies have it"},
      Choice{"fifo", "a link never reorders: who would overtake arrives with the one ahead"}};
};

/// Which way a message has to travel to be late, in a star: towards the hub or away from it.
enum class LateLegs { kBoth, kToHub, kFromHub };
template <>
struct Choices<LateLegs> {
  static constexpr std::array kValues{
      Choice{"both", "every message takes its latency"},
      Choice{"to_hub", "only messages to the hub take time, answers take none"},
      Choice{"from_hub", "only messages from the hub take time"}};
};

struct LinkOptions {
  LatencyOptions latency = 0.0;  ///< s
  LateLegs late_legs = LateLegs::kBoth;
  LossOptions loss = BernoulliLoss{};
  BandwidthOptions bandwidth = UnlimitedBandwidth{};
  std::uint64_t header = 64;           ///< B, of every message
  std::uint64_t bytes_per_number = 8;  ///< B
  PublicationOrder order = PublicationOrder::kNewest;
  MessageOrder send_order = MessageOrder::kArrival;
  void describe(Visitor& v);
};

/// What becomes of a message: the time it takes, or why it is lost.
struct Fate {
  std::optional<LossReason> lost;
  Time latency = 0;
};

class Links {
 public:
  /// `hub`: the agent that is one, or kNoAgent. Throws std::invalid_argument where options do not fit the
  /// graph.
  Links(const LinkOptions& options, const Topology& topology, const Streams& streams, AgentId hub,
        const NetworkFiles& files);

  /// Fate of the next message on the edge at `position`, sent now. O(1); no allocation.
  Fate transmit(AgentId from, AgentId to, std::uint32_t position, Time now = 0) {
    const std::uint32_t n = sent_[position]++;
    if (const auto reason = loss_.of(from, to, position, n, now)) return {reason, 0};
    return {std::nullopt, latency(from, to, position, n)};
  }
  /// Latency of the n-th message on the edge at `position`, were it not lost.
  Time latency(AgentId from, AgentId to, std::uint32_t position, std::uint32_t n) const {
    if (legs_ != LateLegs::kBoth && (legs_ == LateLegs::kToHub ? to : from) != hub_) return 0;
    return latency_.of(from, to, position, n);
  }
  /// Messages sent so far on the edge at a position.
  std::uint32_t sent(std::uint32_t position) const { return sent_[position]; }
  const Loss& loss() const { return loss_; }

 private:
  Latency latency_;
  LateLegs legs_;
  AgentId hub_;
  Loss loss_;
  std::vector<std::uint32_t> sent_;  // by position of the directed edge
};

}  // namespace hearsay::sim
