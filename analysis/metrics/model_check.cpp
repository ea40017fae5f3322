#include "analysis/metrics/model_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hearsay::analysis {

namespace {

bool one_model(const models::World& w) {
  return w.hub && !w.study.own_models;
}

// f of the run's models; those of the agents are the columns of `models`.
double objective_of(const Eigen::MatrixXd& models, const models::World& w) {
  const models::Problem& problem = w.problem();
  if (one_model(w)) return problem.objective(models.col(0));
  double sum = 0;
  for (std::size_t owner = 0; owner < problem.owners(); ++owner) {
    const auto theta = models.col(static_cast<Eigen::Index>(w.agent(owner)));
    sum += problem.mean_loss(owner, theta) + problem.regulariser(theta);
  }
  return sum / static_cast<double>(problem.owners());
}

}  // namespace

void ModelCheck::look(const models::World& world, const Sample& at) {
  if (found_) return;
  const double norm = world.models.squaredNorm();
  if (std::isnan(start_)) {
    start_ = scale_ = objective_of(world.models, world);
    if (norm > 0)
      scale_ = std::max(start_,
                        objective_of(Eigen::MatrixXd::Zero(world.models.rows(), world.models.cols()), world));
    judged_ = norm;
  } else if (!(norm <= 4 * judged_)) {  // also where it is not finite
    judged_ = norm;
    found_ = judge(world, at);
  }
}

std::optional<std::string> ModelCheck::judge(const models::World& world, const Sample& at) const {
  if (!world.models.allFinite())
    return fmt::format("a model is not finite at {:.6g} s (iteration {})", at.time, at.iteration);
  const double value = objective_of(world.models, world);
  const double limit = kDivergence * (std::max(scale_, 1.0) + world.tally.noise);
  // An objective that has no value at the start cannot be judged.
  if (!std::isfinite(scale_) || value <= limit) return std::nullopt;
  return fmt::format("the objective of the {} was {:.4g} at the start and {} at {:.6g} s (iteration {})",
                     one_model(world) ? "model" : "models", start_,
                     std::isfinite(value) ? fmt::format("{:.4g}", value) : "not finite", at.time,
                     at.iteration);
}

std::optional<std::string> ModelCheck::verdict(const models::World& world) const {
  if (found_) return found_;
  return judge(world, {.iteration = world.iterations, .time = world.engine.now()});
}

}  // namespace hearsay::analysis
