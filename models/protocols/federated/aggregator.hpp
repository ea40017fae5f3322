#pragma once
// How a federated server uses the updates u_i of its owners (differences of models, along which the loss falls):
//
//   Delta = (1/w) sum_i w_i u_i               w_i, w: as the protocol says
//   x     <- Pi[ x + server_step D ]          Pi: projection onto the box, if there is one
//
//   optimiser   D
//   none        Delta
//   momentum    m,  m <- beta m + Delta                                                   Hsu, Qi, Brown 2019
//   adam, yogi  m/(sqrt(v) + tau),  m <- beta_1 m + (1 - beta_1) Delta, and by coordinate
//     adam      v <- beta_2 v + (1 - beta_2) Delta^2
//     yogi      v <- v - (1 - beta_2) Delta^2 sign(v - Delta^2)
//
// m = 0 and v = tau^2 at the start; there is no bias correction. Without an update nothing changes, m and v neither.
// With another rule than the mean (models/aggregation/) Delta is what the rule makes of the u_i, each once; where w does not
// depend on the w_i (fedbuff), of the w_i u_i. If they are too few for it, nothing changes.
// The only place where single updates enter is add(): what protects an owner in the sum belongs here.
//
// Source: Reddi et al. 2021, "Adaptive Federated Optimization", Algorithm 2.
#include <Eigen/Core>

#include <string_view>
#include <variant>

#include "models/aggregation/aggregation.hpp"
#include "models/run/context.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

struct NoOptimiser {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "The mean update itself.";
  void describe(sim::Visitor&) {}
};

/// Of a number in [0, 1).
constexpr sim::About optimiser_share(std::string_view name, std::string_view help) {
  return {.name = name,
          .help = help,
          .source = "Reddi et al. 2021, Algorithm 2",
          .min = 0,
          .max = 1,
          .open_max = true};
}

struct MomentumOptimiser {
  static constexpr std::string_view kName = "momentum";
  static constexpr std::string_view kHelp = "FedAvgM: a decaying sum of the mean updates.";
  double beta = 0.9;
  void describe(sim::Visitor& v) {
    v(beta, optimiser_share("beta", "Share of the previous direction that is added."));
  }
};

struct AdaptiveOptimiser {
  double beta_1 = 0.9, beta_2 = 0.99, tau = 1e-3;
  void describe(sim::Visitor& v) {
    v(beta_1, optimiser_share("beta_1", "Decay of the mean of the updates."));
    v(beta_2, optimiser_share("beta_2", "Decay of the mean of their squares."));
    v(tau, {.name = "tau",
            .help = "Added to the root mean square; its square is the mean square at the start.",
            .source = "Reddi et al. 2021, Algorithm 2",
            .min = 0,
            .open_min = true});
  }
};
struct AdamOptimiser : AdaptiveOptimiser {
  static constexpr std::string_view kName = "adam";
  static constexpr std::string_view kHelp = "FedAdam: a mean update divided by its root mean square.";
};
struct YogiOptimiser : AdaptiveOptimiser {
  static constexpr std::string_view kName = "yogi";
  static constexpr std::string_view kHelp =
      "FedYogi: as adam, with a mean square that changes by at most an update's.";
};

class Aggregator {
 public:
  struct Params {
    double server_step = 1;
    std::variant<NoOptimiser, MomentumOptimiser, AdamOptimiser, YogiOptimiser> server_optimiser;
    AggregateOptions<ServerRules> rule;
    void describe(sim::Visitor& v) {
      v(server_step, {.name = "server_step",
                      .help = "Step size of the server.",
                      .min = 0,
                      .open_min = true,
                      .in_run = true});
      v(server_optimiser,
        {.name = "server_optimiser", .help = "Rule by which the server uses the mean update."});
      rule.describe(v);
    }
  };

  /// Which divisor apply() is given: the sum of the weights, or a fixed number.
  enum class Divisor { kWeights, kFixed };

  Aggregator(const Params& params, Eigen::Index p, Divisor divisor = Divisor::kWeights)
      : params_(params), divisor_(divisor), delta_(p), m_(p), v_(p), direction_(p) {
    gathered_.centre.resize(p);
    reset();
  }

  void add(double weight, const Eigen::Ref<const Eigen::VectorXd>& update) {
    if (params_.rule.plain()) {
      delta_ += weight * update;
    } else if (divisor_ == Divisor::kFixed) {
      gathered_.add(1, weight * update);
    } else {
      gathered_.add(weight, update);
    }
    weight_ += weight;
    ++updates_;
  }
  std::uint32_t updates() const { return updates_; }
  /// The sum of their weights.
  double weight() const { return weight_; }
  /// Uses the updates added since the last call, with the divisor w.
  void apply(double divisor, Context& context) {
    if (updates_ == 0) return;
    if (params_.rule.plain()) {
      delta_ /= divisor;
    } else {
      if (!context.aggregate(params_.rule, 0, gathered_, delta_)) return clear();
      gathered_.centre = delta_;
    }
    const Eigen::VectorXd& d =
        std::visit([&](const auto& o) -> const Eigen::VectorXd& { return direction(o, context); },
                   params_.server_optimiser);
    context.model(0) += params_.server_step * d;
    context.project(context.model(0));
    clear();
  }
  /// Of a server that has lost its state.
  void reset() {
    clear();
    gathered_.centre.setZero();
    m_.setZero();
    const auto square = [](const auto& o) {
      if constexpr (requires { o.tau; }) return o.tau * o.tau;
      return 0.0;
    };
    v_.setConstant(std::visit(square, params_.server_optimiser));
  }
  auto state() { return std::tie(delta_, weight_, updates_, m_, v_, gathered_); }

 private:
  const Eigen::VectorXd& direction(const NoOptimiser&, Context&) { return delta_; }
  const Eigen::VectorXd& direction(const MomentumOptimiser& momentum, Context&) {
    m_ = momentum.beta * m_ + delta_;
    return m_;
  }
  const Eigen::VectorXd& direction(const AdamOptimiser& adam, Context& context) {
    v_ = adam.beta_2 * v_ + (1 - adam.beta_2) * delta_.cwiseAbs2();
    return divided(adam, context);
  }
  const Eigen::VectorXd& direction(const YogiOptimiser& yogi, Context& context) {
    v_.array() -= (1 - yogi.beta_2) * delta_.array().square() * (v_.array() - delta_.array().square()).sign();
    return divided(yogi, context);
  }
  const Eigen::VectorXd& divided(const AdaptiveOptimiser& o, Context& context) {
    m_ = o.beta_1 * m_ + (1 - o.beta_1) * delta_;
    direction_ = m_.array() / (v_.array().sqrt() + o.tau);
    context.transformed(direction_, delta_);
    return direction_;
  }
  void clear() {
    delta_.setZero();
    weight_ = 0;
    updates_ = 0;
    gathered_.clear();
  }

  Params params_;
  Divisor divisor_;
  Eigen::VectorXd delta_;  // the sum so far
  Gathered gathered_;      // the updates, for rules that need all of them
  double weight_ = 0;
  std::uint32_t updates_ = 0;
  Eigen::VectorXd m_, v_, direction_;
};

}  // namespace hearsay::models
