#include "models/protocols/gossip/push_sum.hpp"

namespace hearsay::models {

void PushSum::Params::describe(sim::Visitor& v) {
  v(fan_out,
    {.name = "fan_out", .help = "Number m of random neighbours that an agent sends to at a tick.", .min = 1});
  v(weighted_update,
    {.name = "weighted_update",
     .help = "Whether a local update is multiplied by the agent's weight, which keeps steps bounded "
             "where messages are lost. The published method does not."});
  LocalTraining::Params::describe(v);
}

PushSum::PushSum(const Params& params, const Study& study)
    : GossipAgents(params, study),
      params_(params),
      weights_(Eigen::VectorXd::Ones(study.topology.agents())),
      part_(study.problem.p() + 1),
      ticks_(study.topology.agents()) {}

void PushSum::reset(sim::AgentId i, Context&) {
  weights_[i] = 1;
  training_.reset(i);
}

void PushSum::on_tick(sim::AgentId i, Context& context) {
  ++ticks_[i];
  double& weight = weights_[i];
  if (const auto* update = local_update(i, context))
    context.model(i) += (params_.weighted_update ? 1 : 1 / weight) * *update;
  if (weight >= kMinWeight) {
    const auto receivers = random_neighbours(i, params_.fan_out, context);
    weight /= static_cast<double>(receivers.size() + 1);
    part_ << weight * context.model(i), weight;
    for (const sim::AgentId j : receivers) context.send(i, j, 0, ticks_[i], part_);
  }
  context.count_iteration();
}

void PushSum::on_message(const sim::Message& message, Context& context) {
  const Vector part = vector_of(message);
  const Eigen::Index p = context.p();
  double& weight = weights_[message.to];
  context.model(message.to) = (weight * context.model(message.to) + part.head(p)) / (weight + part[p]);
  weight += part[p];
  context.count_staleness(ticks_[message.from] - message.conversation, context.now() - message.sent);
}

ProtocolRow push_sum_row() {
  return row<PushSum>();
}

}  // namespace hearsay::models
