#include "models/learning/solvers/projected_newton.hpp"

#include <Eigen/IterativeLinearSolvers>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "models/algebra/dense.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSufficient = 1e-4;  // Armijo's constant
constexpr int kHalvings = 60;
constexpr Index kDense = 1000;   // rows of a Hessian that is formed though its products are known
constexpr int kActiveSets = 15;  // that are tried for a step

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

// H at a point: formed, or by its products.
struct Hessian {
  Hessian(const SmoothFunction& f, const VectorXd& theta) {
    if (!f.hessian || (theta.size() > kDense && f.curvature)) {
      curvature = f.curvature(theta);
      return;
    }
    MatrixXd lower;
    f.hessian(theta, lower);
    full = lower.selfadjointView<Eigen::Lower>();
  }
  VectorXd operator*(const VectorXd& v) const {
    if (!curvature.product) return full * v;
    VectorXd out;
    curvature.product(v, out);
    return out;
  }
  // With a share of the diagonal added. Uses *this, which must outlive it.
  Hessian damped(double share) const {
    Hessian h = *this;
    h.full.diagonal() *= 1 + share;
    h.curvature.diagonal *= 1 + share;
    if (curvature.product) {
      h.curvature.product = [this, share](const VectorXd& v, VectorXd& out) {
        curvature.product(v, out);
        out += share * curvature.diagonal.cwiseProduct(v);
      };
    }
    return h;
  }
  MatrixXd full;
  Curvature curvature;
};

// The x of H x = b on the coordinates that are free, as exact as the residual asks for.
VectorXd newton_equations(const Hessian& hessian, const std::vector<Index>& free, const VectorXd& b,
                          double residual) {
  if (b.size() == 0) return b;
  if (!hessian.curvature.product) {
    MatrixXd h = hessian.full(free, free);
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
  const FreeCurvature h(hessian.curvature, free);
  VectorXd x = VectorXd::Zero(b.size());
  double tolerance = std::clamp(residual, 1e-8, 1e-2);
  Index products = h.cols() + 1000;
  Eigen::internal::conjugate_gradient(h, b, x, h, products, tolerance);
  return x;
}

// The s that minimises gradient . s + s^T H s/2 where theta + s is in the box, by a primal-dual active set (Hintermueller, Ito and
// Kunisch 2003): free coordinates beyond a side go to it, and those at a side with a slope back into the box are freed, until
// there are none. Null if that does not end. `sides`, where to begin: -1, 1, or 0 where free.
std::optional<VectorXd> step_within(const Hessian& h, const NewtonResult& at, double limit, VectorXd sides) {
  for (int set = 0; set < kActiveSets; ++set) {
    VectorXd step = VectorXd::Zero(sides.size());
    std::vector<Index> free;
    for (Index j = 0; j < sides.size(); ++j) {
      if (sides[j] == 0) {
        free.push_back(j);
      } else {
        step[j] = sides[j] * limit - at.theta[j];
      }
    }
    const VectorXd right = at.gradient + h * step;
    step(free) = -newton_equations(h, free, right(free), at.residual);
    const VectorXd slope = at.gradient + h * step, reached = at.theta + step;
    bool ended = true;
    for (Index j = 0; j < sides.size(); ++j) {
      const bool beyond = sides[j] == 0 && std::abs(reached[j]) > limit;
      if (!beyond && sides[j] * slope[j] <= 0) continue;
      sides[j] = beyond ? std::copysign(1.0, reached[j]) : 0;
      ended = false;
    }
    if (ended) return step;
  }
  return std::nullopt;
}

// The Newton step on the coordinates that are free; those at (or nearly at) a side that the gradient pushes
// them out of go to that side. `within`: the minimiser of the quadratic model in the box, if it is found, for which its Hessian
// may need a larger diagonal. Otherwise many sides can cut every step to little.
VectorXd direction(const SmoothFunction& f, const NewtonResult& at, double limit, bool within) {
  const double near = std::isfinite(limit) ? std::min(1e-6 * limit, at.residual * at.scale) : 0;
  const Hessian h(f, at.theta);
  std::vector<Index> free;
  VectorXd step = VectorXd::Zero(at.theta.size()), sides = step;
  for (Index j = 0; j < step.size(); ++j) {
    const double side = at.gradient[j] < 0 ? limit : -limit;
    if (at.gradient[j] != 0 && std::abs(side - at.theta[j]) <= near) {
      step[j] = side - at.theta[j];
      sides[j] = std::copysign(1.0, side);
    } else {
      free.push_back(j);
    }
  }
  for (const double share : {0.0, 0.01, 1.0}) {
    if (!within) break;
    if (const auto found = step_within(h.damped(share), at, limit, sides)) return *found;
  }
  step(free) = -newton_equations(h, free, at.gradient(free), at.residual);
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
  // A kink in the slope, as of a smoothed hinge, is beyond the quadratic model that a step would minimise.
  const bool twice_differentiable = f.curvature != nullptr;
  bool within = false,
       other_failed = false;  // how directions are found; the other kind made no progress here
  for (; r.iterations < max_iterations && r.residual > tolerance; ++r.iterations) {
    const VectorXd step = direction(f, r, limit, within);
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
      if (predicted <= noise && left >= r.residual) break;
      r.theta = trial;
      r.gradient = gradient;
      r.residual = left;
      value = reached;
      moved = true;
      within = within || (halving > 0 && std::isfinite(limit) && twice_differentiable);
      other_failed = false;
    }
    if (moved) continue;
    if (other_failed || std::isinf(limit) || !twice_differentiable) return r;
    other_failed = true;
    within = !within;
  }
  return r;
}

}  // namespace hearsay::models
