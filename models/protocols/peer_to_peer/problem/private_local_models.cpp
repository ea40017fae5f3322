#include "models/protocols/peer_to_peer/problem/private_local_models.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "models/learning/solvers/record_objective.hpp"
#include "models/privacy/mechanisms/objective_perturbation.hpp"

namespace hearsay::models {

namespace {

std::string_view name_of_release(LocalRelease kind) {
  return sim::name_of(kind);
}

}  // namespace

void require_bound(LocalRelease kind, const Setting& setting) {
  if (kind == LocalRelease::kNoisyGradient) return;
  const Budget& privacy = setting.privacy;
  if (privacy.clips()) {
    throw std::invalid_argument(
        fmt::format("{} perturbs the exact minimiser, whose sensitivity clipping does not bound: give "
                    "privacy.gradient_bound, or use noisy_gradient",
                    name_of_release(kind)));
  }
  if (kind == LocalRelease::kOutput) return;
  const Loss& loss = setting.model.loss;
  // The proof bounds a ratio of determinants by the one eigenvalue in which a record changes the Hessian. With K classes
  // there are up to K - 1.
  if (!loss.scalar()) {
    throw std::invalid_argument(fmt::format(
        "objective perturbation is proved for losses of one score, whose Hessian has rank 1 in a record, not "
        "for {}: use noisy_gradient or output",
        loss.name()));
  }
  if (!loss.twice_differentiable() || loss.max_slope() > 1) {
    throw std::invalid_argument(fmt::format(
        "objective perturbation needs a twice differentiable loss of slope at most 1 (logistic), not {}",
        loss.name()));
  }
  if (privacy.bound > 1) {
    throw std::invalid_argument(
        fmt::format("objective perturbation needs norm_2(x) <= 1, so a gradient bound of at most 1, found {}",
                    privacy.bound));
  }
  if (privacy.adjacency != Adjacency::kReplaceOne)
    throw std::invalid_argument("objective perturbation is proved for privacy.adjacency replace_one");
}

namespace {

// argmin L_i. Its sensitivity, in the L2 norm, is that of the mean gradient over 2 lambda.
Sensitive own_minimiser(sim::AgentId i, double lambda, Context& context) {
  return context.from_data(
      i,
      [&](const Problem& problem, std::size_t owner) {
        return minimise_records(problem, owner, {.ridge = 2 * lambda});
      },
      context.privacy().sensitivity(context.records(i)) / (2 * lambda));
}

// The same by objective perturbation.
Eigen::VectorXd perturbed_minimiser(const Problem& problem, std::size_t owner, double lambda,
                                    ReleaseNoise& noise) {
  const auto records = static_cast<double>(problem.n(owner));
  Eigen::VectorXd tilt = Eigen::VectorXd::Zero(problem.p());
  double ridge = 0;
  if (noise.step != nullptr || noise.prescribed != nullptr) {
    const double epsilon =
        noise.step != nullptr ? noise.step->epsilon : std::numeric_limits<double>::infinity();
    const ObjectiveNoise objective =
        objective_noise(epsilon, records, 2 * lambda, problem.loss().max_curvature());
    ridge = objective.ridge;
    if (noise.prescribed != nullptr) {
      tilt = *noise.prescribed;
    } else {
      ExponentialNorm::add_noise({tilt.data(), static_cast<std::size_t>(tilt.size())},
                                 noise.factor() * objective.scale, noise.stream);
    }
  }
  return minimise_records(problem, owner, {.ridge = 2 * lambda + ridge, .tilt = tilt / records});
}

}  // namespace

std::optional<Step> local_release_step(LocalRelease kind, double epsilon, const Study& study) {
  if (!study.privacy.active()) return std::nullopt;
  require_bound(kind, setting_of(study));
  if (kind == LocalRelease::kObjective) return pure_step(epsilon);
  const bool l1 = study.privacy.norm() == Norm::kL1;
  if (kind == LocalRelease::kNoisyGradient && l1) return laplace_step(epsilon);
  return exponential_norm_step(epsilon, static_cast<int>(study.problem.parameters()));
}

void release_local_models(LocalRelease kind, const PersonalProblem& personal, Context& context,
                          Eigen::MatrixXd& out) {
  out.setZero(personal.p(), personal.agents());
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(personal.p());
  for (sim::AgentId i = 0; i < personal.agents(); ++i) {
    if (context.records(i) == 0) continue;
    const PersonalProblem::Agent& a = personal.agent(i);
    switch (kind) {
      case LocalRelease::kNoisyGradient:
        out.col(i) = -*context.release(i, context.gradient(i, zero)) / a.lipschitz;
        break;
      case LocalRelease::kOutput:
        out.col(i) = *context.release(i, own_minimiser(i, a.lambda, context));
        break;
      case LocalRelease::kObjective:
        out.col(i) =
            *context.release_by(i, [&](const Problem& problem, std::size_t owner, ReleaseNoise& noise) {
              return perturbed_minimiser(problem, owner, a.lambda, noise);
            });
        break;
    }
  }
}

}  // namespace hearsay::models
