#include "models/protocols/central/central_async.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/run/timeout.hpp"

namespace hearsay::models {

namespace {

constexpr std::string_view kAsyncPaper = "Farokhi, Wu, Smith, Kaafar, Algorithm 1";

// rho and the step rho/(T^2 sigma) among N parties.
UsedStep rho_of(const CentralAsync::Params& params, std::uint64_t horizon, std::size_t parties,
                const Study& study) {
  const auto t = static_cast<double>(horizon);
  const double sigma = params.sigma.value_or(study.problem.sigma());
  const auto used = [&](double rho, bool automatic) {
    return UsedStep{.key = "rho", .automatic = automatic, .value = rho, .a = rho / (t * t * sigma)};
  };
  if (const auto* given = std::get_if<GivenStep>(&params.rho)) return used(given->value, false);
  const auto [smallest, largest] = hessian_for_step("rho", study);
  // An eigenvalue that is 0 is computed as a number of this magnitude.
  const double rounding =
      static_cast<double>(study.problem.p()) * std::numeric_limits<double>::epsilon() * largest;
  if (!(smallest > rounding)) throw std::invalid_argument(why_singular("rho", study.diagnosed()));
  return used(AutoRho::value(static_cast<double>(parties), t, sigma, smallest), true);
}

}  // namespace

void CentralAsync::Params::describe(sim::Visitor& v) {
  v(rho, {.name = "rho",
          .help = "Step parameter: the step size is rho/(T^2 sigma). A number, or \"auto\".",
          .source = kAsyncPaper,
          .required = true,
          .in_run = true});
  v(sigma,
    {.name = "sigma",
     .help = "Strong convexity constant of the regulariser in the step size; by default that of model.l2.",
     .source = kAsyncPaper,
     .min = 0,
     .open_min = true});
  v(learner_step, {.name = "learner_step", .help = "Factor c of the learner's own step in equation (7)."});
  v(initiative, {.name = "initiative",
                 .help = "Party that starts a conversation: a query and its answer.",
                 .source = "Farokhi, Wu, Smith, Kaafar, section III"});
  v(interval, sim::positive("interval", "Time between the learner's queries; for initiative learner.", "s"));
  v(when_busy,
    {.name = "when_busy", .help = "Handling of requests that arrive during another conversation."});
  v(interleave, {.name = "interleave",
                 .help = "Allow any number of concurrent conversations; by default one at a time."});
  v(stale_base,
    {.name = "stale_base", .help = "Base of an update if other answers have arrived since its query."});
  v(timeout,
    sim::positive("timeout",
                  "Time the learner waits for an answer; a later answer is discarded, but its privacy "
                  "budget remains spent. By default unlimited on a reliable network, else 5 typical round "
                  "trips, at least 1 s.",
                  "s"));
  v(groups, {.name = "groups",
             .help = "Sets of owners (numbered from 1) that answer as one fictitious owner; the others "
                     "answer individually.",
             .source = "Farokhi, Wu, Smith, Kaafar, Remark 2",
             .min = 1});
  v(reweight_by_frequency,
    {.name = "reweight_by_frequency",
     .help = "Multiply an answer by k/(N * number of visits to its owner so far), limited to [0.1, 10].",
     .source = "Farokhi, Wu, Smith, Kaafar, Remark 4"});
  v(budget_for,
    {.name = "budget_for",
     .help = "Number of answers for which an owner's budget is planned, unless privacy.steps says it."});
  OwnerOptions::describe(v);
}

void CentralAsync::Params::require(const Setting& setting) const {
  const std::uint64_t planned = planned_iterations("central_async", setting.stop);
  if (!sigma && setting.model.l2 == 0)
    throw std::invalid_argument("central_async needs strong convexity: model.l2 above 0 or protocol.sigma");
  if (std::holds_alternative<AutoRho>(rho)) require_squared_loss("rho", setting.model.loss);
  require_groups(groups, setting);
  std::optional<std::size_t> parties = setting.owners;
  for (const auto& group : groups)
    if (parties) *parties -= group.size() - 1;
  if (budget_for == BudgetFor::kHorizon) parties = 1;  // their number has no effect
  OwnerOptions::require(setting, parties ? std::optional(planned_answers(planned, *parties)) : std::nullopt);
  if (initiative == Initiative::kLearner && !interval) {
    throw std::invalid_argument(
        "protocol.interval, the time between the learner's queries, is required with initiative learner");
  }
}

UsedStep CentralAsync::Params::used_step(const Study& study) const {
  const Parties parties(groups, study);
  UsedStep step = rho_of(*this, planned_iterations("central_async", study), parties.count(), study);
  step.h_max = study.privacy.clips() ? study.diagnosed().largest_curvature()
                                     : largest_party_curvature(parties, study.diagnosed());
  if (step.h_max) *step.h_max += study.problem.sigma() / 2;
  return step;
}

std::vector<std::pair<std::string, double>> CentralAsync::Params::numbers(const Study& study) const {
  return step_numbers(used_step(study));
}

std::vector<std::string> CentralAsync::Params::notes(const Study& study) const {
  std::vector<std::string> all =
      step_notes(used_step(study), "so that the model can oscillate or diverge", study);
  if (interval && initiative == Initiative::kOwner)
    all.emplace_back("protocol.interval has no effect with initiative owner");
  return all;
}

std::optional<std::string> CentralAsync::Params::warning(const World& world) const {
  const std::uint64_t planned = planned_iterations("central_async", world.study);
  const Budget& privacy = world.study.privacy;
  if (!privacy.active() || !privacy.steps.empty() || budget_for != BudgetFor::kHorizon ||
      2 * world.iterations < planned)
    return std::nullopt;
  std::uint64_t most = 0;
  for (sim::AgentId i = 0; i < world.ledger.agents(); ++i)
    most = std::max<std::uint64_t>(most, world.ledger.account(i).releases);
  if (most == 0 || 2 * most >= planned) return std::nullopt;
  const std::size_t parties = Parties(groups, world.study).count();
  Params expected = *this;
  expected.budget_for = BudgetFor::kExpectedShare;
  return fmt::format(
      "no owner gave more than {} of the {} answers that its privacy budget is planned for, so the noise is "
      "larger than needed: set protocol.budget_for to expected_share, which plans for {}",
      most, planned, expected.planned_answers(planned, parties));
}

std::uint64_t CentralAsync::Params::planned_answers(std::uint64_t t, std::size_t parties) const {
  if (budget_for == BudgetFor::kHorizon) return t;
  const double share = static_cast<double>(t) / static_cast<double>(parties);
  return std::min(t, static_cast<std::uint64_t>(std::ceil(share + 3 * std::sqrt(share))));
}

CentralAsync::CentralAsync(const Params& params, const Study& study)
    : options_(fitting(params, study)),
      parties_(params.groups, study),
      horizon_(params.planned_iterations("central_async", study)),
      step_(rho_of(params, horizon_, parties_.count(), study).a),
      timeout_(timeout_of(params.timeout, study)),
      owners_(params, params.planned_answers(horizon_, parties_.count()), study),
      copies_(study.problem.p(), parties_.count()),
      bar_(study.problem.p()),
      regulariser_(study.problem.p()),
      visits_(parties_.count()) {
  const auto n = static_cast<double>(parties_.count());
  learner_factor_ = params.learner_step == LearnerStep::kPrinted ? (n - 1) / n : 0.5;
}

void CentralAsync::on_start(Context& context) {
  owners_.open_accounts(context);
  if (options_.initiative == Initiative::kLearner) query_all(context);
}

void CentralAsync::query_all(Context& context) {
  if (owners_.exhausted(context)) return;
  for (std::size_t party = 0; party < parties_.count(); ++party) ask(party, context);
  context.after(0, *options_.interval, kQueryAll);
}

void CentralAsync::on_tick(sim::AgentId owner, Context& context) {
  const std::size_t party = parties_.of(context.owner(owner));
  if (options_.initiative == Initiative::kLearner || parties_.members(party).front() != owner) return;
  const auto may_answer = [&](sim::AgentId member) { return owners_.may_answer(member, context); };
  if (owners_.is_learner(owner)) {
    if (context.up(0)) request(party, context);  // within the learner, which may be down
  } else if (std::ranges::any_of(parties_.members(party), may_answer)) {
    context.send(owner, 0, kRequest, 0);
  }
}

void CentralAsync::on_message(const sim::Message& message, Context& context) {
  if (message.tag == kRequest) {
    request(parties_.of(context.owner(message.from)), context);
  } else if (message.tag == CentralOwners::kQuery) {
    owners_.answer(message, context);
  } else if (Query* const query = queries_.match(message, context)) {
    if (message.tag == CentralOwners::kRefusal) {
      ++query->refusals;
      end_if_last(*query, context);
    } else {
      const Vector q = vector_of(message);
      receive(*query, message.from, q, message.sent, context);
    }
  }
}

void CentralAsync::on_timer(sim::AgentId, std::uint16_t tag, std::uint32_t number, Context& context) {
  if (tag == kQueryAll) {
    query_all(context);
    return;
  }
  Query* const query = queries_.find(number);
  if (query == nullptr) return;
  if (tag == CentralOwners::kOwnAnswer) {
    receive(*query, owners_.learner(), owners_.own_answer(query->bar, context), context.now(), context);
  } else {
    give_up(*query, context);
  }
}

// No more answers will come to a query: goes on with those that have.
void CentralAsync::give_up(Query& query, Context& context) {
  if (query.answers > 0) {
    query.sum /= query.weight;
    complete(query, context);
  } else {
    queries_.end(query.number);
    serve_next(context);
  }
}

void CentralAsync::request(std::size_t party, Context& context) {
  if (options_.interleave || queries_.in_flight() == 0) {
    ask(party, context);
  } else if (options_.when_busy == WhenBusy::kQueue) {
    waiting_.push_back(party);
  }
}

void CentralAsync::ask(std::size_t party, Context& context) {
  Query& query = queries_.begin();
  query.number = queries_.last();
  query.party = party;
  query.iteration = context.iterations();
  query.answers = query.refusals = 0;
  query.weight = 0;
  query.bar = (context.model(0) + copies_[party]) / 2;
  for (const sim::AgentId member : parties_.members(party))
    owners_.query(member, query.number, query.bar, context);
  context.after(0, timeout_, kTimeout, query.number);
}

void CentralAsync::receive(Query& query, sim::AgentId owner, const Eigen::Ref<const Eigen::VectorXd>& q,
                           sim::Time sent, Context& context) {
  const double weight = parties_.weight(context.owner(owner));
  if (query.answers++ == 0) {
    query.sum = weight * q;
  } else {
    query.sum += weight * q;
  }
  query.weight += weight;
  query.sent = sent;
  end_if_last(query, context);
}

void CentralAsync::end_if_last(Query& query, Context& context) {
  if (query.answers + query.refusals < parties_.members(query.party).size()) return;
  if (query.refusals == 0) {
    complete(query, context);
  } else {
    give_up(query, context);
  }
}

void CentralAsync::complete(Query& query, Context& context) {
  update(query, context);
  queries_.end(query.number);
  context.count_iteration();
  if (context.iterations() < horizon_) serve_next(context);
}

void CentralAsync::update(const Query& query, Context& context) {
  Eigen::MatrixXd::ColXpr theta_i = copies_[query.party];
  if (options_.stale_base == StaleBase::kSent) {
    bar_ = query.bar;
  } else {
    bar_ = (context.model(0) + theta_i) / 2;
  }
  const auto n = static_cast<double>(parties_.count());
  double weight = parties_.share(query.party);
  ++visits_[query.party];
  if (options_.reweight_by_frequency) {
    const auto k = static_cast<double>(context.iterations() + 1);
    weight *= std::clamp(k / (n * static_cast<double>(visits_[query.party])), 0.1, 10.0);
  }
  context.regulariser_gradient(bar_, regulariser_);
  theta_i = bar_ - n * step_ * (regulariser_ / (2 * n) + weight * query.sum);
  context.project(theta_i);
  context.model(0) = bar_ - learner_factor_ * step_ * regulariser_;
  context.project(context.model(0));
  context.count_staleness(static_cast<double>(context.iterations() - query.iteration),
                          context.now() - query.sent);
}

void CentralAsync::serve_next(Context& context) {
  if (waiting_.empty()) return;
  const std::size_t party = waiting_.front();
  waiting_.pop_front();
  ask(party, context);
}

void CentralAsync::reset(sim::AgentId agent, Context&) {
  if (agent != 0) return;
  copies_.setZero();
  waiting_.clear();
  queries_.crash();
}

void CentralAsync::on_up(sim::AgentId agent, Context& context) {
  if (agent != 0 || !queries_.restarts()) return;
  if (options_.initiative == Initiative::kLearner) query_all(context);
}

bool CentralAsync::finished(const Context& context) const {
  if (context.iterations() >= horizon_) return true;
  return queries_.in_flight() == 0 && waiting_.empty() && owners_.exhausted(context);
}

}  // namespace hearsay::models
