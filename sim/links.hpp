#pragma once
// What happens to a message between being sent and arriving. The n-th message on the directed edge (from, to)
// draws its latency from (kLatency, from, to), index n, and its loss from (kLoss, from, to), index n.
#include <array>
#include <optional>
#include <variant>
#include <vector>

#include "sim/describe.hpp"
#include "sim/distribution.hpp"
#include "sim/stream.hpp"
#include "sim/topology.hpp"

namespace hearsay::sim {

/// Every message is lost with the same probability, whatever became of the others.
struct BernoulliLoss {
  static constexpr std::string_view kName = "bernoulli";
  static constexpr std::string_view kHelp =
      "Each message is lost with the same probability; a bare number means this.";
  static constexpr Shorthand kShorthand{"probability", Shorthand::kNumber};
  double probability = 0;
  void describe(Visitor& v);
};
using LossOptions = std::variant<BernoulliLoss>;

/// Which way a message has to travel to be late: in a star, towards the hub (agent 0) or away from it.
enum class LateLegs { kBoth, kToHub, kFromHub };
template <>
struct Choices<LateLegs> {
  static constexpr std::array kValues{Choice{"both", "every message takes its latency"},
                                      Choice{"to_hub", "only messages to agent 0 take time, answers take none"},
                                      Choice{"from_hub", "only messages from agent 0 take time"}};
};

struct LinkOptions {
  Distribution latency = 0.0;  ///< s, drawn anew for every message
  LateLegs late_legs = LateLegs::kBoth;
  LossOptions loss;
  void describe(Visitor& v);
};

class Links {
 public:
  Links(const LinkOptions& options, const Topology& topology, const Streams& streams);

  /// Latency of the next message on the edge at `position`, or nothing if it is lost. O(1); no allocation.
  std::optional<Time> transmit(AgentId from, AgentId to, std::uint32_t position) {
    const std::uint32_t n = sent_[position]++;
    if (loss_ > 0 && lost(from, to, n)) return std::nullopt;
    if (legs_ != LateLegs::kBoth && (legs_ == LateLegs::kToHub ? to : from) != 0) return 0.0;
    if (constant_) return delay_;
    return draw(from, to, n);
  }
  double mean_latency() const { return latency_.mean(); }

 private:
  bool lost(AgentId from, AgentId to, std::uint32_t n) const;
  Time draw(AgentId from, AgentId to, std::uint32_t n) const;

  Distribution latency_;
  Time delay_;  // where the latency is constant
  bool constant_;
  double loss_;
  LateLegs legs_;
  Stream::Key latency_key_, loss_key_;
  std::vector<std::uint32_t> sent_;  // messages sent so far, by position of the directed edge
};

}  // namespace hearsay::sim
