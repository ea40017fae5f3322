#pragma once
// Minimises a convex, once differentiable, piecewise twice differentiable f over the box norm_inf(theta) <=
// limit: projected Newton with Armijo's rule along the projection arc (Bertsekas, "Projected Newton methods
// for optimization problems with simple constraints", SIAM J. Control 20, 1982). On a quadratic it ends after
// finitely many steps.
#include <Eigen/Core>

#include <functional>

namespace hearsay::models {

struct SmoothFunction {
  std::function<double(const Eigen::VectorXd& theta)> value;
  /// Sets the gradient (p) and, in its lower triangle, the Hessian (p x p).
  std::function<void(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient, Eigen::MatrixXd& hessian)>
      derivatives;
};

struct NewtonResult {
  Eigen::VectorXd theta, gradient;
  double residual = 0;  ///< norm_inf(theta - Pi(theta - gradient)) / scale
  double scale = 1;     ///< norm_inf(gradient at 0), or 1 where that is 0
  int iterations = 0;
};

/// `limit` may be infinite. Runs until the residual is at most `tolerance` or no step makes progress; the
/// caller judges the residual. O(p^3) an iteration plus two or more evaluations.
NewtonResult projected_newton(const SmoothFunction& f, const Eigen::VectorXd& start, double limit,
                              double tolerance = 1e-15, int max_iterations = 200);

}  // namespace hearsay::models
