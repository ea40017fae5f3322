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

#include "models/learning/solvers/record_objective.hpp"
#include "models/protocols/multitask/options.hpp"
#include "models/protocols/multitask/sensitivity.hpp"
#include "models/run/context.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

class MultitaskNodes {
 public:
  /// Throws std::invalid_argument where options, data and privacy do not fit: steps too long, bounds unknown, a
  /// budget that is not given by turn, releases that the accountant does not take.
  MultitaskNodes(const MultitaskOptions& options, const Study& study)
      : options_(fitting(options, study)),
        turns_(study.problem.owners()),
        q_(zero_columns(study)),
        base_(study.problem.p()),
        at_(base_),
        point_(base_),
        work_(base_),
        gradient_(base_) {
    study.problem.require_records_of_all();
    const double own = options.own_regulariser == OwnPenalty::kRidge ? options.tau : 0;
    const double l = smoothness_for("alpha_1", study) + own;
    if (options.q_update == OwnUpdate::kStep && !(options.alpha_1 < 1 / l)) {
      throw sim::OptionError(
          "alpha_1",
          "expected a step below 1/L = {:.6g}, where L = {:.6g} bounds the Lipschitz constant of the "
          "gradient of a task's loss, found {:g}",
          1 / l, l, options.alpha_1);
    }
    if (options.start == TaskStart::kSingleTask) {  // to fail before a run, if it does
      for (std::size_t t = 0; t < turns_.size(); ++t)
        minimise_alone(study.diagnosed(), t, options.ridge_of_start());
    }
    if (options.tolerance && study.privacy.active()) {
      study.exact(
          "protocol.tolerance: the end of the run, and with it the number of releases, depends on q_t without "
          "noise");
    }
    const bool first = options.releases_q();
    account_ = {.releases = options.turns, .sampling_rate = options.batch_fraction};
    if (first) account_.turn.push_back(study.privacy.epsilon_1);
    account_.turn.push_back(study.privacy.epsilon_2);
    if (!study.privacy.active()) return;
    study.privacy.releases_of(0, account_);
    sensitivities_ = TurnSensitivities(options, study);
  }

  /// Opens the accounts and sets q_t and the public models to their start.
  void open(Context& context) {
    for (std::size_t t = 0; t < turns_.size(); ++t) {
      const sim::AgentId agent = context.agent_of(t);
      context.open_account(agent, account_);
      if (options_.start == TaskStart::kSingleTask)
        q_[t] = context
                    .keep_local(context.from_data(agent,
                                                  [&](const Problem& problem, std::size_t owner) {
                                                    return minimise_alone(problem, owner,
                                                                          options_.ridge_of_start());
                                                  }))
                    .inside_owner();
      context.model(agent) = q_[t];
    }
    start_ = q_;
  }
  /// Task t is as at the start except for its account and the number of its turns.
  void reset(std::size_t t) {
    q_[t] = start_[t];
    sensitivities_.reset(t);
  }
  /// Whether task t may begin another turn.
  bool may_turn(std::size_t t, const Context& context) const {
    return turns_[t] < options_.turns && context.may_release(context.agent_of(t));
  }
  /// One turn from p: the gradient to send, or nothing if there is no turn left. Valid until the next.
  const Eigen::VectorXd* turn(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p, Context& context) {
    if (!may_turn(t, context)) return nullptr;
    const sim::AgentId agent = context.agent_of(t);
    const auto q = q_[t];
    if (options_.batch_fraction < 1) draw_batch(agent, context);
    base_ = p;
    at_ = q;
    // A step moves q_t by a gradient at the q_t before it; a minimiser is bounded where it is.
    const bool exact = options_.q_update == OwnUpdate::kExact;
    const auto beyond_c_3 = [&] { return options_.c_3 && (base_ + q).norm() > *options_.c_3; };
    bool broken = !exact && beyond_c_3();
    move_own(t, agent, context);
    broken = broken || (exact && beyond_c_3());
    if (options_.gradient_at == GradientAt::kNewQ) at_ = q;
    if (options_.releases_q()) {
      point_ = base_ + *context.release(agent, context.sensitive(at_, s_1(t)));
    } else {
      point_ = base_ + at_;
    }
    broken = broken || (options_.c_4 && point_.norm() > *options_.c_4);
    if (options_.trusted_server) {
      context.keep_local(gradient(agent, 0, context), kept_);
      gradient_ = kept_.inside_owner();  // the server is trusted with it: what leaves the server is released
    } else {
      gradient_ = *context.release(agent, gradient(agent, s_2(t), context));
    }
    ++turns_[t];
    ++all_;
    violations_ += broken ? 1 : 0;
    sensitivities_.count_turn(t);
    return &gradient_;
  }
  /// With a trusted server: p_t as it is sent to task t, with noise of beta = epsilon_2/(alpha_2 S_2).
  Vector noisy_column(std::size_t t, const Eigen::Ref<const Eigen::VectorXd>& p, Context& context) {
    return *context.release(context.agent_of(t), context.sensitive(p, sensitivities_.column()));
  }

  const Columns& q() const { return q_; }
  std::uint64_t turns(std::size_t t) const { return turns_[t]; }
  /// S_1 and S_2 of the next turn of task t; 0 without privacy.
  double s_1(std::size_t t) const { return sensitivities_.s_1(t); }
  double s_2(std::size_t t) const { return sensitivities_.s_2(t); }
  /// Fraction of turns in which a declared bound did not hold.
  double violations() const {
    return all_ == 0 ? 0 : static_cast<double>(violations_) / static_cast<double>(all_);
  }
  auto state() { return std::tie(sensitivities_, turns_, q_, all_, violations_); }

 private:
  void move_own(std::size_t t, sim::AgentId agent, Context& context) {
    auto q = q_[t];
    if (options_.q_update == OwnUpdate::kExact) {
      context.keep_local(context.from_data(agent,
                                           [&](const Problem& problem, std::size_t owner) {
                                             return minimise_records(
                                                 problem, owner, {.ridge = options_.tau, .offset = base_});
                                           }),
                         kept_);
      q = kept_.inside_owner();
      return;
    }
    point_ = base_ + q;
    context.keep_local(gradient(agent, 0, context), kept_);
    work_ = kept_.inside_owner();
    if (options_.own_regulariser == OwnPenalty::kRidge) work_ += options_.tau * q;
    q -= options_.alpha_1 * work_;
    shrink_own(options_.own_regulariser, options_.alpha_1 * options_.tau, q);
  }
  Sensitive gradient(sim::AgentId agent, double sensitivity, Context& context) {
    if (options_.batch_fraction == 1) return context.gradient(agent, point_, sensitivity);
    return context.gradient(agent, point_, sensitivity, batch_,
                            options_.batch_fraction * static_cast<double>(context.records(agent)));
  }
  void draw_batch(sim::AgentId agent, Context& context) {
    batch_.clear();
    sim::Stream stream = context.random(0, agent);
    for (Eigen::Index k = 0; k < context.records(agent); ++k) {
      if (sim::bernoulli(stream, options_.batch_fraction)) batch_.push_back(k);
    }
  }

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
