#include "models/protocols/gossip/gossip_learning.hpp"

#include <algorithm>

namespace hearsay::models {

void GossipLearning::Params::describe(sim::Visitor& v) {
  v(merge, {.name = "merge", .help = "How a received model becomes the receiver's model."});
  v(merge_weights, {.name = "merge_weights", .help = "Weights of two models that are merged."});
  LocalTraining::Params::describe(v);
}

GossipLearning::GossipLearning(const Params& params, const Study& study)
    : GossipAgents(params, study),
      params_(params),
      ages_(study.topology.agents()),
      last_ages_(ages_.size()),
      last_(study.problem.p(), params.merge == MergeRule::kRandomWalk ? 0 : ages_.size()),
      first_(study.problem.p()) {}

void GossipLearning::on_start(Context& context) {
  open_accounts(context);
  for (sim::AgentId i = 0; i < context.agents(); ++i) reset(i, context);
}

void GossipLearning::reset(sim::AgentId i, Context& context) {
  ages_[i] = last_ages_[i] = 0;
  if (last_.size() > 0) last_[i] = context.model(i);
  training_.reset(i);
}

void GossipLearning::on_tick(sim::AgentId i, Context& context) {
  context.send(i, random_neighbour(i, context), 0, ages_[i], context.model(i));
  context.count_iteration();
}

void GossipLearning::on_message(const sim::Message& message, Context& context) {
  const sim::AgentId j = message.to;
  const std::uint32_t age = message.conversation, sender = ages_[message.from];
  context.count_staleness(sender > age ? sender - age : 0, context.now() - message.sent);
  context.model(j) = vector_of(message);
  ages_[j] = age;
  if (params_.merge == MergeRule::kRandomWalk) return update(j, context);
  if (params_.merge == MergeRule::kMergeUpdate) {
    merge(j, last_[j], last_ages_[j], context);
    update(j, context);
  } else {
    update(j, context);
    first_ = context.model(j);
    const std::uint32_t first_age = ages_[j];
    context.model(j) = last_[j];
    ages_[j] = last_ages_[j];
    update(j, context);
    merge(j, first_, first_age, context);
  }
  last_[j] = vector_of(message);
  last_ages_[j] = age;
}

void GossipLearning::update(sim::AgentId j, Context& context) {
  if (const auto* update = local_update(j, context, {.first_step = ages_[j]})) context.model(j) += *update;
  ages_[j] += static_cast<std::uint32_t>(steps_made());
}

void GossipLearning::merge(sim::AgentId j, const Eigen::Ref<const Eigen::VectorXd>& other, std::uint32_t age,
                           Context& context) {
  const double sum = static_cast<double>(ages_[j]) + age;
  const bool by_age = params_.merge_weights == MergeWeights::kAge && sum > 0;
  const double weight = by_age ? age / sum : 0.5;
  context.model(j) = (1 - weight) * context.model(j) + weight * other;
  ages_[j] = std::max(ages_[j], age);
}

ProtocolRow gossip_learning_row() {
  return row<GossipLearning>();
}

}  // namespace hearsay::models
