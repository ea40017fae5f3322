#pragma once
// A turn of task t, whether the server waits for all tasks or for none, from the p_t in R^d it last received:
//
//   1  q_t <- q_t - alpha_1 [ grad mean loss(p_t + q_t) + tau q_t ]     (l1, l21: without tau q_t, then the prox)
//   2  z_1, z_2 of density ~ exp(-beta norm_2), beta_1 = epsilon_1/S_1, beta_2 = epsilon_2/S_2
//   3  g_t = grad mean loss(p_t + q_t + z_1) + z_2, which is sent; q_t itself stays without noise
//
// Both noises go through the ledger: q_t + z_1 is one release (it decides where the gradient is taken, and what is
// sent follows from it), g_t the other. z_1 and z_2 of turn k of agent i are releases 2k and 2k + 1 of that agent.
// Draws subsamples from the protocol's purpose 0 of the agent.
#include <Eigen/Core>

#include <memory>
#include <vector>

#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/sensitivity.hpp"
#include "models/run/context.hpp"

namespace hearsay::models {

class MultitaskNodes {
 public:
  /// Throws std::invalid_argument where options, data and privacy do not fit: steps too long, bounds unknown, a
  /// budget that is not given by turn, releases that the accountant does not take.
  MultitaskNodes(const MultitaskOptions& options, const Study& study);

  /// Opens the accounts and sets q_t and the public models to their start.
  void open(Context& context);
  /// Task t is as at the start except for its account and the number of its turns.
  void reset(std::size_t t);
  /// Whether task t may begin another turn.
  bool may_turn(std::size_t t, const Context& context) const;
  /// One turn from p: the gradient to send, or nothing if there is no turn left. Valid until the next.
  const Eigen::VectorXd* turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p, Context& context);
  /// With a trusted server: p_t as it is sent to task t, with noise of beta = epsilon_2/(alpha_2 S_2).
  Vector noisy_column(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p, Context& context);

  const Columns& q() const { return q_; }
  std::uint64_t turns(std::size_t t) const { return turns_[t]; }
  /// S_1 and S_2 of the next turn of task t; 0 without privacy.
  double s_1(std::size_t t) const { return sensitivities_.s_1(t); }
  double s_2(std::size_t t) const { return sensitivities_.s_2(t); }
  /// Fraction of turns in which a declared bound did not hold.
  double violations() const {
    return all_ == 0 ? 0 : static_cast<double>(violations_) / static_cast<double>(all_);
  }

 private:
  void move_own(std::size_t t, sim::AgentId agent, Context& context);
  Sensitive gradient(sim::AgentId agent, double sensitivity, Context& context);
  void draw_batch(sim::AgentId agent, Context& context);

  MultitaskOptions options_;
  Timetable account_;  // what each task may release
  TurnSensitivities sensitivities_;
  std::vector<std::uint64_t> turns_;
  Columns q_, start_;
  Eigen::VectorXd base_, at_, point_, work_, gradient_;
  LocalVector kept_;
  std::vector<Eigen::Index> batch_;
  std::uint64_t all_ = 0, violations_ = 0;
};

}  // namespace hearsay::models
