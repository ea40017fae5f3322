#pragma once
// Minimises a convex, once differentiable, piecewise twice differentiable f over the box norm_inf(theta) <=
// limit: projected Newton with Armijo's rule along the projection arc (Bertsekas, "Projected Newton methods
// for optimization problems with simple constraints", SIAM J. Control 20, 1982). Once a step has been cut short, those of a
// twice differentiable f go to the minimiser in the box of the quadratic model. On a quadratic whose Hessian is given it ends
// after finitely many steps.
#include <Eigen/Core>

#include <functional>

namespace hearsay::models {

/// A Hessian H at a point as an operator.
struct Curvature {
  Eigen::VectorXd diagonal = {};
  std::function<void(const Eigen::VectorXd& v, Eigen::VectorXd& out)> product = {};  ///< out = H v
};

struct SmoothFunction {
  std::function<double(const Eigen::VectorXd& theta)> value;
  std::function<void(const Eigen::VectorXd& theta, Eigen::VectorXd& out)> gradient;
  /// Sets the lower triangle (p x p).
  std::function<void(const Eigen::VectorXd& theta, Eigen::MatrixXd& out)> hessian = {};
  /// Of an f that is twice differentiable. Used where there is no `hessian`, or that has more than 1000 rows.
  std::function<Curvature(const Eigen::VectorXd& theta)> curvature = {};
};

struct NewtonResult {
  Eigen::VectorXd theta, gradient;
  double residual = 0;  ///< norm_inf(theta - Pi(theta - gradient)) / scale
  double scale = 1;     ///< norm_inf(gradient at 0), or 1 where that is 0
  int iterations = 0;
};

/// `limit` may be infinite. Runs until the residual is at most `tolerance` or no step makes progress; the
/// caller judges the residual. An iteration is two or more values, a gradient, and O(p^3), or with `curvature` up to
/// p + 1000 products: conjugate gradients (Eigen's), preconditioned by the diagonal, ever more exact as the residual falls.
NewtonResult projected_newton(const SmoothFunction& f, const Eigen::VectorXd& start, double limit,
                              double tolerance = 1e-15, int max_iterations = 200);

}  // namespace hearsay::models
