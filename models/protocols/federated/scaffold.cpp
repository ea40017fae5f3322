#include "models/protocols/federated/scaffold.hpp"

#include "models/algebra/option_error.hpp"

namespace hearsay::models {

using Eigen::VectorXd;

void Scaffold::Params::describe(sim::Visitor& v) {
  v(option, {.name = "option",
             .help = "New control variate of an owner.",
             .source = "Karimireddy et al. 2020, Algorithm 1"});
  RoundOptions::describe(v);
}

void Scaffold::Params::require(const Setting& setting) const {
  RoundOptions::require(setting);
  const bool means = option == ControlVariate::kMean;
  if (means && local.momentum > 0)
    throw OptionError("momentum",
                      "expected 0 with option II, which takes a step for a mean of gradients; use option I");
  if (means && setting.model.theta_max)
    throw OptionError("option", "expected I with model.theta_max: a projected step is no mean of gradients");
  if (!means && setting.privacy.active() && !std::holds_alternative<FullBatch>(local.batch))
    throw OptionError("option",
                      "expected II with privacy and mini-batches: I releases a gradient over all records");
}

Scaffold::Scaffold(const Params& params, const Study& study)
    : FederatedRounds(fitting(params, study), study, 2),
      option_(params.option),
      c_(VectorXd::Zero(study.problem.p())),
      tilt_(c_),
      x_(c_),
      gradient_(c_),
      own_(study.problem.p(), study.problem.owners()),
      received_(own_) {}

LocalTerms Scaffold::terms(const Query& query, Context& context) {
  LocalTerms terms = FederatedRounds::terms(query, context);
  first_step_ = *terms.first_step;
  tilt_ = query.numbers().tail(context.p()) - own_[context.owner(query.owner)];
  terms.tilt = {tilt_.data(), static_cast<std::size_t>(tilt_.size())};
  if (option_ == ControlVariate::kGradient) {
    x_ = query.numbers().head(context.p());
    context.regulariser_gradient(x_, gradient_);
    gradient_ += *context.release(query.owner, context.gradient(query.owner, x_));
  }
  return terms;
}

void Scaffold::complete(const Query& query, std::uint64_t steps, const VectorXd& y,
                        Eigen::Ref<VectorXd> rest) {
  if (option_ == ControlVariate::kGradient) {
    rest = gradient_;
  } else {
    double sum = 0;
    for (std::uint64_t k = 0; k < steps; ++k) sum += local_.step_size(first_step_ + k);
    rest = (query.numbers().head(y.size()) - y) / sum - tilt_;
  }
  own_[query.owner - 1] = rest;
}

void Scaffold::receive(std::size_t owner, const Eigen::Ref<const VectorXd>& rest) {
  c_ += share(owner) * (rest - received_[owner]);
  received_[owner] = rest;
}

void Scaffold::lose(sim::AgentId agent) {
  if (agent != 0) {
    own_[agent - 1].setZero();
  } else {
    c_.setZero();
    received_.setZero();
  }
}

ProtocolRow scaffold_row() {
  return row<Scaffold>();
}

}  // namespace hearsay::models
