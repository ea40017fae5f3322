#include "models/protocols/federated/dp_ftrl.hpp"

#include <algorithm>

namespace hearsay::models {

void DpFtrl::Params::describe(sim::Visitor& v) {
  v(epoch_rounds,
    {.name = "epoch_rounds", .help = "Rounds R of an epoch, in which each owner takes part once.", .min = 1});
  v(restart_epochs, {.name = "restart_epochs",
                     .help = "Epochs after which a new tree begins; by default one tree for the whole run.",
                     .source = "Kairouz et al. 2021, Appendix D.2",
                     .min = 1});
  v(completion,
    {.name = "completion",
     .help = "Complete a tree to a power of two before a restart, so that less noise is carried over."});
  v(estimate, {.name = "estimate", .help = "Estimate of a running sum from the noisy nodes of the tree."});
  v(server_momentum, {.name = "server_momentum",
                      .help = "Momentum of the server: the share of the previous direction that is added.",
                      .min = 0,
                      .max = 1,
                      .open_max = true});
  TrustedOptions::describe(v);
}

void DpFtrl::Params::require(const Setting& setting) const {
  TrustedOptions::require(setting);
  if (setting.privacy.active()) require_tree(setting.privacy.mechanism, setting.privacy.accountant);
}

Tree DpFtrl::Params::tree(const Study& study) const {
  const std::uint64_t planned = planned_rounds(setting_of(study));
  const std::uint64_t leaves = restart_epochs ? std::min(planned, *restart_epochs * epoch_rounds) : planned;
  return {.rounds = planned, .leaves = leaves, .epoch = epoch_rounds, .complete = completion};
}

DpFtrl::DpFtrl(const Params& params, const Study& study)
    : TrustedRounds(
          params, study, {.releases = params.planned_rounds(setting_of(study)), .tree = params.tree(study)},
          EntrustedSum(study.problem.p(), study.problem.owners(), params.tree(study), params.estimate),
          static_cast<double>(study.problem.owners()) / static_cast<double>(params.epoch_rounds)),
      tree_(params.tree(study)),
      momentum_(params.server_momentum),
      velocity_(Eigen::VectorXd::Zero(study.problem.p())) {}

bool DpFtrl::takes_part(std::size_t owner, std::uint64_t t, sim::Stream&) {
  return owner % tree_.epoch == t % tree_.epoch;
}

void DpFtrl::apply(const Vector& released, std::uint64_t t, Context& context) {
  if (t % tree_.leaves == 0) {
    origin_ = context.model(0);
    velocity_.setZero();
  }
  velocity_ = momentum_ * velocity_ + released;
  context.model(0) = origin_ + server_step() * velocity_;
  context.project(context.model(0));
}

ProtocolRow dp_ftrl_row() {
  return row<DpFtrl>();
}

}  // namespace hearsay::models
