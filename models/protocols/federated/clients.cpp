#include "models/protocols/federated/clients.hpp"

#include <algorithm>

namespace hearsay::models {

FederatedClients::FederatedClients(const LocalTraining::Params& params, const Study& study, Answer answer,
                                   Eigen::Index vectors)
    : local_(params, study),
      answer_(answer),
      used_(study.problem.owners()),
      queries_(study.problem.owners()),
      reply_(vectors * study.problem.p()) {
  for (std::size_t owner = 0; owner < study.problem.owners(); ++owner) {
    if (study.problem.n(owner) > 0) trainers_.push_back(static_cast<sim::AgentId>(owner) + 1);
  }
}

void FederatedClients::open_accounts(Context& context) {
  for (const sim::AgentId i : trainers_) local_.open_account(i, context);
}

void FederatedClients::train(sim::AgentId i, Context& context) {
  const auto taken = queries_.take(i, context);
  if (!taken) return;
  const Query& query = *taken;
  if (!context.may_release(i)) return context.send(i, 0, kRefusal, query.number);
  context.compute(i);
  const LocalTerms added = terms(query, context);
  const auto x = query.numbers().head(context.p());
  const auto [y, steps] = local_.train(i, x, context, added);
  if (steps == 0) return context.send(i, 0, kRefusal, query.number);
  complete(query, steps, y, reply_.tail(reply_.size() - context.p()));
  if (answer_ == Answer::kUpdate) {
    reply_.head(context.p()) = y - x;
  } else {
    reply_.head(context.p()) = y;
  }
  context.send(i, 0, kAnswer, query.number, reply_);
}

void FederatedClients::reset_client(sim::AgentId i) {
  queries_.lose(i - 1);
  local_.reset(i);
}

void FederatedClients::measure(std::size_t, const World&, std::span<double> out) const {
  std::copy(used_.begin(), used_.end(), out.begin());
}

}  // namespace hearsay::models
