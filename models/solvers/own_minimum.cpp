#include "models/solvers/own_minimum.hpp"

#include <fmt/format.h>

#include <limits>
#include <stdexcept>

#include "models/solvers/projected_newton.hpp"

namespace hearsay::models {

Eigen::VectorXd minimise_own(const Problem& problem, std::size_t owner,
                             const Eigen::Ref<const Eigen::VectorXd>& offset, double ridge) {
  problem.loss().require_smooth();
  const Shard& shard = problem.data().train[owner];
  const Eigen::VectorXd base = shard.features * offset;
  const auto n = static_cast<double>(shard.target.size());
  return problem.loss().visit([&](const auto& loss) -> Eigen::VectorXd {
    const auto value = [&](const Eigen::VectorXd& q) {
      const Eigen::VectorXd scores = base + shard.features * q;
      double total = 0;
      for (Eigen::Index k = 0; k < scores.size(); ++k) total += loss.value(scores[k], shard.target[k]);
      return total / n + ridge / 2 * q.squaredNorm();
    };
    const auto derivatives = [&](const Eigen::VectorXd& q, Eigen::VectorXd& gradient,
                                 Eigen::MatrixXd& hessian) {
      Eigen::VectorXd slope = base + shard.features * q, curvature(slope.size());
      for (Eigen::Index k = 0; k < slope.size(); ++k) {
        curvature[k] = loss.curvature(slope[k], shard.target[k]) / n;
        slope[k] = loss.slope(slope[k], shard.target[k]) / n;
      }
      gradient = shard.features.transpose() * slope + ridge * q;
      const Records weighted = curvature.cwiseSqrt().asDiagonal() * shard.features;
      hessian.setZero(q.size(), q.size());
      hessian.selfadjointView<Eigen::Lower>().rankUpdate(weighted.transpose());
      hessian.diagonal().array() += ridge;
    };
    const NewtonResult r = projected_newton({value, derivatives}, Eigen::VectorXd::Zero(offset.size()),
                                            std::numeric_limits<double>::infinity());
    if (!(r.residual <= 1e-8)) {
      throw std::runtime_error(fmt::format(
          "owner {}: no minimiser of its own found (residual {:.1e}): give a ridge", owner, r.residual));
    }
    return r.theta;
  });
}

const Eigen::VectorXd& minimise_alone(const Problem& problem, std::size_t owner, double ridge) {
  return *problem.memo().get<Eigen::VectorXd>(
      fmt::format("alone, owner {}, ridge {:.17g}", owner, ridge),
      [&] { return minimise_own(problem, owner, Eigen::VectorXd::Zero(problem.p()), ridge); });
}

}  // namespace hearsay::models
