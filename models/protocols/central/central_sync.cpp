#include "models/protocols/central/central_sync.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/run/timeout.hpp"

namespace hearsay::models {

namespace {

constexpr std::string_view kSyncPaper = "Wu, Farokhi, Smith, Kaafar, Algorithms 1 and 2";
constexpr std::uint64_t kMinHorizon = 2;

// The step, with a = rho/T^2 or c1: what is divided by k or sqrt(k).
UsedStep step_of(const CentralSync::Params& params, std::uint64_t horizon, const Study& study) {
  const std::string_view key = params.step_key();
  const auto rounds = static_cast<double>(horizon);
  const double unit = params.algorithm == SyncAlgorithm::kAveraged ? 1 : rounds * rounds;
  if (const auto* given = std::get_if<GivenStep>(&*params.step()))
    return {.key = key, .value = given->value, .a = given->value / unit};
  const double largest = hessian_for_step(key, study).second + study.problem.sigma();
  if (!(largest > 0)) {
    throw std::invalid_argument(
        fmt::format("protocol.{} \"auto\" needs data that are not all 0; give a number", key));
  }
  return {.key = key, .automatic = true, .value = unit / largest, .a = 1 / largest};
}

void require_no_active_box(const Study& study) {
  if (!study.problem.model().theta_max) return;
  if (study.exact_optimum("model.theta_max: compared with the exact best model (algorithm strongly_convex)")
          .box_active) {
    throw std::invalid_argument(
        "strongly_convex does not project onto the box, and the best model lies outside model.theta_max: "
        "leave out model.theta_max");
  }
}

}  // namespace

void CentralSync::Params::describe(sim::Visitor& v) {
  v(algorithm, {.name = "algorithm", .help = "Update rule of the learner.", .source = kSyncPaper});
  v(rho,
    {.name = "rho",
     .help =
         "Step parameter of strongly_convex: the step size in round k is rho/(T^2 k). A number, or \"auto\".",
     .source = kSyncPaper,
     .in_run = true});
  v(c1, {.name = "c1",
         .help = "Step parameter of averaged: the step size in round k is c1/sqrt(k). A number, or \"auto\".",
         .source = kSyncPaper,
         .in_run = true});
  v(round_timeout,
    sim::positive("round_timeout",
                  "Maximum time the learner waits for answers in a round; by default unlimited on a "
                  "reliable network, else 5 typical round trips, at least 1 s.",
                  "s"));
  v(missing, {.name = "missing", .help = "Replacement for an answer that does not arrive in time."});
  rule.describe(v);
  OwnerOptions::describe(v, kMinHorizon);
}

void CentralSync::Params::require(const Setting& setting) const {
  const std::uint64_t planned = planned_iterations("central_sync", setting.stop, kMinHorizon);
  if (!step()) {
    throw std::invalid_argument(fmt::format("protocol.{}, the step of {}, is required: a number, or \"auto\"",
                                            step_key(), sim::name_of(algorithm)));
  }
  if (std::holds_alternative<NewtonStep>(*step())) require_squared_loss(step_key(), setting.model.loss);
  OwnerOptions::require(setting, planned);
  if (algorithm == SyncAlgorithm::kStronglyConvex && setting.model.theta_max &&
      setting.privacy.source == BoundSource::kDerived && !std::isfinite(setting.model.loss.max_slope())) {
    throw std::invalid_argument(
        "strongly_convex does not project onto the box, so that a gradient bound derived from theta_max does "
        "not hold: give privacy.gradient_bound or privacy.clip");
  }
}

UsedStep CentralSync::Params::used_step(const Study& study) const {
  UsedStep step = step_of(*this, planned_iterations("central_sync", study, kMinHorizon), study);
  step.h_max = study.diagnosed().largest_curvature();
  if (step.h_max) *step.h_max += study.problem.sigma();
  return step;
}

std::vector<std::pair<std::string, double>> CentralSync::Params::numbers(const Study& study) const {
  return step_numbers(used_step(study));
}

std::vector<std::string> CentralSync::Params::notes(const Study& study) const {
  std::vector<std::string> all = notes_of_step(study);
  rule.note_too_few(study.problem.owners(), all);
  return all;
}

std::vector<std::string> CentralSync::Params::notes_of_step(const Study& study) const {
  const UsedStep step = used_step(study);
  if (step.stable()) return step_notes(step, "", study);
  const auto updates = static_cast<double>(planned_iterations("central_sync", study, kMinHorizon) - 1);
  const double half =
      step.a * *step.h_max / 2;  // a h_max/k^q > 2 in the rounds k before this number or its square
  const double last = std::ceil(algorithm == SyncAlgorithm::kAveraged ? half * half : half) - 1;
  return step_notes(
      step,
      fmt::format("so that the first {:.0f} of {:.0f} updates move the model away from the optimum",
                  std::min(last, updates), updates),
      study);
}

CentralSync::CentralSync(const Params& params, const Study& study)
    : params_(fitting(params, study)),
      horizon_(params.planned_iterations("central_sync", study, kMinHorizon)),
      step_(step_of(params, horizon_, study).a),
      timeout_(timeout_of(params.round_timeout, study)),
      owners_(params, horizon_, study),
      theta_(Eigen::VectorXd::Zero(study.problem.p())),
      data_term_(study.problem.p()),
      gradient_(study.problem.p()),
      answers_(study.problem.p(), study.problem.owners()),
      answered_(study.problem.owners()) {
  gathered_.centre.setZero(study.problem.p());
  if (params.algorithm == SyncAlgorithm::kStronglyConvex) require_no_active_box(study);
}

void CentralSync::on_start(Context& context) {
  owners_.open_accounts(context);
  begin_round(context);
  context.count_iteration();
}

void CentralSync::begin_round(Context& context) {
  const std::uint32_t k = round_.begin(context.owners());
  for (std::size_t owner = 0; owner < context.owners(); ++owner)
    owners_.query(context.agent_of(owner), k, theta_, context);
  context.after(0, timeout_, kTimeout, k);
}

void CentralSync::on_message(const sim::Message& message, Context& context) {
  if (message.tag == CentralOwners::kQuery) {
    owners_.answer(message, context);
  } else if (message.tag == CentralOwners::kRefusal) {
    if (round_.match(message, context) && round_.count_reply()) end_round(context);
  } else {
    receive(message, context);
  }
}

void CentralSync::on_timer(sim::AgentId, std::uint16_t tag, std::uint32_t round, Context& context) {
  if (!round_.in_flight(round)) return;
  if (tag == CentralOwners::kOwnAnswer) {
    keep(context.owner(owners_.learner()), owners_.own_answer(theta_, context), round, context);
  } else {
    end_round(context);
  }
}

void CentralSync::receive(const sim::Message& answer, Context& context) {
  const std::size_t owner = context.owner(answer.from);
  const bool late = !round_.in_flight(answer.conversation);
  if (late && (params_.missing != MissingAnswer::kLast || answer.conversation < answered_[owner])) {
    context.discard(answer);
    return;
  }
  context.count_staleness(static_cast<double>(round_.number() - answer.conversation),
                          context.now() - answer.sent);
  keep(owner, vector_of(answer), answer.conversation, context);
}

void CentralSync::keep(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& q, std::uint32_t round,
                       Context& context) {
  answers_[owner] = q;
  answered_[owner] = round;
  if (round_.in_flight(round) && round_.count_reply()) end_round(context);
}

// Sets the data's term of the gradient, summed in the order of the owners whatever the order in which their
// answers came. Returns the share of the records that it covers.
double CentralSync::gather(Context& context) {
  data_term_.setZero();
  gathered_.clear();
  const bool plain = params_.rule.plain();
  double share = 0;
  for (std::size_t owner = 0; owner < context.owners(); ++owner) {
    const std::uint32_t round = answered_[owner];
    if (round == 0 || (round != round_.number() && params_.missing != MissingAnswer::kLast)) continue;
    const double weight = static_cast<double>(context.records(context.agent_of(owner))) /
                          static_cast<double>(context.records());
    if (plain) {
      data_term_ += weight * answers_[owner];
    } else if (weight > 0) {
      gathered_.add(weight, answers_[owner]);
    }
    share += weight;
  }
  if (plain) return share;
  if (!context.aggregate(params_.rule, 0, gathered_, data_term_)) return 0;
  gathered_.centre = data_term_;
  // The mean is of the answers that there are; what is missing counts as 0 in it, unless it is to be reweighted.
  if (std::holds_alternative<MeanRule>(params_.rule.aggregate) && params_.missing != MissingAnswer::kReweight)
    data_term_ *= share;
  return 1;
}

void CentralSync::end_round(Context& context) {
  round_.end();
  const double share = gather(context);
  const bool moves = share > 0 || params_.missing != MissingAnswer::kReweight;
  const bool all =
      std::all_of(answered_.begin(), answered_.end(), [&](auto k) { return k == round_.number(); });
  if (!all && share > 0 && params_.missing == MissingAnswer::kReweight) data_term_ /= share;

  const auto k = static_cast<double>(round_.number());
  context.regulariser_gradient(theta_, gradient_);
  gradient_ += data_term_;
  if (params_.algorithm == SyncAlgorithm::kAveraged) {
    const double s = 1 / std::sqrt(static_cast<double>(horizon_));
    context.model(0) = ((k - 1) / (s + k)) * context.model(0) + ((s + 1) / (s + k)) * theta_;
    if (moves) theta_ -= (step_ / std::sqrt(k)) * gradient_;
    if (moves) context.project(theta_);
  } else {
    if (moves) theta_ -= (step_ / k) * gradient_;
    context.model(0) = theta_;
  }
  next_round(context);
}

void CentralSync::next_round(Context& context) {
  if (round_.number() + 1 < horizon_) begin_round(context);
  context.count_iteration();
}

void CentralSync::reset(sim::AgentId agent, Context&) {
  if (agent != 0) return;
  theta_.setZero();
  answers_.setZero();
  gathered_.centre.setZero();
  std::fill(answered_.begin(), answered_.end(), 0u);
  round_.crash();
}

void CentralSync::on_up(sim::AgentId agent, Context& context) {
  if (agent == 0 && round_.restarts()) next_round(context);
}

}  // namespace hearsay::models
