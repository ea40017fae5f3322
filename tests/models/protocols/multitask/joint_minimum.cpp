#include "tests/models/protocols/multitask/joint_minimum.hpp"

#include "models/algebra/dense.hpp"
#include "tests/support/jacobi.hpp"

namespace hearsay::test {

namespace {

constexpr int kSteps = 20000;

// Gradients of the tasks' mean squared losses at the columns of w.
Eigen::MatrixXd task_gradients(const models::Problem& problem, const Eigen::MatrixXd& w) {
  Eigen::MatrixXd g(w.rows(), w.cols());
  for (Eigen::Index t = 0; t < w.cols(); ++t) {
    const models::Shard& shard = problem.data().train[static_cast<std::size_t>(t)];
    g.col(t) = 2 * shard.features.transpose() * (shard.features * w.col(t) - shard.target) /
               static_cast<double>(shard.target.size());
  }
  return g;
}

Eigen::MatrixXd zeros(const models::Problem& problem) {
  return Eigen::MatrixXd::Zero(problem.p(), static_cast<Eigen::Index>(problem.owners()));
}

}  // namespace

double joint_objective(const models::Problem& problem, const Eigen::MatrixXd& p, const Eigen::MatrixXd& q,
                       double lambda, double tau) {
  double sum = lambda * models::singular_values(p).sum() + tau / 2 * q.squaredNorm();
  for (std::size_t t = 0; t < problem.owners(); ++t)
    sum += problem.mean_loss(t, p.col(static_cast<Eigen::Index>(t)) + q.col(static_cast<Eigen::Index>(t)));
  return sum;
}

std::pair<Eigen::MatrixXd, Eigen::MatrixXd> minimise_jointly(const models::Problem& problem, double lambda,
                                                             double tau, double step) {
  Eigen::MatrixXd p = zeros(problem), q = p;
  for (int k = 0; k < kSteps; ++k) {
    const Eigen::MatrixXd g = task_gradients(problem, p + q);
    q -= step * (g + tau * q);
    p = soft_threshold(p - step * g, step * lambda);
  }
  return {p, q};
}

Eigen::MatrixXd minimise_low_rank(const models::Problem& problem, double lambda, double step) {
  Eigen::MatrixXd p = zeros(problem);
  for (int k = 0; k < kSteps; ++k) p = soft_threshold(p - step * task_gradients(problem, p), step * lambda);
  return p;
}

}  // namespace hearsay::test
