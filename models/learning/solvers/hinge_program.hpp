#pragma once
// The minimiser of a linear support vector machine in a box, by a primal-dual interior-point method:
//
//   minimise   sigma/2 norm_2(theta)^2 + mean of xi_i
//   subject to a_i . theta + xi_i >= 1,  xi_i >= 0,  -limit <= theta_j <= limit,      a_i = y_i x_i.
//
// Every iteration solves one p x p system. It does not mind features of very different sizes, an active box or
// sigma = 0, where smoothing the hinge and Newton's method stall.
//
// Source: Nocedal and Wright, "Numerical Optimization", 2nd edition, Algorithms 14.3 and 16.4.
#include <Eigen/Core>

namespace hearsay::models {

struct HingeProgram {
  Eigen::MatrixXd a;  ///< n x p, records with the sign of their class
  double sigma = 0;   ///< >= 0
  double limit = 0;   ///< > 0; may be infinite if sigma > 0
};

struct HingeSolution {
  Eigen::VectorXd theta;
  double value = 0;  ///< of the objective at theta
  double lower = 0;  ///< the optimum is at least this
};

/// Runs until value - lower <= tolerance value, or until rounding allows no more progress: the caller judges. O(n p^2) an
/// iteration, some 50 iterations; draws nothing.
HingeSolution minimise_hinge(const HingeProgram& program, double tolerance);

/// sum_j min over |z| <= limit of sigma/2 z^2 - v_j z: the part of the dual problem that depends on v = sum alpha_i a_i.
double hinge_dual_term(const Eigen::VectorXd& v, double sigma, double limit);
/// The value of the dual problem for multipliers 0 <= alpha_i <= 1/n: a lower bound of the optimum.
double hinge_dual(const HingeProgram& program, const Eigen::ArrayXd& alpha);

}  // namespace hearsay::models
