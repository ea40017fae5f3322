#pragma once
// D-PSGD: gossip in synchronous rounds. Lian, Zhang, Zhang, Hsieh, Zhang, Liu, "Can Decentralized Algorithms Outperform
// Centralized Algorithms?" (2017), Algorithm 1. In its round every agent i sends x_i to its neighbours, and
//
//   x_i <- sum_j W_ij x_j + u_i,   u_i = -step * gradient at the x_i before mixing
//
// with K local steps u_i = x_K - x_0 (local_training.hpp). W is symmetric and doubly stochastic, W_ij = 0 for agents that
// are not neighbours, d_i the degree of agent i (edge weights of the graph have no effect):
//
//   metropolis   W_ij = 1/(1 + max(d_i, d_j))
//   uniform      W_ij = 1/(1 + max_k d_k)          W_ii = 1 - sum_{j != i} W_ij for both
//
// Hence mixing conserves the mean of the models, and on its own contracts sum norm_2(x - mean)^2 by at least lambda^2 per
// round, lambda the second largest |eigenvalue| of W. With a constant step and quadratic losses the fixed point X solves
// (I - W) X = -step * (gradients at X), which is not the minimiser.
//
// Over the network: messages are numbered by round. An agent sends x_i when its round begins, computes u_i while the
// messages travel, and mixes once every neighbour has been heard in this round or a later one; then its next round begins.
// Clocks have no effect. Without losses the neighbours of an agent are at most one round ahead: what they send is kept.
//   missing      After `round_timeout`, and of a neighbour heard only in a later round, W_ij goes to the agent itself:
//                its W stays stochastic by rows, but no longer by columns, so that the mean moves.
//   late         A message of an earlier round is discarded.
//   left behind  An agent that hears of a round later than the next one mixes what it has and begins that round.
//   crash        The agent has its starting model and begins again with round 1, until it hears of later ones.
// Nobody waits longer than a timeout and everybody joins the latest round it hears of, so that there is no deadlock.
//
// Iteration: an agent completes a round; n iterations are a round of all. Nothing that is mixed is stale; its age counts.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/core/columns.hpp"
#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/core/requests.hpp"
#include "models/protocols/reference/gossip/gossip_agents.hpp"

namespace hearsay::models {

enum class MixingWeights { kMetropolis, kUniform };

class DpsgdGossip : GossipAgents {
 public:
  struct Params : LocalTraining::Params {
    MixingWeights mixing = MixingWeights::kMetropolis;
    std::optional<sim::Time> round_timeout;

    void describe(sim::Visitor& v);
    sim::Memory memory(const Extent& e) const;
  };

  static constexpr Entry kEntry{
      .name = "dpsgd_gossip",
      .help =
          "D-PSGD: in synchronous rounds agents mix their neighbours' models and add their local updates.",
      .any_model = true,
      .step = "the step size (protocol.step)"};

  /// Throws std::invalid_argument if rounds take no time and the number of iterations is unlimited.
  DpsgdGossip(const Params& params, const Study& study);

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context&) {}
  void on_message(const sim::Message& message, Context& context);
  void on_timer(sim::AgentId i, std::uint16_t tag, std::uint32_t round, Context& context);
  std::string_view timer_name(sim::AgentId i, std::uint16_t tag, std::uint32_t round) const {
    return tag == kTimeout ? timeout_name(rounds_[i].number == round) : tag == kMix ? "mix" : "first round";
  }
  void reset(sim::AgentId i, Context& context);

 private:
  enum Tag : std::uint16_t { kModel, kBegin, kMix, kTimeout };
  struct Round {
    std::uint32_t number = 0, heard = 0;  // heard: neighbours that need not be waited for
    std::array<double, 2> weight{};       // sum of W_ij in the two sums below
  };

  double weight(sim::AgentId i, sim::AgentId j, const Context& context) const;
  // Of the models received for a round, W_ij x_j; rounds other than the present and the next one are not kept.
  auto sum(sim::AgentId i, std::uint32_t round) { return sums_[2 * std::size_t{i} + round % 2]; }
  void begin_round(sim::AgentId i, std::uint32_t number, Context& context);
  void mix(sim::AgentId i, Context& context);
  void forget(sim::AgentId i);

  MixingWeights mixing_;
  sim::Time timeout_;
  std::uint32_t largest_degree_ = 0;
  const sim::Topology& graph_;
  std::vector<Round> rounds_;         // by agent
  std::vector<std::uint32_t> heard_;  // by directed edge i -> j: latest round that i has heard of j
  Columns sums_;                      // two for each agent
};

ProtocolRow dpsgd_gossip_row();

}  // namespace hearsay::models

namespace hearsay::sim {
template <>
struct Choices<models::MixingWeights> {
  static constexpr std::array kValues{Choice{"metropolis", "1/(1 + the larger degree of the two neighbours)"},
                                      Choice{"uniform", "1/(1 + the largest degree of the graph)"}};
};
}  // namespace hearsay::sim
