#pragma once
// Muffliato: every agent makes one noisy step, then all average by gossip, and so on. Cyffers, Even, Bellet, Massoulie,
// "Muffliato: Peer-to-Peer Privacy Amplification for Decentralized Optimization and Averaging" (2022): averaging, and
// Muffliato-GD, which repeats it. With T = `gossip_steps`, a phase is
//
//   x_i <- x_i + u_i,   u_i = -step * (gradient at x_i + noise)                    K local steps: local_training.hpp
//   x_i <- sum_j W_ij x_j,                                            T times; or, if `accelerated`,
//   x_{t+1} = gamma W x_t + (1 - gamma) x_{t-1},  x_1 = W x_0,        t = 0, ..., T - 1, x_0 the models after the step
//   gamma = 2 (1 - sqrt(l (1 - l/4)))/(1 - l/2)^2                     l: second smallest eigenvalue of I - W
//
// (x_1 = W x_0 as in the authors' simulation of averaging, not the recursion with x_{-1} = x_0.) A round of gossip_rounds.hpp
// is one gossip step: round (k - 1) T + 1 begins phase k, and an agent sends the first model of a phase when its step has been
// computed. Private averaging is one phase: `privacy.steps` 1 and as many gossip steps as the run has.
// Hence gossip conserves the mean of the models. A component of x along an eigenvector of W, of eigenvalue a, is multiplied
// by a^T in a plain phase, and in an accelerated one by P_T(a): with rho = 1 - l/2, r = rho/(1 + sqrt(1 - rho^2)), for
// |a| <= rho, a = rho cos(w):
//
//   P_t(a) = r^t (cos(t w) + (rho/r - 1) cos(w) sin(t w)/sin(w)),   at most r^t (1 + t sqrt(1 - rho^2)) in absolute value
//
// so that T of the order of l^(-1/2) does what takes l^(-1) plain steps; an a in (-1, -rho), as on graphs that are nearly
// bipartite, contracts more slowly, but does not diverge.
//
// An agent that has skipped the beginning of a phase makes no step in it. With acceleration a gossip step is plain after rounds
// that the agent has skipped, where what it had before is no x_{t-1} of the others, and where a message is missing: W is then
// no longer symmetric, and accelerated averages can diverge (on a ring of 100 agents at a loss rate of 0.1).
#include <cmath>

#include "models/protocols/gossip/gossip_rounds.hpp"

namespace hearsay::models {

class Muffliato : public GossipRounds<Muffliato> {
 public:
  struct Params : GossipRoundOptions {
    std::uint32_t gossip_steps = 10;
    bool accelerated = false;

    void describe(sim::Visitor& v) {
      v(gossip_steps, {.name = "gossip_steps", .help = "Gossip steps T after each local update.", .min = 1});
      v(accelerated, {.name = "accelerated",
                      .help = "Chebyshev acceleration: each gossip step also uses the models before the last "
                              "one, with a weight that follows from the graph."});
      GossipRoundOptions::describe(v);
      v.check(!accelerated || rule.plain(), "aggregate",
              "expected mean with accelerated, whose weights are those of a linear step");
      v.check(
          !accelerated || mixing != MixingWeights::kMean, "mixing",
          "expected metropolis, uniform or links with accelerated, which needs symmetric weights, found mean");
    }
  };

  static constexpr Entry kEntry =
      gossip_entry("muffliato", "Muffliato: agents add a noisy local update, then average by gossip steps.",
                   {.rounds = true, .models = true});

  Muffliato(const Params& params, const Study& study)
      : GossipRounds(params, study),
        gossip_steps_(params.gossip_steps),
        gamma_(params.accelerated ? acceleration(mixing_gap(params.mixing, study.topology)) : 1),
        before_(study.problem.p(), params.accelerated ? study.topology.agents() : 0) {}

  /// gamma of a graph with eigenvalue l.
  static double acceleration(double l) {
    return 2 * (1 - std::sqrt(l * (1 - l / 4))) / std::pow(1 - l / 2, 2);
  }

  void begin(sim::AgentId i, std::uint32_t round, Context& context) {
    if (begins_phase(round)) {
      if (const auto* update = local_update(i, context)) context.model(i) += *update;
    }
    send_model(i, round, context);
  }
  void end(sim::AgentId i, std::uint32_t round, Context& context) {
    if (before_.size() == 0) {
      if (!aggregate(i, round, context)) context.model(i) = mixed(i, round, context);
      return;
    }
    const bool plain = begins_phase(round) || completed(i) + 1 != round || !complete(i, round, context);
    const double gamma = plain ? 1 : gamma_;
    before_[i] = gamma * mixed(i, round, context) + (1 - gamma) * before_[i];
    before_[i].swap(context.model(i));
  }
  bool pauses(std::uint32_t round) const { return begins_phase(round + 1); }
  auto state() { return std::tuple_cat(GossipRounds::state(), std::tie(before_)); }

 private:
  bool begins_phase(std::uint32_t round) const { return (round - 1) % gossip_steps_ == 0; }

  std::uint32_t gossip_steps_;
  double gamma_;
  Columns before_;  // x_{t-1} by agent, if accelerated
};

}  // namespace hearsay::models
