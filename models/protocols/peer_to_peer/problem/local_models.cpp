#include "models/protocols/peer_to_peer/problem/local_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "models/solvers/dense.hpp"
#include "models/solvers/projected_newton.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kTolerance = 1e-10;

VectorXd minimiser(const Problem& problem, std::span<const std::size_t> owners, double lambda,
                   const VectorXd& shift) {
  double count = 0;
  for (const std::size_t owner : owners) count += static_cast<double>(problem.n(owner));
  const double share = count > 0 ? 1 / count : 0;
  const bool shifted = shift.size() > 0;
  const Loss& loss = problem.loss();

  const auto value = [&](const VectorXd& theta) {
    double total = 0;
    for (const std::size_t owner : owners) {
      const Shard& shard = problem.data().train[owner];
      const VectorXd scores = shard.features * theta;
      for (Index k = 0; k < scores.size(); ++k) total += loss.value(scores[k], shard.target[k]);
    }
    return share * total + lambda * theta.squaredNorm() + (shifted ? shift.dot(theta) : 0);
  };
  const auto derivatives = [&](const VectorXd& theta, VectorXd& gradient, MatrixXd& hessian) {
    gradient = 2 * lambda * theta;
    if (shifted) gradient += shift;
    hessian.setZero(theta.size(), theta.size());
    hessian.diagonal().array() = 2 * lambda;
    for (const std::size_t owner : owners) {
      const Shard& shard = problem.data().train[owner];
      const VectorXd scores = shard.features * theta;
      VectorXd slopes(scores.size()), curvatures(scores.size());
      for (Index k = 0; k < scores.size(); ++k) {
        slopes[k] = share * loss.slope(scores[k], shard.target[k]);
        curvatures[k] = share * loss.curvature(scores[k], shard.target[k]);
      }
      gradient += shard.features.transpose() * slopes;
      hessian += shard.features.transpose() * curvatures.asDiagonal() * shard.features;
    }
  };
  const NewtonResult r = projected_newton({value, derivatives}, VectorXd::Zero(problem.p()),
                                          std::numeric_limits<double>::infinity());
  VectorXd at_zero;
  MatrixXd unused;
  derivatives(VectorXd::Zero(problem.p()), at_zero, unused);
  const double reached = r.gradient.lpNorm<Eigen::Infinity>();
  if (!(reached <= kTolerance * std::max(1.0, at_zero.lpNorm<Eigen::Infinity>()))) {
    throw std::runtime_error(fmt::format("no convergence to a local minimiser: gradient {:g} after {} steps",
                                         reached, r.iterations));
  }
  return r.theta;
}

}  // namespace

std::vector<double> spectral_norms(const Problem& problem) {
  std::vector<double> norms;
  for (const Shard& shard : problem.data().train) {
    const Index m = shard.features.rows(), p = shard.features.cols();
    if (m == 0) {
      norms.push_back(0);
      continue;
    }
    MatrixXd gram;
    if (m < p) {
      gram = shard.features * shard.features.transpose();
    } else {
      gram = shard.features.transpose() * shard.features;
    }
    norms.push_back(std::max(0.0, symmetric_eigenvalues(gram)[gram.rows() - 1]) / static_cast<double>(m));
  }
  return norms;
}

VectorXd local_minimiser(const Problem& problem, std::size_t owner, double lambda, const VectorXd& shift) {
  return minimiser(problem, std::span(&owner, 1), lambda, shift);
}

VectorXd pooled_minimiser(const Problem& problem, double lambda) {
  return minimiser(problem, problem.everyone(), lambda, {});
}

}  // namespace hearsay::models
