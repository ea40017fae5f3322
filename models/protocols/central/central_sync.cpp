#include "models/protocols/central/central_sync.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "models/protocols/central/horizon.hpp"
#include "models/protocols/central/learner_owner.hpp"

namespace hearsay::models {

namespace {

constexpr std::string_view kSyncPaper = "Wu, Farokhi, Smith, Kaafar, Algorithms 1 and 2";

std::uint64_t rounds_of(const CentralSync::Params& params, const Study& study) {
  const std::uint64_t rounds = horizon_of("central_sync", params.horizon, study);
  if (rounds < 2) {
    throw std::invalid_argument(
        "central_sync needs a horizon of at least 2: the first iteration is the start");
  }
  return rounds;
}

// rho/T^2 or c1: what is divided by k or sqrt(k).
double step_of(const CentralSync::Params& params, const Study& study) {
  const bool averaged = params.algorithm == SyncAlgorithm::kAveraged;
  const std::optional<CentralSync::Step>& step = averaged ? params.c1 : params.rho;
  const std::string_view name = averaged ? "c1" : "rho";
  if (!step) {
    throw std::invalid_argument(
        fmt::format("protocol.{} is the step of {}: give a number, or \"auto\"", name,
                    sim::Choices<SyncAlgorithm>::kValues[static_cast<std::size_t>(params.algorithm)].name));
  }
  if (const auto* given = std::get_if<GivenStep>(&*step)) {
    const auto rounds = static_cast<double>(rounds_of(params, study));
    return averaged ? given->value : given->value / (rounds * rounds);
  }
  if (!study.problem.loss().quadratic()) {
    throw std::invalid_argument(
        fmt::format("protocol.{} \"auto\" needs the squared loss; give a number", name));
  }
  const double largest = study.problem.hessian_extremes().second + study.problem.sigma();
  if (!(largest > 0)) {
    throw std::invalid_argument(
        fmt::format("protocol.{} \"auto\" needs data that are not 0; give a number", name));
  }
  return 1 / largest;
}

void require_no_box(const Study& study) {
  if (!study.problem.model().theta_max) return;
  if (study.privacy.source == BoundSource::kDerived && !std::isfinite(study.problem.loss().max_slope())) {
    throw std::invalid_argument(
        "strongly_convex keeps no box, so that a gradient bound derived from theta_max does not hold: give "
        "privacy.gradient_bound or privacy.clip");
  }
  if (study.optimum().box_active) {
    throw std::invalid_argument(
        "strongly_convex keeps no box, and the best model lies outside of model.theta_max: leave it out");
  }
}

}  // namespace

void CentralSync::Params::describe(sim::Visitor& v) {
  v(algorithm, {.name = "algorithm", .help = "How the learner moves.", .source = kSyncPaper});
  v(rho, {.name = "rho",
          .help = "Step of strongly_convex: round k moves by rho/(T^2 k). A number, or \"auto\".",
          .source = kSyncPaper});
  v(c1, {.name = "c1",
         .help = "Step of averaged: round k moves by c1/sqrt(k). A number, or \"auto\".",
         .source = kSyncPaper});
  v(horizon, {.name = "horizon",
              .help = "T: rounds the privacy budget is spread over; by default stop.iterations.",
              .source = kSyncPaper,
              .min = 2});
  v(round_timeout, {.name = "round_timeout",
                    .help = "How long the learner waits in a round for the last answer.",
                    .unit = "s",
                    .min = 0,
                    .open_min = true});
  v(missing, {.name = "missing", .help = "What stands for an answer that has not come in time."});
  describe_owners(v, overlap, learner_is_owner);
}

std::vector<std::string> CentralSync::Params::fitted_on_private_data(const Study&) const {
  std::vector<std::string> all;
  const bool averaged = algorithm == SyncAlgorithm::kAveraged;
  const std::optional<Step>& step = averaged ? c1 : rho;
  if (step && std::holds_alternative<NewtonStep>(*step))
    all.push_back(fmt::format("protocol.{}: step from private data", averaged ? "c1" : "rho"));
  if (learner_is_owner) all.push_back(unaccounted_learner_owner(*learner_is_owner));
  return all;
}

CentralSync::CentralSync(const Params& params, const Study& study)
    : algorithm_(params.algorithm),
      missing_(params.missing),
      round_timeout_(params.round_timeout),
      horizon_(rounds_of(params, study)),
      step_(step_of(params, study)),
      overlap_(params.overlap),
      learner_owner_(learner_owner(params.learner_is_owner, study)),
      theta_(Eigen::VectorXd::Zero(study.problem.p())),
      data_term_(study.problem.p()),
      gradient_(study.problem.p()),
      answers_(Eigen::MatrixXd::Zero(study.problem.p(), static_cast<Eigen::Index>(study.problem.owners()))),
      answered_(study.problem.owners()) {
  if (algorithm_ == SyncAlgorithm::kStronglyConvex) require_no_box(study);
  study.privacy.require_room(horizon_, overlap_);
}

void CentralSync::on_start(Context& context) {
  for (std::size_t owner = 0; owner < answered_.size(); ++owner) {
    const sim::AgentId agent = context.agent_of(owner);
    if (agent != learner_owner_) context.open_account(agent, horizon_, overlap_);
  }
  begin_round(context);
  context.count_iteration();
}

void CentralSync::begin_round(Context& context) {
  ++round_;
  arrived_ = 0;
  for (std::size_t owner = 0; owner < answered_.size(); ++owner) {
    const sim::AgentId agent = context.agent_of(owner);
    if (agent == learner_owner_) {
      context.after(0, 0, kOwnAnswer, round_);
    } else {
      context.send(0, agent, kQuery, round_, theta_);
    }
  }
  context.after(0, round_timeout_, kRoundOver, round_);
}

void CentralSync::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kQuery) {
    answer(message, context);
  } else {
    receive(message, context);
  }
}

