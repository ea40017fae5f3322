#include "models/protocols/peer_to_peer/problem/private_local_models.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace hearsay::models {

namespace {

std::string_view name_of_release(LocalRelease kind) {
  return sim::Choices<LocalRelease>::kValues[static_cast<std::size_t>(kind)].name;
}

void require_bound(LocalRelease kind, const Study& study) {
  if (kind == LocalRelease::kNoisyGradient) return;
  const Privacy& privacy = study.privacy;
  if (privacy.clips()) {
    throw std::invalid_argument(
        fmt::format("{} perturbs the exact minimiser, whose sensitivity clipping does not bound: give "
                    "privacy.gradient_bound, or use noisy_gradient",
                    name_of_release(kind)));
  }
  if (kind == LocalRelease::kOutput) return;
  if (!study.problem.loss().is<LogisticLoss>()) {
    throw std::invalid_argument(
        fmt::format("objective perturbation is for the logistic loss, not {}", study.problem.loss().name()));
  }
  if (privacy.bound > 1) {
    throw std::invalid_argument(
        fmt::format("objective perturbation needs norm_2(x) <= 1, so a gradient bound of at most 1, got {}",
                    privacy.bound));
  }
  if (privacy.adjacency != Adjacency::kReplaceOne)
    throw std::invalid_argument("objective perturbation is proved for privacy.adjacency replace_one");
}

}  // namespace

std::optional<Step> local_release_step(LocalRelease kind, double epsilon, const Study& study) {
  if (!study.privacy.active()) return std::nullopt;
  require_bound(kind, study);
  if (kind == LocalRelease::kObjective) return pure_step(epsilon);
  const bool l1 = study.privacy.norm() == Norm::kL1;
  if (kind == LocalRelease::kNoisyGradient && l1) return laplace_step(epsilon);
  return exponential_norm_step(epsilon, static_cast<int>(study.problem.p()));
}

void release_local_models(LocalRelease kind, const PersonalProblem& personal, Context& context,
                          Eigen::MatrixXd& out) {
  out.setZero(personal.p(), static_cast<Eigen::Index>(personal.agents()));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(personal.p());
  for (sim::AgentId i = 0; i < personal.agents(); ++i) {
    if (context.records(i) == 0) continue;
    const PersonalProblem::Agent& a = personal.agent(i);
    switch (kind) {
      case LocalRelease::kNoisyGradient:
        out.col(i) = -*context.release(i, context.gradient(i, zero)) / a.lipschitz;
        break;
      case LocalRelease::kOutput:
        out.col(i) = *context.release(i, context.local_minimiser(i, a.lambda));
        break;
      case LocalRelease::kObjective:
        out.col(i) = *context.release_minimiser(i, a.lambda);
        break;
    }
  }
}

}  // namespace hearsay::models
