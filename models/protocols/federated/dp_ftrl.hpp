#pragma once
// DP-FTRL: federated learning with user-level privacy by a trusted server that releases running sums, whose noise is that
// of a binary tree. No sampling of owners is needed, so that the guarantee holds whatever order they come in.
//
//   owner i takes part in the rounds t = b_i, b_i + R, b_i + 2 R, ...,  b_i = i mod R   (R rounds: an epoch)
//   u_i = y_i - x, scaled down to norm_2 at most S                                      trusted_rounds.hpp
//   P_t = sum of all u_i since the last restart + tree noise of prefix t                mechanisms/tree_noise.hpp
//   v  <- momentum v + P_t/w,   w = N/R
//   x  <- Pi[ x_0 + server_step v ]
//
// x_0: the model at the last restart, after every `restart_epochs` epochs, by default never; then v = 0. All sums are one
// Gaussian release (theorems/tree.hpp), planned for all rounds; an owner that misses rounds only costs less. Without noise
// and momentum this is federated averaging of the owners in turn.
//
// Source: Kairouz, McMahan, Song, Thakkar, Thakurta, Xu 2021, "Practical and Private (Deep) Learning without Sampling or
// Shuffling", Algorithm 1, Appendix D.
#include <algorithm>

#include "models/protocols/federated/trusted_rounds.hpp"
#include "models/run/any_protocol.hpp"

namespace hearsay::models {

class DpFtrl : public TrustedRounds {
 public:
  struct Params : TrustedOptions {
    std::uint64_t epoch_rounds = 10;
    std::optional<std::uint64_t> restart_epochs;
    bool completion = true;
    TreeEstimate estimate = TreeEstimate::kHonaker;
    double server_momentum = 0;
    void describe(sim::Visitor& v) {
      v(epoch_rounds, {.name = "epoch_rounds",
                       .help = "Rounds R of an epoch, in which each owner takes part once.",
                       .min = 1});
      v(restart_epochs,
        {.name = "restart_epochs",
         .help = "Epochs after which a new tree begins; by default one tree for the whole run.",
         .source = "Kairouz et al. 2021, Appendix D.2",
         .min = 1});
      v(completion,
        {.name = "completion",
         .help = "Complete a tree to a power of two before a restart, so that less noise is carried over."});
      v(estimate,
        {.name = "estimate", .help = "Estimate of a running sum from the noisy nodes of the tree."});
      v(server_momentum,
        {.name = "server_momentum",
         .help = "Momentum of the server: the share of the previous direction that is added.",
         .min = 0,
         .max = 1,
         .open_max = true});
      TrustedOptions::describe(v);
    }
    void require(const Setting& setting) const {
      TrustedOptions::require(setting);
      if (setting.privacy.active()) require_tree(setting.privacy.mechanism, setting.privacy.accountant);
    }
    Tree tree(const Study& study) const {
      const std::uint64_t planned = planned_rounds(setting_of(study));
      const std::uint64_t leaves = restart_epochs && *restart_epochs <= planned / epoch_rounds
                                       ? *restart_epochs * epoch_rounds
                                       : planned;
      return {.rounds = planned, .leaves = leaves, .epoch = epoch_rounds, .complete = completion};
    }
  };
  static constexpr Entry kEntry =
      trusted_entry("dp_ftrl",
                    "DP-FTRL: a trusted server releases running sums of the owners' updates "
                    "with tree noise; user-level privacy without sampling.");
  DpFtrl(const Params& params, const Study& study)
      : TrustedRounds(
            params, study, {.releases = params.planned_rounds(setting_of(study)), .tree = params.tree(study)},
            EntrustedSum(study.problem.p(), study.problem.owners(), params.tree(study), params.estimate),
            static_cast<double>(study.problem.owners()) / static_cast<double>(params.epoch_rounds)),
        tree_(params.tree(study)),
        momentum_(params.server_momentum),
        velocity_(Eigen::VectorXd::Zero(study.problem.p())) {}
  auto state() { return std::tuple_cat(TrustedRounds::state(), std::tie(origin_, velocity_)); }

 private:
  bool takes_part(std::size_t owner, std::uint64_t t, sim::Stream&) override {
    return owner % tree_.epoch == t % tree_.epoch;
  }
  void apply(const Vector& released, std::uint64_t t, Context& context) override {
    if (t % tree_.leaves == 0) {
      origin_ = context.model(0);
      velocity_.setZero();
    }
    velocity_ = momentum_ * velocity_ + released;
    context.model(0) = origin_ + server_step() * velocity_;
    context.project(context.model(0));
  }

  Tree tree_;
  double momentum_;
  Eigen::VectorXd origin_, velocity_;  // x_0, v
};

}  // namespace hearsay::models
