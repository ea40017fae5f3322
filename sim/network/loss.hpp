#pragma once
// Loss of messages on links, decided when they are sent.
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "sim/files/names.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/state/plain.hpp"
#include "sim/topology/by_edge.hpp"
#include "sim/topology/topology.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::sim {

/// Every message is lost with the same probability, independently of the others.
struct BernoulliLoss {
  static constexpr std::string_view kName = "bernoulli";
  static constexpr std::string_view kHelp =
      "Each message is lost independently with the same probability. Short form: the probability.";
  static constexpr std::string_view kExample = "0.01";
  static constexpr Shorthand kShorthand{"probability", Shorthand::kNumber};
  double probability = 0;
  void describe(Visitor& v);
};

/// Gilbert and Elliott's channel, one for each direction of a link: before each message the state changes from good
/// to bad with probability p, from bad to good with q, and the message is lost with the probability of the state. It
/// starts in the stationary law, bad with probability p/(p + q); the mean length of a burst is 1/q messages.
struct GilbertElliott {
  static constexpr std::string_view kName = "gilbert_elliott";
  static constexpr std::string_view kHelp =
      "Loss in bursts: a link is in a good or a bad state, which can change before each message; with p = "
      "p_good_to_bad and q = p_bad_to_good, mean loss (q loss_good + p loss_bad)/(p + q), mean burst 1/q "
      "messages.";
  static constexpr std::string_view kExample =
      R"({"type": "gilbert_elliott", "p_good_to_bad": 0.01, "p_bad_to_good": 0.1, "loss_bad": 0.9})";
  double p_good_to_bad = 0.01, p_bad_to_good = 0.1;
  double loss_good = 0, loss_bad = 1;
  void describe(Visitor& v);
  /// Probability of the bad state in the stationary law; with p = q = 0 the state is always good.
  double stationary_bad() const;
};

/// Some agents are cut off from the others for a time.
struct PartitionLoss {
  static constexpr std::string_view kName = "partition";
  static constexpr std::string_view kHelp =
      "Loss of every message between a set of agents and the others during an interval; no other loss.";
  static constexpr std::string_view kExample =
      R"({"type": "partition", "share": 0.5, "from": "1 min", "to": "2 min"})";
  std::vector<AgentId> agents = {};
  double share = 0;
  Time from = 0;                ///< s
  std::optional<Time> to = {};  ///< s
  void describe(Visitor& v);
  bool holds(Time at) const { return at >= from && at < to.value_or(kNever); }
};

/// A probability for each edge, from a file.
struct EdgeLoss {
  static constexpr std::string_view kName = "edge_attribute";
  static constexpr std::string_view kHelp =
      "Each message is lost with a probability that depends on its link, from a file.";
  static constexpr std::string_view kExample = R"({"type": "edge_attribute", "path": "loss.csv"})";
  InputFile path;
  bool both_ways = true;
  double otherwise = 0;
  void describe(Visitor& v);
};

using OneLossOptions = std::variant<BernoulliLoss, GilbertElliott, PartitionLoss, EdgeLoss>;

/// Lost if any of several laws loses it.
struct AnyLoss {
  static constexpr std::string_view kName = "any";
  static constexpr std::string_view kHelp =
      "Combination of several laws: a message is lost if any of them loses it; the first one is the recorded "
      "reason. The delivery probability is the product of their delivery probabilities.";
  static constexpr std::string_view kExample =
      R"([0.01, {"type": "partition", "agents": [1, 2], "from": "10 s", "to": "20 s"}])";
  static constexpr Shorthand kShorthand{"of", Shorthand::kList};
  std::vector<OneLossOptions> of;
  void describe(Visitor& v);
};

using LossOptions = std::variant<BernoulliLoss, GilbertElliott, PartitionLoss, EdgeLoss, AnyLoss>;

/// Its laws, in order.
inline std::vector<OneLossOptions> losses(const LossOptions& options) {
  return parts_of<OneLossOptions>(options);
}

/// Rows (from, to, probability) of a file.
struct EdgeList {
  struct Row {
    AgentId from, to;
    double value;
    std::string where;
  };
  std::vector<Row> rows;
  /// Throws FileError.
  static std::shared_ptr<const EdgeList> read(const InputFile& file, const Names& names = {});
};

/// The error of a partition that separates no agents.
inline constexpr std::string_view kAllCutOff =
    "expected some of the agents, found all: agents that are cut off together still reach each other";

class Loss {
 public:
  /// `lists`: contents of the files of the laws, null for laws without one. An agent is in a partition of share p with
  /// probability p, drawn from (kPerAgent, agent, number of the law), index kCutOffOption; a hub never is. Throws
  /// std::invalid_argument for unknown agents, and for a partition of all.
  Loss(const LossOptions& options, const Topology& topology, AgentId hub, const Streams& streams,
       const std::vector<std::shared_ptr<const EdgeList>>& lists);

  /// Why the n-th message on the edge at `position` is lost, if it is. The laws draw from (kLoss, from, to), index n,
  /// one after the other: bernoulli and edge_attribute one word, gilbert_elliott two, partition none. Call it once
  /// for each n, in order, from any first one. O(laws), no allocation.
  std::optional<LossReason> of(AgentId from, AgentId to, EdgePosition position, std::uint32_t n, Time now) {
    switch (kind_) {
      case Kind::kNone:
        return std::nullopt;
      case Kind::kBernoulli:
        return bernoulli(from, to, n) ? std::optional(LossReason::kLoss) : std::nullopt;
      case Kind::kGeneral:
        break;
    }
    return general(from, to, position, n, now);
  }

  /// What is drawn from now on is drawn from these streams.
  void draw_from(const Streams& streams) { key_ = streams.key(Purpose::kLoss); }
  /// Whether nothing is ever lost.
  bool none() const { return kind_ == Kind::kNone; }
  /// Whether every message on the edge at `position` before `end` is lost, whatever is drawn.
  bool certain(AgentId from, AgentId to, EdgePosition position, Time end) const;

  template <class Archive>
  void serialize(Archive& archive) {
    for (Law& law : laws_)
      if (std::holds_alternative<GilbertElliott>(law.options)) archive(law.state);
  }

 private:
  enum class Kind : std::uint8_t { kNone, kBernoulli, kGeneral };
  enum class State : std::uint8_t { kNone, kGood, kBad };  // kNone: before the first message
  struct Law {
    OneLossOptions options;
    ByEdge<State> state;                // of gilbert_elliott
    std::vector<std::uint8_t> cut_off;  // of partition, by agent
    ByEdge<double> probability;         // of edge_attribute
  };

  bool bernoulli(AgentId from, AgentId to, std::uint32_t n) const;
  std::optional<LossReason> general(AgentId from, AgentId to, EdgePosition position, std::uint32_t n,
                                    Time now);

  Kind kind_ = Kind::kGeneral;
  double probability_ = 0;
  Stream::Key key_;
  std::vector<Law> laws_;
};

}  // namespace hearsay::sim
