#pragma once
// How long a message takes from the sender's end of a link to the receiver's.
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/files/names.hpp"
#include "sim/laws/distribution.hpp"
#include "sim/laws/per_agent.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::sim {

/// How often a random latency is drawn.
enum class Drawn { kPerMessage, kPerLink, kPerAgent };
constexpr auto choices_of(Drawn) {
  return std::to_array<Choice>(
      {{"per_message", "for each message"},
       {"per_link", "once for each direction of each link"},
       {"per_agent",
        "once for each agent; a message has the value of its sender, or on a link to a hub, in both "
        "directions, the value of the agent that is not the hub"}});
}

/// distance/speed, for agents with positions.
struct DistanceLatency {
  static constexpr std::string_view kName = "distance";
  static constexpr std::string_view kHelp =
      "Length of the link divided by speed, plus a random term; requires a topology with coordinates or "
      "lengths.";
  static constexpr std::string_view kExample =
      R"({"type": "distance", "speed": "200000 km/s", "plus": "1 ms"})";
  double speed = 2e8;       ///< m/s; light in glass fibre
  Distribution plus = 0.0;  ///< s
  void describe(Visitor& v);
};

/// Assignment of agents to rows of a matrix.
enum class NodeChoice { kFirst, kRandom, kNamed };
constexpr auto choices_of(NodeChoice) {
  return std::to_array<Choice>(
      {{"first", "agent i is row i, from 0"},
       {"random", "distinct rows, drawn for each repetition"},
       {"named",
        "the row whose number is that of the column headed by the agent's name in the graph's file"}});
}

/// Measured delays between nodes.
struct MatrixLatency {
  static constexpr std::string_view kName = "matrix";
  static constexpr std::string_view kHelp =
      "Measured delays from a file with one row per node, round-trip times halved, plus a random term.";
  static constexpr std::string_view kExample =
      R"({"type": "matrix", "path": "planetlab/rtt_ms_490.txt", "unit": "1 ms", "nodes": "random"})";
  InputFile path;
  double unit = 1e-3;  ///< s
  bool round_trip = true;
  NodeChoice nodes = NodeChoice::kFirst;
  Distribution plus = 0.0;  ///< s
  void describe(Visitor& v);
};

/// Latency attributes of the graph's edges.
struct EdgeLatency {
  static constexpr std::string_view kName = "edge_attribute";
  static constexpr std::string_view kHelp = "Latency of each link from the graph file, plus a random term.";
  static constexpr std::string_view kExample = R"({"type": "edge_attribute"})";
  Distribution plus = 0.0;  ///< s
  void describe(Visitor& v);
};

/// Other latencies on all links of some agents.
struct LatencyByAgent : ByAgent {
  static constexpr std::string_view kHelp =
      "A number or distribution for all links, and another for all links of each of the given agents, in "
      "both directions. Between two of these agents, that of the sender.";
  static constexpr std::string_view kExample = R"({"default": "20 ms", "agents": {"3": "200 ms"}})";
};

/// A latency as an option: a distribution, one by agent, or a known value of each link plus a drawn part.
class LatencyOptions {
 public:
  using Law = DistributionOr<Mixture, LatencyByAgent, DistanceLatency, MatrixLatency, EdgeLatency>;

  LatencyOptions(double seconds = 0) : law(Constant{seconds}) {}  // NOLINT(google-explicit-constructor)
  template <std::convertible_to<Law> L>
  LatencyOptions(const L& l, Drawn d = Drawn::kPerMessage) : law(l), drawn(d) {}  // NOLINT
  LatencyOptions(const Distribution& d);                                          // NOLINT

  Law law;
  Drawn drawn = Drawn::kPerMessage;

  bool constant() const { return std::holds_alternative<Constant>(law); }
  /// Whether links have a known latency: distance, matrix, edge_attribute.
  bool known() const;
  /// Whether it is drawn once for all messages of a run.
  bool drawn_once() const;
  /// The law that is drawn: the whole latency, by agent its default, or the term added to the known one.
  Distribution random_part() const;
  /// Smallest value that is drawn.
  double lower() const;
  /// Largest value, if the latency of each message is drawn from a bounded law.
  std::optional<Time> bound_per_message() const;
  void describe_as(Visitor& v, const About& about);
};

