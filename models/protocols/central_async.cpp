#include "models/protocols/central_async.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

namespace hearsay::models {

namespace {

constexpr std::string_view kPaper = "Farokhi, Wu, Smith, Kaafar, Algorithm 1";

std::uint64_t horizon_of(const CentralAsync::Params& params, const Study& study) {
  const std::uint64_t stop = study.stop.iterations;
  const std::uint64_t horizon = params.horizon.value_or(stop);
  if (horizon == std::numeric_limits<std::uint64_t>::max()) {
    throw std::invalid_argument("central_async needs a horizon: give stop.iterations or protocol.horizon");
  }
  if (stop < std::numeric_limits<std::uint64_t>::max() && stop != horizon) {
    throw std::invalid_argument(fmt::format(
        "protocol.horizon ({}) and stop.iterations ({}) must agree where both are given", horizon, stop));
  }
  return horizon;
}

double sigma_of(const CentralAsync::Params& params, const Study& study) {
  const double sigma = params.sigma.value_or(study.problem.sigma());
  if (!(sigma > 0))
    throw std::invalid_argument("central_async needs strong convexity: model.l2 above 0 or protocol.sigma");
  return sigma;
}

double rho_of(const CentralAsync::Params& params, const Study& study) {
  if (const auto* given = std::get_if<GivenRho>(&params.rho)) return given->value;
  if (!study.problem.loss().is<SquaredLoss>()) {
    throw std::invalid_argument("protocol.rho \"auto\" needs the squared loss; give a number");
  }
  const double least = study.problem.hessian_extremes().first;
  if (!(least > 0))
    throw std::invalid_argument("protocol.rho \"auto\" needs a Hessian of full rank; give a number");
  const auto owners = static_cast<double>(study.problem.owners());
  return 5 * (owners + 1) * static_cast<double>(horizon_of(params, study)) * sigma_of(params, study) / least;
}

}  // namespace

void GivenRho::describe(sim::Visitor& v) {
  v(value, {.name = "value", .help = "rho.", .min = 0, .open_min = true, .required = true});
}

void CentralAsync::Params::describe(sim::Visitor& v) {
  v(rho, {.name = "rho",
          .help = "Step: the learner moves by rho/(T^2 sigma). A number, or \"auto\".",
          .source = kPaper,
          .required = true});
  v(horizon, {.name = "horizon",
              .help = "T: answers the privacy budget is spread over; by default stop.iterations.",
              .source = kPaper,
              .min = 1});
  v(sigma, {.name = "sigma",
            .help = "Strong convexity of the regulariser in the step; by default that of model.l2.",
            .source = kPaper,
            .min = 0,
            .open_min = true});
  v(learner_step, {.name = "learner_step", .help = "Factor of the learner's own step, equation (7)."});
  v(when_busy,
    {.name = "when_busy", .help = "What becomes of a request while the learner talks to another owner."});
  v(timeout, {.name = "timeout",
              .help = "How long the learner waits for an answer; a later one is discarded and stays spent.",
              .unit = "s",
              .min = 0,
              .open_min = true});
}

std::vector<std::string> CentralAsync::Params::fitted_on_private_data(const Study&) const {
  if (std::holds_alternative<AutoRho>(rho)) return {"protocol.rho: step from private data"};
  return {};
}

CentralAsync::CentralAsync(const Params& params, const Study& study)
    : when_busy_(params.when_busy),
      timeout_(params.timeout),
      horizon_(horizon_of(params, study)),
      sigma_(sigma_of(params, study)),
      copies_(Eigen::MatrixXd::Zero(study.problem.p(), static_cast<Eigen::Index>(study.problem.owners()))),
      bar_(study.problem.p()),
      regulariser_(study.problem.p()),
      plans_(study.problem.owners()) {
  const auto t = static_cast<double>(horizon_);
  const auto owners = static_cast<double>(study.problem.owners());
  step_ = rho_of(params, study) / (t * t * sigma_);
  study.privacy.require_room(horizon_);
  learner_factor_ = params.learner_step == LearnerStep::kPrinted ? (owners - 1) / owners : 0.5;
}

void CentralAsync::on_start(Context& context) {
  for (std::size_t owner = 0; owner < plans_.size(); ++owner) {
    plans_[owner] = context.plan(context.agent_of(owner), horizon_);
  }
}

void CentralAsync::on_tick(sim::AgentId owner, Context& context) {
  if (context.may_release(owner, plans_[context.owner(owner)])) context.send(owner, 0, kRequest, 0);
}

void CentralAsync::on_message(const sim::Message& message, Context& context) {
  switch (static_cast<Tag>(message.tag)) {
    case kRequest:
      request(message.from, context);
      break;
    case kQuery:
      answer(message, context);
      break;
    case kAnswer:
      update(message, context);
      break;
    case kTimeout:
      break;
  }
}

void CentralAsync::request(sim::AgentId owner, Context& context) {
  if (partner_ == sim::kNoAgent) {
    begin(owner, context);
  } else if (when_busy_ == WhenBusy::kQueue) {
    waiting_.push_back(owner);
  }
}

void CentralAsync::begin(sim::AgentId owner, Context& context) {
  partner_ = owner;
  ++conversation_;
  updates_at_query_ = context.iterations();
  bar_ = (context.model(0) + copies_.col(static_cast<Eigen::Index>(context.owner(owner)))) / 2;
  context.send(0, owner, kQuery, conversation_, bar_);
  context.after(0, timeout_, kTimeout, conversation_);
}

void CentralAsync::answer(const sim::Message& query, Context& context) {
  const sim::AgentId owner = query.to;
  const ReleasePlan& plan = plans_[context.owner(owner)];
  if (!context.may_release(owner, plan)) return;
  context.compute(owner);
  const Vector bar(query.payload.data(), static_cast<Eigen::Index>(query.payload.size()));
  const auto noisy = context.release(owner, context.gradient(owner, bar), plan);
  context.send(owner, 0, kAnswer, query.conversation,
               std::span(noisy->data(), static_cast<std::size_t>(noisy->size())));
}

void CentralAsync::update(const sim::Message& answer, Context& context) {
  if (partner_ != answer.from || answer.conversation != conversation_) {
    context.discard(answer);
    return;
  }
  const Vector q(answer.payload.data(), static_cast<Eigen::Index>(answer.payload.size()));
  auto theta_i = copies_.col(static_cast<Eigen::Index>(context.owner(answer.from)));
  const auto owners = static_cast<double>(plans_.size());
  const double share =
      static_cast<double>(context.records(answer.from)) / static_cast<double>(context.records());

  context.regulariser_gradient(bar_, regulariser_);
  theta_i = bar_ - owners * step_ * (regulariser_ / (2 * owners) + share * q);
  context.project(theta_i);
  context.model(0) = bar_ - learner_factor_ * step_ * regulariser_;
  context.project(context.model(0));

  context.count_staleness(static_cast<double>(context.iterations() - updates_at_query_),
                          context.now() - answer.sent);
  partner_ = sim::kNoAgent;
  context.count_iteration();
  if (context.iterations() < horizon_) serve_next(context);
}

void CentralAsync::serve_next(Context& context) {
  if (waiting_.empty()) return;
  const sim::AgentId owner = waiting_.front();
  waiting_.pop_front();
  begin(owner, context);
}

void CentralAsync::on_timer(sim::AgentId, std::uint16_t, std::uint32_t conversation, Context& context) {
  if (partner_ == sim::kNoAgent || conversation != conversation_) return;
  partner_ = sim::kNoAgent;
  serve_next(context);
}

void CentralAsync::reset(sim::AgentId agent) {
  if (agent != 0) return;
  copies_.setZero();
  waiting_.clear();
  partner_ = sim::kNoAgent;
}

bool CentralAsync::finished(const Context& context) const {
  if (context.iterations() >= horizon_) return true;
  return partner_ == sim::kNoAgent && waiting_.empty() && context.all_spent();
}

ProtocolRow central_async_row() {
  return row<CentralAsync>();
}

}  // namespace hearsay::models
