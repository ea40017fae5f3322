#include "push_sum.hpp"

#include "sim/random/random.hpp"

namespace gossip {

using hearsay::models::Context;
using hearsay::models::vector_of;
using hearsay::sim::AgentId;

PushSum::PushSum(const Params&, const hearsay::models::Study& study)
    : mass_(study.problem.p() + 1, study.topology.agents()) {}

void PushSum::on_start(Context& context) {
  for (AgentId i = 0; i < context.agents(); ++i) {
    reset(i, context);
    context.model(i).setConstant(i);
  }
}

void PushSum::reset(AgentId i, Context& context) {
  mass_.col(i).setConstant(i);
  mass_(context.p(), i) = 1;
}

void PushSum::on_tick(AgentId i, Context& context) {
  hearsay::sim::Stream stream = context.random(kNeighbour, i);
  const auto neighbours = context.neighbours(i);
  const AgentId to = neighbours[hearsay::sim::uniform_index(stream, neighbours.size())];
  mass_.col(i) /= 2;
  context.send(i, to, kHalf, 0, mass_.col(i));
  context.count_iteration();
}

void PushSum::on_message(const hearsay::sim::Message& message, Context& context) {
  const AgentId i = message.to;
  mass_.col(i) += vector_of(message);
  context.model(i) = mass_.col(i).head(context.p()) / mass_(context.p(), i);
}

void PushSum::measure(std::size_t, const hearsay::models::World&, std::span<double> out) const {
  out[0] = mass_.bottomRows(1).sum();
}

hearsay::models::ProtocolRow push_sum_row() {
  return hearsay::models::row<PushSum>();
}

}  // namespace gossip
