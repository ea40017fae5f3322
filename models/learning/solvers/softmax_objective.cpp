#include "models/learning/solvers/softmax_objective.hpp"

#include <algorithm>

namespace hearsay::models {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Adds q_k ([k = l] - q_l) x x^T over the records of a shard to the blocks k >= l.
void add_curvature(const Shard& shard, const VectorXd& theta, Index classes, MatrixXd& hessian) {
  const Records& x = shard.features;
  const Index d = x.cols();
  const Eigen::Map<const Records> w(theta.data(), classes, d);
  MatrixXd q = x * w.transpose();  // records x classes
  q.colwise() -= VectorXd(q.rowwise().maxCoeff());
  q = q.array().exp();
  q.array().colwise() /= q.rowwise().sum().array().eval();
  Records weighted(x.rows(), d);
  for (Index k = 0; k < classes; ++k) {
    for (Index l = 0; l <= k; ++l) {
      const VectorXd weight = q.col(k).array() * ((k == l ? 1.0 : 0.0) - q.col(l).array());
      weighted = weight.asDiagonal() * x;
      hessian.block(k * d, l * d, d, d).noalias() += x.transpose() * weighted;
    }
  }
}

}  // namespace

SmoothFunction softmax_objective(const Problem& problem, Owners owners, double ridge) {
  double n = 0;
  for (const std::size_t i : owners) n += static_cast<double>(problem.n(i));
  n = std::max(n, 1.0);
  const auto value = [=, &problem](const VectorXd& theta) {
    double total = 0;
    for (const std::size_t i : owners) total += problem.network()->total_loss(problem.data().train[i], theta);
    return total / n + ridge / 2 * theta.squaredNorm();
  };
  const auto derivatives = [=, &problem](const VectorXd& theta, VectorXd& gradient, MatrixXd& hessian) {
    gradient = ridge * theta;
    hessian.setZero(theta.size(), theta.size());
    VectorXd own(theta.size());
    for (const std::size_t i : owners) {
      if (problem.n(i) == 0) continue;
      problem.mean_gradient(i, theta, own);
      gradient += static_cast<double>(problem.n(i)) / n * own;
      add_curvature(problem.data().train[i], theta, problem.network()->scores(), hessian);
    }
    hessian /= n;
    hessian.diagonal().array() += ridge;
  };
  return {value, derivatives};
}

}  // namespace hearsay::models
