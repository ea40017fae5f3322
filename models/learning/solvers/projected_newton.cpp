#include "models/learning/solvers/projected_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "models/algebra/dense.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSufficient = 1e-4;  // Armijo's constant
constexpr int kHalvings = 60;

VectorXd clamp(const VectorXd& theta, double limit) {
  return theta.cwiseMax(-limit).cwiseMin(limit);
}

double residual(const VectorXd& theta, const VectorXd& gradient, double limit) {
  return (theta - clamp(theta - gradient, limit)).lpNorm<Eigen::Infinity>();
}

// The Newton step on the coordinates that are free; those at (or nearly at) a side that the gradient pushes
// them out of go to that side.
VectorXd direction(const VectorXd& theta, const VectorXd& gradient, const MatrixXd& hessian, double limit,
                   double near) {
  std::vector<Index> free;
  VectorXd step = VectorXd::Zero(theta.size());
  for (Index j = 0; j < theta.size(); ++j) {
    const double side = gradient[j] < 0 ? limit : -limit;
    if (gradient[j] != 0 && std::abs(side - theta[j]) <= near) {
      step[j] = side - theta[j];
    } else {
      free.push_back(j);
    }
  }
  const MatrixXd full = hessian.selfadjointView<Eigen::Lower>();
  step(free) = -solve_positive(full(free, free), gradient(free));
  return step;
}

}  // namespace

NewtonResult projected_newton(const SmoothFunction& f, const VectorXd& start, double limit, double tolerance,
                              int max_iterations) {
  MatrixXd hessian;
  NewtonResult r{.theta = clamp(start, limit), .gradient = {}};
  f.derivatives(VectorXd::Zero(start.size()), r.gradient, hessian);
  const double at_zero = r.gradient.lpNorm<Eigen::Infinity>();
  const double scale = r.scale = at_zero > 0 ? at_zero : 1;

  double value = f.value(r.theta);
  f.derivatives(r.theta, r.gradient, hessian);
  r.residual = residual(r.theta, r.gradient, limit) / scale;
  VectorXd gradient;
  for (; r.iterations < max_iterations && r.residual > tolerance; ++r.iterations) {
    const double near = std::isfinite(limit) ? std::min(1e-6 * limit, r.residual * scale) : 0;
    const VectorXd step = direction(r.theta, r.gradient, hessian, limit, near);
    // What differences of values can not resolve is judged by the residual.
    const double noise = 8 * std::numeric_limits<double>::epsilon() * std::abs(value);
    bool moved = false;
    double length = 1;
    for (int halving = 0; halving < kHalvings && !moved; ++halving, length /= 2) {
      const VectorXd trial = clamp(r.theta + length * step, limit);
      const double predicted = r.gradient.dot(r.theta - trial);
      const double reached = f.value(trial);
      if (!std::isfinite(reached)) continue;
      if (predicted > noise && reached > value - kSufficient * predicted) continue;
      f.derivatives(trial, gradient, hessian);
      const double left = residual(trial, gradient, limit) / scale;
      if (predicted <= noise && left >= r.residual) return r;
      r.theta = trial;
      r.gradient = gradient;
      r.residual = left;
      value = reached;
      moved = true;
    }
    if (!moved) return r;
  }
  return r;
}

}  // namespace hearsay::models
