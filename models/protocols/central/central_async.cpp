#include "models/protocols/central/central_async.hpp"

#include <algorithm>
#include <utility>

#include "models/protocols/central/horizon.hpp"
#include "models/protocols/central/learner_owner.hpp"

namespace hearsay::models {

CentralAsync::CentralAsync(const Params& params, const Study& study)
    : options_(params),
      parties_(params.groups, study),
      horizon_(horizon_of("central_async", params.horizon, study)),
      answers_(params.planned_answers(horizon_, parties_.count())),
      interval_(params.queried_every()),
      step_(params.step(parties_.count(), study)),
      learner_owner_(learner_owner(params.learner_is_owner, study)),
      copies_(Eigen::MatrixXd::Zero(study.problem.p(), static_cast<Eigen::Index>(parties_.count()))),
      bar_(study.problem.p()),
      regulariser_(study.problem.p()),
      visits_(parties_.count()),
      conversations_(study.problem.p()) {
  const auto n = static_cast<double>(parties_.count());
  learner_factor_ = params.learner_step == LearnerStep::kPrinted ? (n - 1) / n : 0.5;
  study.privacy.require_room(answers_, params.overlap);
}

void CentralAsync::on_start(Context& context) {
  for (std::size_t owner = 0; owner < context.owners(); ++owner) {
    const sim::AgentId agent = context.agent_of(owner);
    if (agent != learner_owner_) context.open_account(agent, answers_, options_.overlap);
  }
  if (options_.initiative == Initiative::kLearner) query_all(context);
}

void CentralAsync::query_all(Context& context) {
  if (!learner_owner_ && context.all_spent()) return;
  for (std::size_t party = 0; party < parties_.count(); ++party) begin(party, context);
  context.after(0, interval_, kQueryAll);
}

void CentralAsync::on_tick(sim::AgentId owner, Context& context) {
  const std::size_t party = parties_.of(owner);
  if (options_.initiative == Initiative::kLearner || parties_.members(party).front() != owner) return;
  if (owner == learner_owner_) {
    request(party, context);
  } else if (context.may_release(owner)) {
    context.send(owner, 0, kRequest, 0);
  }
}

void CentralAsync::on_message(const sim::Message& message, Context& context) {
  switch (static_cast<Tag>(message.tag)) {
    case kRequest:
      request(parties_.of(message.from), context);
      break;
    case kQuery:
      answer(message, context);
      break;
    case kAnswer:
      receive(message, context);
      break;
    case kTimeout:
    case kQueryAll:
    case kOwnAnswer:
      break;
  }
}

void CentralAsync::on_timer(sim::AgentId, std::uint16_t tag, std::uint32_t number, Context& context) {
  if (tag == kQueryAll) {
    query_all(context);
    return;
  }
  Conversation* const conversation = conversations_.find(number);
  if (conversation == nullptr) return;
  if (tag == kOwnAnswer) {
    own_answer(*conversation, context);
  } else if (conversation->answers > 0) {
    conversation->sum /= conversation->weight;
    complete(*conversation, context);
  } else {
    conversations_.close(*conversation);
    serve_next(context);
  }
}

void CentralAsync::request(std::size_t party, Context& context) {
  if (options_.interleave || conversations_.open() == 0) {
    begin(party, context);
  } else if (options_.when_busy == WhenBusy::kQueue) {
    waiting_.push_back(party);
  }
}

void CentralAsync::begin(std::size_t party, Context& context) {
  Conversation& c = conversations_.begin(party, context.iterations());
  c.bar = (context.model(0) + copies_.col(static_cast<Eigen::Index>(party))) / 2;
  for (const sim::AgentId member : parties_.members(party)) {
    if (member == learner_owner_) {
      // As an event of its own, so that an update is never made in the middle of another.
      context.after(0, 0, kOwnAnswer, c.number);
    } else {
      context.send(0, member, kQuery, c.number, c.bar);
    }
  }
  context.after(0, options_.timeout, kTimeout, c.number);
}

void CentralAsync::answer(const sim::Message& query, Context& context) {
  const sim::AgentId owner = query.to;
  if (!context.may_release(owner)) return;
  context.compute(owner);
  const Vector bar = vector_of(query);
  const auto noisy = context.release(owner, context.gradient(owner, bar));
  context.send(owner, 0, kAnswer, query.conversation, *noisy);
}

void CentralAsync::own_answer(Conversation& c, Context& context) {
  const sim::AgentId owner = *learner_owner_;
  Conversations::add(c, parties_.weight(owner),
                     context.keep_local(context.gradient(owner, c.bar)).inside_owner(), context.now());
  if (c.answers == parties_.members(c.party).size()) complete(c, context);
}

void CentralAsync::receive(const sim::Message& answer, Context& context) {
  Conversation* const c = conversations_.find(answer.conversation);
  if (c == nullptr) {
    context.discard(answer);
    return;
  }
  const Vector q = vector_of(answer);
  Conversations::add(*c, parties_.weight(answer.from), q, answer.sent);
  if (c->answers == parties_.members(c->party).size()) complete(*c, context);
}

void CentralAsync::complete(Conversation& conversation, Context& context) {
  update(conversation, context);
  conversations_.close(conversation);
  context.count_iteration();
  if (context.iterations() < horizon_) serve_next(context);
}

void CentralAsync::update(const Conversation& c, Context& context) {
  Eigen::MatrixXd::ColXpr theta_i = copies_.col(static_cast<Eigen::Index>(c.party));
  if (options_.stale_base == StaleBase::kSent) {
    bar_ = c.bar;
  } else {
    bar_ = (context.model(0) + theta_i) / 2;
  }
  const auto n = static_cast<double>(parties_.count());
  double weight = parties_.share(c.party);
  ++visits_[c.party];
  if (options_.reweight_by_frequency) {
    const auto k = static_cast<double>(context.iterations() + 1);
    weight *= std::clamp(k / (n * static_cast<double>(visits_[c.party])), 0.1, 10.0);
  }
  context.regulariser_gradient(bar_, regulariser_);
  theta_i = bar_ - n * step_ * (regulariser_ / (2 * n) + weight * c.sum);
  context.project(theta_i);
  context.model(0) = bar_ - learner_factor_ * step_ * regulariser_;
  context.project(context.model(0));
  context.count_staleness(static_cast<double>(context.iterations() - c.iteration), context.now() - c.sent);
}

void CentralAsync::serve_next(Context& context) {
  if (waiting_.empty()) return;
  const std::size_t party = waiting_.front();
  waiting_.pop_front();
  begin(party, context);
}

void CentralAsync::reset(sim::AgentId agent, Context&) {
  if (agent != 0) return;
  copies_.setZero();
  waiting_.clear();
  conversations_.close_all();
  restarts_ = true;
}

void CentralAsync::on_up(sim::AgentId agent, Context& context) {
  // The timer of the next queries was lost with all else.
  if (agent != 0 || !std::exchange(restarts_, false)) return;
  if (options_.initiative == Initiative::kLearner) query_all(context);
}

bool CentralAsync::finished(const Context& context) const {
  if (context.iterations() >= horizon_) return true;
  return !learner_owner_ && conversations_.open() == 0 && waiting_.empty() && context.all_spent();
}

ProtocolRow central_async_row() {
  return row<CentralAsync>();
}

}  // namespace hearsay::models