void CentralSync::on_timer(sim::AgentId, std::uint16_t tag, std::uint32_t round, Context& context) {
  if (round != round_) return;
  if (tag == kOwnAnswer) {
    own_answer(context);
  } else {
    end_round(context);
  }
}

void CentralSync::answer(const sim::Message& query, Context& context) {
  const sim::AgentId owner = query.to;
  context.compute(owner);
  const Vector theta = vector_of(query);
  const auto noisy = context.release(owner, context.gradient(owner, theta));
  if (!noisy) return;
  context.send(owner, 0, kAnswer, query.conversation, *noisy);
}

void CentralSync::own_answer(Context& context) {
  const sim::AgentId owner = *learner_owner_;
  keep(context.owner(owner), context.keep_local(context.gradient(owner, theta_)).inside_owner(), round_);
  if (arrived_ == answered_.size()) end_round(context);
}

void CentralSync::receive(const sim::Message& answer, Context& context) {
  const std::size_t owner = context.owner(answer.from);
  const bool late = answer.conversation != round_;
  if (late && (missing_ != MissingAnswer::kLast || answer.conversation < answered_[owner])) {
    context.discard(answer);
    return;
  }
  keep(owner, vector_of(answer), answer.conversation);
  context.count_staleness(static_cast<double>(round_ - answer.conversation), context.now() - answer.sent);
  if (arrived_ == answered_.size()) end_round(context);
}

void CentralSync::keep(std::size_t owner, const Eigen::Ref<const Eigen::VectorXd>& q, std::uint32_t round) {
  answers_.col(static_cast<Eigen::Index>(owner)) = q;
  answered_[owner] = round;
  if (round == round_) ++arrived_;
}

// Sets the data's term of the gradient, summed in the order of the owners whatever the order in which their
// answers came. Returns the share of the records that it speaks for.
double CentralSync::gather(const Context& context) {
  data_term_.setZero();
  double share = 0;
  for (std::size_t owner = 0; owner < answered_.size(); ++owner) {
    const std::uint32_t round = answered_[owner];
    if (round == 0 || (round != round_ && missing_ != MissingAnswer::kLast)) continue;
    const double weight = static_cast<double>(context.records(context.agent_of(owner))) /
                          static_cast<double>(context.records());
    data_term_ += weight * answers_.col(static_cast<Eigen::Index>(owner));
    share += weight;
  }
  return share;
}

void CentralSync::end_round(Context& context) {
  const bool all = arrived_ == answered_.size();
  const double share = gather(context);
  const bool moves = share > 0 || missing_ != MissingAnswer::kReweight;
  if (!all && share > 0 && missing_ == MissingAnswer::kReweight) data_term_ /= share;

  const auto k = static_cast<double>(round_);
  context.regulariser_gradient(theta_, gradient_);
  gradient_ += data_term_;
  if (algorithm_ == SyncAlgorithm::kAveraged) {
    const double s = 1 / std::sqrt(static_cast<double>(horizon_));
    context.model(0) = ((k - 1) / (s + k)) * context.model(0) + ((s + 1) / (s + k)) * theta_;
    if (moves) theta_ -= (step_ / std::sqrt(k)) * gradient_;
    if (moves) context.project(theta_);
  } else {
    if (moves) theta_ -= (step_ / k) * gradient_;
    context.model(0) = theta_;
  }
  if (round_ + 1 < horizon_) begin_round(context);
  context.count_iteration();
}

void CentralSync::reset(sim::AgentId agent, Context&) {
  if (agent != 0) return;
  theta_.setZero();
  answers_.setZero();
  std::fill(answered_.begin(), answered_.end(), 0u);
  restarts_ = true;
}

void CentralSync::on_up(sim::AgentId agent, Context& context) {
  if (agent != 0 || !std::exchange(restarts_, false)) return;
  if (round_ + 1 < horizon_) begin_round(context);
  context.count_iteration();
}

ProtocolRow central_sync_row() {
  return row<CentralSync>();
}

}  // namespace hearsay::models
