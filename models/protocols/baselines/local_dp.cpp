#include "models/protocols/baselines/local_dp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/random/random.hpp"

namespace hearsay::models {

namespace {

void require_cover_of_labels(const LocalDp::Params& params, const Budget& privacy, const Loss& loss) {
  if (!loss.is_classifier())
    throw std::invalid_argument(
        "protocol.epsilon_label flips classes, but the target is a number: leave it out");
  if (privacy.accountant == Accountant::kRdp || privacy.accountant == Accountant::kPld) {
    throw std::invalid_argument(
        fmt::format("{} covers the Laplace noise of features, not flipped classes: use accountant basic",
                    name_of(privacy.accountant)));
  }
  if (privacy.epsilon.empty()) return;
  const double smallest = *std::min_element(privacy.epsilon.begin(), privacy.epsilon.end());
  if (params.epsilon_label >= smallest) {
    throw std::invalid_argument(
        fmt::format("protocol.epsilon_label: expected a part of privacy.epsilon, below {}, found {}",
                    smallest, params.epsilon_label));
  }
}

// The records themselves with noise, as the header says; without privacy as they are.
Shard perturb(Shard shard, const LocalDp::Params& params, ReleaseNoise& noise) {
  if (noise.step == nullptr) return shard;
  const double epsilon = noise.step->epsilon - params.epsilon_label;
  sim::check(epsilon > 0, "the label takes all of the epsilon of a record");
  for (Eigen::Index k = 0; k < shard.features.rows(); ++k) {
    const double length = shard.features.row(k).lpNorm<1>();
    if (length > params.clip) shard.features.row(k) *= params.clip / length;
  }
  Laplace::add_noise({shard.features.data(), static_cast<std::size_t>(shard.features.size())},
                     2 * params.clip / epsilon, noise.stream);
  const double flip = params.epsilon_label > 0 ? 1 / (1 + std::exp(params.epsilon_label)) : 0;
  for (double& label : shard.target) {
    if (sim::bernoulli(noise.stream, flip)) label = -label;
  }
  return shard;
}

}  // namespace

void LocalDp::Params::describe(sim::Visitor& v) {
  personal.describe(v);
  v(clip, {.name = "clip",
           .help = "Bound B on norm_1 of a record's features, enforced by scaling.",
           .min = 0,
           .open_min = true});
  v(epsilon_label, {.name = "epsilon_label",
                    .help = "Part of epsilon that protects the class label; 0: the label is not protected.",
                    .min = 0});
  v(learn, {.name = "learn", .help = "Models learned from the perturbed records."});
}

void LocalDp::Params::require(const Setting& setting) const {
  personal.require(setting);
  const Budget& privacy = setting.privacy;
  if (!privacy.active()) return;
  if (!std::holds_alternative<Laplace>(privacy.mechanism))
    throw std::invalid_argument(
        "local_dp perturbs features with Laplace noise: use privacy.mechanism laplace");
  if (privacy.epsilon_warm)
    throw std::invalid_argument("local_dp makes one release: leave out privacy.epsilon_warm");
  if (epsilon_label > 0) require_cover_of_labels(*this, privacy, setting.model.loss);
}

LocalDp::LocalDp(const Params& params, const Study& study)
    : PersonalProtocol(params.personal, study), params_(fitting(params, study)) {
  study.privacy.require_room(1);
  if (params.epsilon_label == 0) study.exact("protocol.epsilon_label 0: labels are not protected");
}

void LocalDp::on_start(Context& context) {
  DataSet data = personal_.problem().data();
  for (sim::AgentId i = 0; i < context.agents(); ++i) {
    if (context.records(i) == 0) continue;
    context.open_account(i, 1);
    data.train[i] =
        *context.release_by(i, [&](const Problem& problem, std::size_t owner, ReleaseNoise& noise) {
          return perturb(problem.data().train[owner], params_, noise);
        });
  }
  data.bounds.reset();
  perturbed_ = std::make_unique<Problem>(std::move(data), personal_.problem().model());
  PersonalOptions options = params_.personal;
  options.lipschitz = Lipschitz::kData;  // only steps follow from it, and there are none
  const PersonalProblem noisy(options, *perturbed_, personal_.topology());
  for (sim::AgentId i = 0; i < context.agents(); ++i) {
    context.model(i) = params_.learn == LearnFromNoise::kAlone ? noisy.local_minimisers().col(i)
                                                               : noisy.optimum().models.col(i);
  }
  track(context.models());
}

ProtocolRow local_dp_row() {
  return row<LocalDp>();
}

}  // namespace hearsay::models
