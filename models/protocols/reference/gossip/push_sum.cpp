#include "models/protocols/reference/gossip/push_sum.hpp"

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

sim::Memory PushSum::Params::memory(const Extent& e) const {
  const sim::Memory training = LocalTraining::Params::memory(e);
  return {training.held + e.vectors(e.agents) + e.agents * (2 * sizeof(double) + fan_out * e.message),
          training.making};
}

PushSum::PushSum(const Params& params, const Study& study)
    : GossipAgents(params, study),
      params_(params),
      mass_(study.problem.p() + 1, study.topology.agents()),
      ticks_(study.topology.agents()) {}

void PushSum::on_start(Context& context) {
  open_accounts(context);
  for (sim::AgentId i = 0; i < context.agents(); ++i) reset(i, context);
}

void PushSum::reset(sim::AgentId i, Context& context) {
  mass_[i] << context.model(i), 1;
  training_.reset(i);
}

void PushSum::on_tick(sim::AgentId i, Context& context) {
  auto mass = mass_[i];
  double& weight = mass[context.p()];
  ++ticks_[i];
  if (const auto* update = local_update(i, context)) {
    mass.head(context.p()) += (params_.weighted_update ? weight : 1) * *update;
    context.model(i) = mass.head(context.p()) / weight;
  }
  if (weight >= kLeastWeight) {
    const auto receivers = random_neighbours(i, params_.fan_out, context);
    mass /= static_cast<double>(receivers.size() + 1);
    for (const sim::AgentId j : receivers) context.send(i, j, 0, ticks_[i], mass);
  }
  context.count_iteration();
}

void PushSum::on_message(const sim::Message& message, Context& context) {
  auto mass = mass_[message.to];
  mass += vector_of(message);
  context.model(message.to) = mass.head(context.p()) / mass[context.p()];
  context.count_staleness(ticks_[message.from] - message.conversation, context.now() - message.sent);
}

ProtocolRow push_sum_row() {
  return row<PushSum>();
}

}  // namespace hearsay::models
