#pragma once
// D-PSGD: gossip in synchronous rounds. Lian, Zhang, Zhang, Hsieh, Zhang, Liu, "Can Decentralized Algorithms Outperform
// Centralized Algorithms?" (2017), Algorithm 1. In its round every agent i sends x_i to its neighbours, and
//
//   x_i <- Pi[sum_j W_ij x_j + u_i],   u_i = -step * gradient at the x_i before mixing
//
// with K local steps u_i = x_K - x_0 (local_training.hpp), computed while the messages travel. Rounds: gossip_rounds.hpp.
// Pi projects onto the box, if there is one, in place of the last local step's projection.
// Without a box mixing conserves the mean of the models, and on its own contracts sum norm_2(x - mean)^2 by at least lambda^2
// per round, lambda the second largest |eigenvalue| of W. With a constant step and quadratic losses the fixed point X solves
// (I - W) X = -step * (gradients at X), which is not the minimiser. With K = 1 rounds are stable if step h < 1 + the smallest
// eigenvalue of W, h the largest curvature.
#include "models/protocols/gossip/gossip_rounds.hpp"

namespace hearsay::models {

class DpsgdGossip : public GossipRounds<DpsgdGossip> {
 public:
  using Params = GossipRoundOptions;
  using GossipRounds::GossipRounds;

  static constexpr Entry kEntry = gossip_entry(
      "dpsgd_gossip",
      "D-PSGD: in synchronous rounds agents mix their neighbours' models and add their local updates.",
      {.rounds = true, .models = true});

  void begin(sim::AgentId i, std::uint32_t round, Context& context) {
    send_model(i, round, context);
    if (const auto* update = local_update(i, context, {.open_end = true})) sum(i, round) += *update;
  }
  void end(sim::AgentId i, std::uint32_t round, Context& context) {
    if (!aggregate(i, round, context)) context.model(i) = mixed(i, round, context);
    context.project(context.model(i));
  }
  auto state() { return GossipRounds::state(); }
};

}  // namespace hearsay::models