/// A square matrix of measured delays between nodes.
struct SquareMatrix {
  std::string name;  ///< of the file, for messages
  Names header;      ///< names of the columns, in the order of rows; empty without a header
  std::size_t nodes = 0;
  std::vector<double> values;  ///< row by row
  double smallest = 0;         ///< between two different nodes

  double at(std::size_t row, std::size_t column) const { return values[row * nodes + column]; }

  /// Every number times `scale`. Throws FileError unless the table is square and no number negative.
  static std::shared_ptr<const SquareMatrix> read(const InputFile& file, double scale);
};

class Latency {
 public:
  /// `hub`: the agent that is one, or kNoAgent. `matrix`: of a MatrixLatency. An agent's row is drawn from (kPerAgent,
  /// agent), index kNodeOption, uniform among those not taken by agents before it. Throws std::invalid_argument if the
  /// graph or matrix does not fit the law.
  Latency(const LatencyOptions& options, const Topology& topology, AgentId hub, const Streams& streams,
          const std::shared_ptr<const SquareMatrix>& matrix);

  /// Latency of the n-th message on the edge at `position`, drawn from (kLatency, from, to), index n; per_link from
  /// index 0, per_agent from (kPerAgent, agent), index kLatencyOption. O(1), no allocation.
  Time of(AgentId from, AgentId to, EdgePosition position, std::uint32_t n) const {
    if (constant_) return delay_;
    return known(from, to, position) + draw(stream(from, to, n), from, to);
  }
  /// The same of n[k] on the edge to to[k] at `position` + k, drawn together; at most kTogether.
  void of(AgentId from, std::span<const AgentId> to, EdgePosition position, const std::uint32_t* n,
          Time* out) const;
  static constexpr std::uint32_t kTogether = 16;
  /// of(...) less its expectation.
  Time deviation(AgentId from, AgentId to, std::uint32_t n) const {
    return constant_ ? 0 : draw(stream(from, to, n), from, to) - law(from, to).mean();
  }
  Drawn drawn() const { return drawn_; }
  /// No message on the edge at `position` takes less, whatever is drawn.
  Time smallest(AgentId from, AgentId to, EdgePosition position) const {
    return (random_nodes_ ? matrix_->smallest : known(from, to, position)) + law(from, to).lower();
  }
  /// The latencies of messages are drawn from these streams; those of links and agents stay.
  void draw_from(const Streams& streams) {
    if (drawn_ == Drawn::kPerMessage) key_ = streams.key(Purpose::kLatency);
  }

 private:
  Time known(AgentId from, AgentId to, EdgePosition position) const {
    return !node_.empty() ? matrix_->at(node_[from], node_[to]) : !base_.empty() ? base_[position] : 0;
  }
  const Distribution& law(AgentId from, AgentId to) const {
    if (own_.empty()) return law_;
    return own_[from] ? *own_[from] : own_[to] ? *own_[to] : law_;
  }
  // Of the stream that the n-th message's latency is drawn from: its key, and the counter of its first block.
  const Stream::Key& key() const { return drawn_ == Drawn::kPerAgent ? agent_key_ : key_; }
  Stream::Block counter(AgentId from, AgentId to, std::uint32_t n) const {
    if (drawn_ == Drawn::kPerAgent) {
      const bool of_receiver = from == hub_ || (to != hub_ && !own_.empty() && !own_[from] && own_[to]);
      return Stream::counter(of_receiver ? to : from, 0, kLatencyOption);
    }
    return Stream::counter(from, to, drawn_ == Drawn::kPerLink ? 0 : n);
  }
  Stream stream(AgentId from, AgentId to, std::uint32_t n) const { return {key(), counter(from, to, n)}; }
  Time draw(Stream s, AgentId from, AgentId to) const { return law(from, to).sample(s); }
  void take_distances(const Topology& topology, double speed);
  void take_nodes(const MatrixLatency& law, const Topology& topology, const Streams& streams);

  Distribution law_;                              // what is drawn
  std::vector<std::optional<Distribution>> own_;  // by agent, of LatencyByAgent
  Time delay_ = 0;                                // where all is constant
  bool constant_;
  Drawn drawn_;
  AgentId hub_;
  Stream::Key key_, agent_key_;
  std::shared_ptr<const SquareMatrix> matrix_;
  // Known part of the latency: an entry of a matrix or a value of the edge.
  std::vector<std::uint32_t> node_;  // row of the matrix, by agent
  bool random_nodes_ = false;
  std::vector<Time> base_;  // by position
};

}  // namespace hearsay::sim
