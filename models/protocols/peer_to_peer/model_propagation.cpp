#include "models/protocols/peer_to_peer/model_propagation.hpp"

#include <stdexcept>

#include "models/protocols/peer_to_peer/mixing.hpp"
#include "models/protocols/peer_to_peer/problem/propagation.hpp"

namespace hearsay::models {

namespace {

std::optional<LocalRelease> release_of(LocalModelKind kind) {
  switch (kind) {
    case LocalModelKind::kExact:
      return std::nullopt;
    case LocalModelKind::kNoisyGradient:
      return LocalRelease::kNoisyGradient;
    case LocalModelKind::kOutput:
      return LocalRelease::kOutput;
    case LocalModelKind::kObjective:
      return LocalRelease::kObjective;
  }
  return std::nullopt;
}

void require_private(LocalModelKind kind, const Setting& setting) {
  const Budget& privacy = setting.privacy;
  const std::optional<LocalRelease> release = release_of(kind);
  if (!release)
    throw std::invalid_argument(
        "protocol.local exact is not private: choose another, or privacy.mechanism none");
  if (privacy.epsilon_warm)
    throw std::invalid_argument(
        "model_propagation makes one release, with all of epsilon: leave out privacy.epsilon_warm");
  require_bound(*release, setting);
  if (*release != LocalRelease::kNoisyGradient &&
      !std::holds_alternative<ExponentialNorm>(privacy.mechanism)) {
    throw std::invalid_argument(
        "protocol.local output and objective need privacy.mechanism exponential_norm");
  }
}

}  // namespace

void ModelPropagation::Params::describe(sim::Visitor& v) {
  personal.describe(v);
  v(local, {.name = "local", .help = "Method for learning an agent's local model."});
  v(propagation, {.name = "propagation", .help = "Method for smoothing the models."});
}

void ModelPropagation::Params::require(const Setting& setting) const {
  personal.require(setting);
  if (setting.privacy.active()) require_private(local, setting);
  setting.privacy.require_room(1);
}

ModelPropagation::ModelPropagation(const Params& params, const Study& study)
    : PersonalProtocol(params.personal, study),
      params_(fitting(params, study)),
      published_(study.problem.owners()),
      mix_(study.problem.p()) {
  if (params.local == LocalModelKind::kExact) {
    study.exact("protocol.local: local models, published without noise");
  } else {
    list_steps(study);
  }
}

void ModelPropagation::on_start(Context& context) {
  for (sim::AgentId i = 0; i < context.agents(); ++i) {
    if (context.records(i) > 0) context.open_account(i, 1);
  }
  if (const std::optional<LocalRelease> release = release_of(params_.local)) {
    release_local_models(*release, personal_, context, local_);
  } else {
    local_ = personal_.local_minimisers();
  }
  const bool exact = params_.propagation == Propagation::kExact;
  if (exact) end_ = propagate(personal_, local_);
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.model(i) = exact ? end_->col(i) : local_.col(i);
  track(context.models());
}

void ModelPropagation::on_tick(sim::AgentId i, Context& context) {
  if (params_.propagation == Propagation::kNetwork) {
    const PersonalProblem::Agent& a = personal_.agent(i);
    context.compute(i);
    mix_neighbours(personal_, published_, i, true, context, mix_);
    context.model(i) = (mix_ + a.pull * local_.col(i)) / (1 + a.pull);
    changed(i);
    published_[i] = context.publish(i, context.model(i));
  }
  context.count_iteration();
}

void ModelPropagation::measure(std::size_t metric, const World& world, std::span<double> out) const {
  if (metric < kPersonalMetrics.size()) {
    PersonalProtocol::measure(metric, world, out);
    return;
  }
  if (!end_) end_ = propagate(personal_, local_);
  out[0] = (world.models - *end_).colwise().squaredNorm().mean();
}

ProtocolRow model_propagation_row() {
  return row<ModelPropagation>();
}

}  // namespace hearsay::models
