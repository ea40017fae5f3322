#include "models/protocols/federated/aggregator.hpp"

namespace hearsay::models {

using Eigen::VectorXd;

namespace {

constexpr std::string_view kFedOpt = "Reddi et al. 2021, Algorithm 2";

sim::About share(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .source = kFedOpt, .min = 0, .max = 1, .open_max = true};
}

}  // namespace

void MomentumOptimiser::describe(sim::Visitor& v) {
  v(beta, share("beta", "Share of the previous direction that is added."));
}

void AdaptiveOptimiser::describe(sim::Visitor& v) {
  v(beta_1, share("beta_1", "Decay of the mean of the updates."));
  v(beta_2, share("beta_2", "Decay of the mean of their squares."));
  v(tau, {.name = "tau",
          .help = "Added to the root mean square; its square is the mean square at the start.",
          .source = kFedOpt,
          .min = 0,
          .open_min = true});
}

void Aggregator::Params::describe(sim::Visitor& v) {
  v(server_step, sim::positive("server_step", "Step size of the server."));
  v(server_optimiser, {.name = "server_optimiser", .help = "Rule by which the server uses the mean update."});
}

Aggregator::Aggregator(const Params& params, Eigen::Index p)
    : params_(params), delta_(p), m_(p), v_(p), direction_(p) {
  reset();
}

void Aggregator::add(double weight, const Eigen::Ref<const VectorXd>& update) {
  delta_ += weight * update;
  weight_ += weight;
  ++updates_;
}

void Aggregator::apply(double divisor, Context& context) {
  if (updates_ == 0) return;
  delta_ /= divisor;
  const VectorXd& d =
      std::visit([this](const auto& o) -> const VectorXd& { return direction(o); }, params_.server_optimiser);
  context.model(0) += params_.server_step * d;
  context.project(context.model(0));
  clear();
}

const VectorXd& Aggregator::direction(const MomentumOptimiser& momentum) {
  m_ = momentum.beta * m_ + delta_;
  return m_;
}

const VectorXd& Aggregator::direction(const AdamOptimiser& adam) {
  v_ = adam.beta_2 * v_ + (1 - adam.beta_2) * delta_.cwiseAbs2();
  return divided(adam);
}

const VectorXd& Aggregator::direction(const YogiOptimiser& yogi) {
  v_.array() -= (1 - yogi.beta_2) * delta_.array().square() * (v_.array() - delta_.array().square()).sign();
  return divided(yogi);
}

const VectorXd& Aggregator::divided(const AdaptiveOptimiser& o) {
  m_ = o.beta_1 * m_ + (1 - o.beta_1) * delta_;
  direction_ = m_.array() / (v_.array().sqrt() + o.tau);
  return direction_;
}

void Aggregator::clear() {
  delta_.setZero();
  weight_ = 0;
  updates_ = 0;
}

void Aggregator::reset() {
  clear();
  m_.setZero();
  const auto square = [](const auto& o) {
    if constexpr (requires { o.tau; }) return o.tau * o.tau;
    return 0.0;
  };
  v_.setConstant(std::visit(square, params_.server_optimiser));
}

}  // namespace hearsay::models
