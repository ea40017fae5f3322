#include "gossip_average.hpp"

namespace gossip {

using hearsay::models::Context;
using hearsay::sim::AgentId;

void GossipAverage::Params::describe(hearsay::sim::Visitor& v) {
  v(step, {.name = "step",
           .help = "How far an agent moves towards its neighbours' mean.",
           .min = 0,
           .max = 1,
           .open_min = true});
}

GossipAverage::GossipAverage(const Params& params, const hearsay::models::Study& study)
    : step_(params.step), mean_(study.problem.p()) {}

void GossipAverage::on_start(Context& context) {
  for (AgentId i = 0; i < context.agents(); ++i) context.model(i).setConstant(i);
}

void GossipAverage::on_tick(AgentId i, Context& context) {
  mean_.setZero();
  for (const AgentId j : context.neighbours(i)) mean_ += context.latest(i, j);
  context.model(i) += step_ * (mean_ / context.degree(i) - context.model(i));
  context.publish(i, context.model(i));
  context.count_iteration();
}

hearsay::models::ProtocolRow gossip_average_row() {
  return hearsay::models::row<GossipAverage>();
}

}  // namespace gossip
