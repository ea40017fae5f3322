#pragma once
// SCAFFOLD: FedAvg (fedavg.hpp) whose local steps are corrected by control variates, c_i of each owner and c of the
// server, all 0 at the start. In a round the owners of the cohort receive x and c, and
//
//   y_i  = x after K local steps along Q_k + grad g + c - c_i                       local_training.hpp
//   c_i <- I:  grad f_i(x) + grad g(x)
//          II: c_i - c + (x - y_i)/(eta_0 + ... + eta_{K-1}),  the mean of the directions Q_k + grad g
//   answer y_i - x and the new c_i
//
//   x <- as in FedAvg;   c <- sum_i w_i c^_i / sum_i w_i,  over all owners
//
// c^_i: the last c_i that the server has received from owner i, 0 at first. The paper's owners send the difference of
// their c_i instead, which is the same when every answer is used; when one is not, c^_i is corrected by the next,
// whereas a difference would be missing for good. For quadratics and full batches the limit is theta* for every K.
//
// An owner whose budget is used up is not asked again, and its last c^_i stays in c: with budgets that end at different
// times the limit is not theta*.
//
// Every message holds 2 p numbers. A crash of an owner sets its c_i to 0, and one of the server c and all c^_i; what
// the others hold stays. Option I makes one release more in a training than option II, the gradient at x over all
// records.
//
// Source: Karimireddy, Kale, Mohri, Reddi, Stich, Suresh 2020, "SCAFFOLD: Stochastic Controlled Averaging for
// Federated Learning", Algorithm 1, whose weights are `equal`.
#include "models/protocols/federated/rounds.hpp"
#include "models/run/any_protocol.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

enum class ControlVariate { kGradient, kMean };
constexpr auto choices_of(ControlVariate) {
  return std::to_array<sim::Choice>({{"I", "the gradient over all records at the server's model"},
                                     {"II", "the mean of the gradients of the local steps"}});
}

class Scaffold : public FederatedRounds {
 public:
  struct Params : RoundOptions {
    ControlVariate option = ControlVariate::kMean;
    void describe(sim::Visitor& v) {
      v(option, {.name = "option",
                 .help = "New control variate of an owner.",
                 .source = "Karimireddy et al. 2020, Algorithm 1"});
      RoundOptions::describe(v);
    }
    void require(const Setting& setting) const {
      RoundOptions::require(setting);
      const bool means = option == ControlVariate::kMean;
      if (means && local.momentum > 0)
        throw sim::OptionError(
            "momentum",
            "expected 0 with option II, which takes a step for a mean of gradients; use option I");
      if (means && setting.model.theta_max)
        throw sim::OptionError("option",
                               "expected I with model.theta_max: a projected step is no mean of gradients");
      if (!means && setting.privacy.active() && !std::holds_alternative<FullBatch>(local.batch))
        throw sim::OptionError(
            "option", "expected II with privacy and mini-batches: I releases a gradient over all records");
    }
  };
  static constexpr Entry kEntry =
      federated_entry("scaffold", "SCAFFOLD: FedAvg with control variates that correct the local steps.", 2);
  /// Throws OptionError where option II does not hold: with momentum or a box; and for option I with privacy and
  /// mini-batches, as the account's releases are all of the same kind.
  Scaffold(const Params& params, const Study& study)
      : FederatedRounds(fitting(params, study), study, 2),
        option_(params.option),
        c_(Eigen::VectorXd::Zero(study.problem.p())),
        x_(c_),
        gradient_(c_),
        own_(study.problem.p(), study.problem.owners()),
        received_(own_) {
    if (option_ == ControlVariate::kGradient) least_releases_ = 2;
  }

  /// c.
  const Eigen::VectorXd& server_variate() const { return c_; }
  /// c_i by owner.
  const Columns& variates() const { return own_; }
  // The release of option I comes before the training.
  void foresee_message(const sim::Message& message, const Context& context, std::uint32_t room) const {
    if (option_ == ControlVariate::kMean) FederatedRounds::foresee_message(message, context, room);
  }
  auto state() { return std::tuple_cat(FederatedRounds::state(), std::tie(c_, own_, received_)); }

 protected:
  void before_training(const Asked& asked, Context& context) override {
    first_step_ = *FederatedRounds::terms(asked, x_, context).first_step;
    if (option_ != ControlVariate::kGradient) return;
    x_ = asked.numbers.head(context.p());
    context.regulariser_gradient(x_, gradient_);
    gradient_ += *context.release(asked.owner, context.gradient(asked.owner, x_));
  }
  LocalTerms terms(const Asked& asked, Eigen::VectorXd& tilt, const Context& context) const override {
    LocalTerms terms = FederatedRounds::terms(asked, tilt, context);
    tilt = asked.numbers.tail(context.p()) - own_[context.owner(asked.owner)];
    terms.tilt = {tilt.data(), static_cast<std::size_t>(tilt.size())};
    return terms;
  }
  void complete(const Asked& asked, std::uint64_t steps, const Eigen::VectorXd& y,
                Eigen::Ref<Eigen::VectorXd> rest) override {
    if (option_ == ControlVariate::kGradient) {
      rest = gradient_;
    } else {
      double sum = 0;
      for (std::uint64_t k = 0; k < steps; ++k) sum += local_.step_size(first_step_ + k);
      rest = (asked.numbers.head(y.size()) - y) / sum -
             (asked.numbers.tail(y.size()) - own_[static_cast<std::size_t>(asked.owner) - 1]);
    }
    own_[asked.owner - 1] = rest;
  }
  void fill(Eigen::Ref<Eigen::VectorXd> rest) override { rest = c_; }
  void receive(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& rest) override {
    c_ += share(owner) * (rest - received_[owner]);
    received_[owner] = rest;
  }
  void lose(sim::AgentId agent) override {
    if (agent != 0) {
      own_[agent - 1].setZero();
    } else {
      c_.setZero();
      received_.setZero();
    }
  }

 private:
  ControlVariate option_;
  Eigen::VectorXd c_, x_, gradient_;
  Columns own_, received_;  // c_i and c^_i by owner
  std::uint64_t first_step_ = 0;
};

}  // namespace hearsay::models
