#include "models/learning/solvers/projected_newton.hpp"

#include <Eigen/IterativeLinearSolvers>

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
constexpr Index kDense = 1000;  // rows of a Hessian that is formed though its products are known

VectorXd clamp(const VectorXd& theta, double limit) {
  return theta.cwiseMax(-limit).cwiseMin(limit);
}

double residual(const VectorXd& theta, const VectorXd& gradient, double limit) {
  return (theta - clamp(theta - gradient, limit)).lpNorm<Eigen::Infinity>();
}

// H restricted to the coordinates that are free, and its preconditioner, as Eigen's solver asks for them.
class FreeCurvature {
 public:
  FreeCurvature(const Curvature& curvature, const std::vector<Index>& free)
      : curvature_(curvature), free_(free), all_(VectorXd::Zero(curvature.diagonal.size())) {
    inverse_ = curvature.diagonal(free).unaryExpr([](double d) { return d > 0 ? 1 / d : 1.0; });
  }
  Index cols() const { return inverse_.size(); }
  VectorXd operator*(const VectorXd& v) const {
    all_(free_) = v;
    curvature_.product(all_, out_);
    return out_(free_);
  }
  VectorXd solve(const VectorXd& v) const { return inverse_.cwiseProduct(v); }

 private:
  const Curvature& curvature_;
  const std::vector<Index>& free_;
  VectorXd inverse_;
  mutable VectorXd all_, out_;  // of all coordinates
};

// The x of H x = b on the coordinates that are free, as exact as the residual asks for.
VectorXd newton_equations(const SmoothFunction& f, const VectorXd& theta, const std::vector<Index>& free,
                          const VectorXd& b, double residual) {
  if (f.hessian && (theta.size() <= kDense || !f.curvature)) {
    MatrixXd hessian;
    f.hessian(theta, hessian);
    const MatrixXd full = hessian.selfadjointView<Eigen::Lower>();
    MatrixXd h = full(free, free);
    VectorXd x = solve_positive(h, b);
    // Where f is linear along the gradient, as a smoothed hinge can be, a step needs some curvature. A share of the residual
    // is a regularised Newton method (Li, Fukushima, Qi and Yamashita 2004).
    const double size = b.lpNorm<Eigen::Infinity>(), trace = h.trace();
    if ((h * x - b).lpNorm<Eigen::Infinity>() > 0.1 * size) {
      h.diagonal().array() += trace > 0 ? 1e-3 * residual * trace / static_cast<double>(b.size()) : size / 10;
      x = solve_positive(h, b);
    }
    return x;
  }
  const Curvature curvature = f.curvature(theta);
  const FreeCurvature h(curvature, free);
  VectorXd x = VectorXd::Zero(b.size());
  double tolerance = std::clamp(residual, 1e-8, 1e-2);
  Index products = h.cols() + 1000;
  Eigen::internal::conjugate_gradient(h, b, x, h, products, tolerance);
  return x;
}

// The Newton step on the coordinates that are free; those at (or nearly at) a side that the gradient pushes
// them out of go to that side.
VectorXd direction(const SmoothFunction& f, const NewtonResult& at, double limit) {
  const double near = std::isfinite(limit) ? std::min(1e-6 * limit, at.residual * at.scale) : 0;
  std::vector<Index> free;
  VectorXd step = VectorXd::Zero(at.theta.size());
  for (Index j = 0; j < step.size(); ++j) {
    const double side = at.gradient[j] < 0 ? limit : -limit;
    if (at.gradient[j] != 0 && std::abs(side - at.theta[j]) <= near) {
      step[j] = side - at.theta[j];
    } else {
      free.push_back(j);
    }
  }
  step(free) = -newton_equations(f, at.theta, free, at.gradient(free), at.residual);
  return step;
}

}  // namespace

NewtonResult projected_newton(const SmoothFunction& f, const VectorXd& start, double limit, double tolerance,
                              int max_iterations) {
  NewtonResult r{.theta = clamp(start, limit), .gradient = {}};
  f.gradient(VectorXd::Zero(start.size()), r.gradient);
  const double at_zero = r.gradient.lpNorm<Eigen::Infinity>();
  const double scale = r.scale = at_zero > 0 ? at_zero : 1;

  double value = f.value(r.theta);
  f.gradient(r.theta, r.gradient);
  r.residual = residual(r.theta, r.gradient, limit) / scale;
  VectorXd gradient;
  for (; r.iterations < max_iterations && r.residual > tolerance; ++r.iterations) {
    const VectorXd step = direction(f, r, limit);
    // What differences of values can not resolve is judged by the residual.
    const double noise = 8 * std::numeric_limits<double>::epsilon() * std::abs(value);
    bool moved = false;
    double length = 1;
    for (int halving = 0; halving < kHalvings && !moved; ++halving, length /= 2) {
      const VectorXd trial = clamp(r.theta + length * step, limit);
      const double predicted = r.gradient.dot(r.theta - trial);
      // The sides of the box can turn a long step uphill.
      if (predicted < -noise) continue;
      const double reached = f.value(trial);
      if (!std::isfinite(reached)) continue;
      if (predicted > noise && reached > value - kSufficient * predicted) continue;
      f.gradient(trial, gradient);
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
