#pragma once
// The stage between what a protocol sends and the network, in a run with hostile agents: it replaces the vectors that they send.
// No protocol knows of it.
//
// A payload consists of vectors of p numbers, all of which are replaced, and of what is left over (a weight, of push_sum), which
// stays as it is. Messages of one kind have the same tag and length. What an agent knows are the newest vectors of the same
// kind, one of each honest agent:
//
//   else         that it has received itself when it sends; of publications those of its neighbours that have arrived
//   omniscient   that honest agents have begun to compute, or sent, by the time when its message arrives (a publication: when
//                it is made), of the same round, if the protocol has rounds and there are any. So it is as if hostile agents had
//                waited for the others. A vector is known before it leaves, and if a crash keeps it from leaving, too
//
// Without any the vector of its own takes their place: m = x, s = 0. In protocols whose owners send updates without hearing
// those of others this is all that an agent knows which is not omniscient.
// A vector that is sealed for a trusted server is replaced before it is scaled down, as the server does that, by what an
// omniscient agent knows then.
#include <Eigen/Core>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/aggregation/gathered.hpp"
#include "models/aggregation/mixing_weights.hpp"
#include "models/hostile/hostile_agents.hpp"
#include "sim/engine/engine.hpp"

namespace hearsay::models {

/// What the messages of a protocol are.
struct MessageForm {
  std::uint32_t tail = 0;        ///< numbers after the vectors of a message, such as a weight
  bool any_length = false;       ///< vectors may have other lengths than p: all before the tail is replaced
  std::uint16_t kinds = 0xFFFF;  ///< the bits of a tag that tell kinds of messages apart
  bool rounds = false;           ///< messages of one round have the same number, and no others
  bool models = false;           ///< agents send their models to neighbours
};

class Misconduct {
 public:
  static constexpr std::uint16_t kPublication = 0xFFFF;  ///< tag of publications

  /// `mixing`: W of the protocol, for `dissensus`. `streams`: of the run.
  Misconduct(const HostileAgents& agents, Eigen::Index p, const MessageForm& form, MixingWeights mixing,
             const sim::Streams& streams);

  struct Message {
    sim::AgentId from, to;  ///< to: a publication's own agent
    std::uint16_t tag;
    std::uint32_t conversation;
  };
  struct Sent {
    std::span<const double> numbers;  ///< valid until the next call
    sim::Time withheld = 0;           ///< s; kNever: it never leaves
  };
  /// What it can look at.
  struct Reach {
    sim::Engine& engine;
    const Eigen::MatrixXd& models;
    /// Where vectors stand for others and are followed: one for what is made of several by a step that is not linear. There
    /// noise and constants, which whoever sends them knows, are 0.
    std::function<Eigen::VectorXd(const Gathered&)> followed;
  };
  const HostileAgents& agents() const { return agents_; }
  /// What a hostile agent sends in place of a message or a publication. `sealed`: it can not be replaced later. Draws from
  /// (kHostile, agent + 1).
  Sent send(const Message& message, std::span<const double> x, const Reach& reach, bool sealed = false);
  /// An agent has made a vector, of which it sends this or something else.
  void note_made(const Message& message, std::span<const double> x, sim::Time now);
  /// A message is about to arrive: a hostile agent gets to know it, or it is replaced by what an omniscient sender knows now, unless it
  /// is sealed. Returns whether it is finite.
  bool arrive(const sim::Message& message, const Reach& reach, bool sealed);

  auto state() { return std::tie(known_, made_, stuck_at_, sendings_, sent_by_); }
  /// What is drawn from now on.
  void draw_from(const sim::Streams& streams) { streams_ = streams; }

 private:
  /// The newest vector of each agent.
  struct Newest {
    Eigen::VectorXd x;
    std::uint32_t conversation = 0;
    auto state() { return std::tie(x, conversation); }
  };
  struct Kind {
    sim::AgentId knower;
    std::uint32_t tag, length;
    auto operator<=>(const Kind&) const = default;
    auto state() { return std::tie(knower, tag, length); }
  };
  /// The first vector that a hostile agent has made of a kind, and the last ones. `at`, `conversation`: of the last one, which
  /// may be sent to several receivers.
  struct Made {
    sim::Time at = -1;
    std::uint32_t conversation = 0;
    std::vector<Eigen::VectorXd> all{};
    auto state() { return std::tie(at, conversation, all); }
  };
  /// The last sending of an agent and kind: a message to several receivers is one. `number`: among all of the agent.
  struct Sending {
    sim::Time at = -1;
    std::uint32_t conversation = 0, number = 0;
    auto state() { return std::tie(at, conversation, number); }
  };
  using In = Eigen::Ref<const Eigen::VectorXd>;
  using Out = Eigen::Ref<Eigen::VectorXd>;

  void learn(sim::AgentId knower, const Message& message, const In& x);
  // Sets gathered_ to the honest vectors that the sender of a message knows, or to x.
  void gather(const HostileGroup& group, const Message& message, const In& x, sim::Engine& engine);
  void replace(const HostileGroup& group, const Message& message, Out x, const Reach& reach);
  void dissent(const Dissensus& how, sim::AgentId i, Out x, const Eigen::MatrixXd& models) const;
  // Publications are whole vectors.
  Eigen::Index vectors_in(std::uint16_t tag, std::size_t numbers) const {
    const auto size = static_cast<Eigen::Index>(numbers);
    const Eigen::Index all = std::max<Eigen::Index>(tag == kPublication ? size : size - form_.tail, 0);
    return form_.any_length ? all : all / p_ * p_;
  }
  // What is made of models has p numbers.
  bool too_short(const HostileGroup& group, Eigen::Index count) const {
    return count < p_ && group.reads_models();
  }
  Kind kind_of(sim::AgentId agent, const Message& message, Eigen::Index length) const {
    const bool published = message.tag == kPublication;
    return {agent, published ? message.tag : std::uint32_t{message.tag} & form_.kinds,
            static_cast<std::uint32_t>(length)};
  }

  static constexpr sim::AgentId kAllKnowing = sim::kNoAgent;
  static constexpr std::uint32_t kAnyTag = 0x10000;  // of the last vector that an agent has received

  const HostileAgents& agents_;
  std::uint32_t largest_degree_;
  Eigen::Index p_;
  MessageForm form_;
  MixingWeights mixing_;
  sim::Streams streams_;
  bool omniscient_ = false;
  std::uint32_t kept_ = 1;                                // vectors of its own that an agent keeps
  std::map<Kind, std::map<sim::AgentId, Newest>> known_;  // of omniscient ones: of kAllKnowing
  std::map<Kind, Made> made_;                 // of those that repeat it, since the start of the run
  std::map<Kind, Eigen::VectorXd> stuck_at_;  // by what agents are stuck at
  std::map<Kind, Sending> sendings_;
  std::map<sim::AgentId, std::uint32_t> sent_by_;
  Gathered gathered_;
  Eigen::VectorXd sent_;
};

}  // namespace hearsay::models
