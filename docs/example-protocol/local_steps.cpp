#include "local_steps.hpp"

#include <limits>

#include "sim/random/random.hpp"

namespace gossip {

using hearsay::models::Context;
using hearsay::models::Norm;
using hearsay::sim::AgentId;

void LocalSteps::Params::describe(hearsay::sim::Visitor& v) {
  v(step, hearsay::sim::positive("step", "Step size of a local step."));
  v(local_steps, {.name = "local_steps", .help = "Number K of local steps in a tick.", .min = 1});
  v(batch, {.name = "batch", .help = "Number of records in a mini-batch.", .min = 1});
  v(clip, hearsay::sim::positive("clip", "Bound on the norm of the sum of the local steps."));
  v(updates,
    {.name = "updates",
     .help =
         "Number of releases of each agent, for which its budget is planned, unless privacy.steps says it.",
     .min = 1});
}

LocalSteps::LocalSteps(const Params& params, const hearsay::models::Study& study)
    : params_(params),
      average_(study.problem.p()),
      local_(study.problem.p()),
      regulariser_(study.problem.p()),
      batch_(params.batch) {
  study.problem.require_records_of_all();
  if (study.privacy.steps.empty()) {
    study.privacy.require_room(params.updates);
  } else {
    study.privacy.require_room_for_steps();
  }
}

void LocalSteps::on_start(Context& context) {
  for (AgentId i = 0; i < context.agents(); ++i)
    context.open_account(i, context.privacy().steps_or(context.owner(i), params_.updates));
}

void LocalSteps::on_tick(AgentId i, Context& context) {
  average_ = context.model(i);
  for (const AgentId j : context.neighbours(i)) average_ += context.latest(i, j);
  average_ /= context.degree(i) + 1;
  context.compute(i);
  context.model(i) = average_;
  if (context.may_release(i)) learn(i, context);
  context.project(context.model(i));
  context.publish(i, context.model(i));
  context.count_iteration();
}

void LocalSteps::learn(AgentId i, Context& context) {
  constexpr double kNotReleased = std::numeric_limits<double>::infinity();
  hearsay::sim::Stream stream = context.random(kBatch, i);
  const auto records = static_cast<std::uint64_t>(context.records(i));
  local_ = average_;
  for (std::uint32_t k = 0; k < params_.local_steps; ++k) {
    for (Eigen::Index& record : batch_)
      record = static_cast<Eigen::Index>(hearsay::sim::uniform_index(stream, records));
    context.keep_local(context.gradient(i, local_, kNotReleased, batch_, params_.batch), gradient_);
    context.regulariser_gradient(local_, regulariser_);
    local_ -= params_.step * (gradient_.inside_owner() + regulariser_);
  }
  local_ -= average_;
  const double norm = context.privacy().norm() == Norm::kL1 ? local_.lpNorm<1>() : local_.norm();
  if (norm > params_.clip) local_ *= params_.clip / norm;
  context.model(i) += *context.release(i, context.sensitive(local_, 2 * params_.clip));
}

hearsay::models::ProtocolRow local_steps_row() {
  return hearsay::models::row<LocalSteps>();
}

}  // namespace gossip
