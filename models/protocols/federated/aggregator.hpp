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
// The only place where single updates enter is add(): what protects an owner in the sum belongs here.
//
// Source: Reddi et al. 2021, "Adaptive Federated Optimization", Algorithm 2.
#include <Eigen/Core>

#include <string_view>
#include <variant>

#include "models/run/context.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::models {

struct NoOptimiser {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "The mean update itself.";
  void describe(sim::Visitor&) {}
};

struct MomentumOptimiser {
  static constexpr std::string_view kName = "momentum";
  static constexpr std::string_view kHelp = "FedAvgM: a decaying sum of the mean updates.";
  double beta = 0.9;
  void describe(sim::Visitor& v);
};

struct AdaptiveOptimiser {
  double beta_1 = 0.9, beta_2 = 0.99, tau = 1e-3;
  void describe(sim::Visitor& v);
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
    void describe(sim::Visitor& v);
  };

  Aggregator(const Params& params, Eigen::Index p);

  void add(double weight, const Eigen::Ref<const Eigen::VectorXd>& update);
  std::uint32_t updates() const { return updates_; }
  /// The sum of their weights.
  double weight() const { return weight_; }
  /// Uses the updates added since the last call, with the divisor w.
  void apply(double divisor, Context& context);
  /// Of a server that has lost its state.
  void reset();

 private:
  const Eigen::VectorXd& direction(const NoOptimiser&) { return delta_; }
  const Eigen::VectorXd& direction(const MomentumOptimiser& momentum);
  const Eigen::VectorXd& direction(const AdamOptimiser& adam);
  const Eigen::VectorXd& direction(const YogiOptimiser& yogi);
  const Eigen::VectorXd& divided(const AdaptiveOptimiser& o);
  void clear();

  Params params_;
  Eigen::VectorXd delta_;  // the sum so far
  double weight_ = 0;
  std::uint32_t updates_ = 0;
  Eigen::VectorXd m_, v_, direction_;
};

}  // namespace hearsay::models
