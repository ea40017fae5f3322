#include "models/protocols/multitask/tasks.hpp"

#include <fmt/format.h>

#include "models/algebra/option_error.hpp"
#include "models/learning/solvers/record_objective.hpp"
#include "sim/random/random.hpp"

namespace hearsay::models {

using Eigen::Index;
using Eigen::VectorXd;

MultitaskNodes::MultitaskNodes(const MultitaskOptions& options, const Study& study)
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
    throw OptionError(
        "alpha_1",
        fmt::format("expected a step below 1/L = {:.6g}, where L = {:.6g} is the Lipschitz constant of the "
                    "gradient of a task's loss, found {:g}",
                    1 / l, l, options.alpha_1));
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

void MultitaskNodes::open(Context& context) {
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

void MultitaskNodes::reset(std::size_t t) {
  q_[t] = start_[t];
  sensitivities_.reset(t);
}

bool MultitaskNodes::may_turn(std::size_t t, const Context& context) const {
  return turns_[t] < options_.turns && context.may_release(context.agent_of(t));
}

void MultitaskNodes::draw_batch(sim::AgentId agent, Context& context) {
  batch_.clear();
  sim::Stream stream = context.random(0, agent);
  for (Index k = 0; k < context.records(agent); ++k) {
    if (sim::bernoulli(stream, options_.batch_fraction)) batch_.push_back(k);
  }
}

Sensitive MultitaskNodes::gradient(sim::AgentId agent, double sensitivity, Context& context) {
  if (options_.batch_fraction == 1) return context.gradient(agent, point_, sensitivity);
  return context.gradient(agent, point_, sensitivity, batch_,
                          options_.batch_fraction * static_cast<double>(context.records(agent)));
}

void MultitaskNodes::move_own(std::size_t t, sim::AgentId agent, Context& context) {
  auto q = q_[t];
  if (options_.q_update == OwnUpdate::kExact) {
    context.keep_local(context.from_data(agent,
                                         [&](const Problem& problem, std::size_t owner) {
                                           return minimise_records(problem, owner,
                                                                   {.ridge = options_.tau, .offset = base_});
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

const VectorXd* MultitaskNodes::turn(std::size_t t, const Eigen::Ref<const VectorXd>& p, Context& context) {
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

Vector MultitaskNodes::noisy_column(std::size_t t, const Eigen::Ref<const VectorXd>& p, Context& context) {
  return *context.release(context.agent_of(t), context.sensitive(p, sensitivities_.column()));
}

}  // namespace hearsay::models
