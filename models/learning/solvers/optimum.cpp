#include "models/learning/solvers/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/algebra/dense.hpp"
#include "models/learning/solvers/hinge_program.hpp"
#include "models/learning/solvers/record_objective.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGapTolerance = 1e-10;
constexpr double kRounding = 1e-13;       // of sums of a gradient's terms
constexpr double kZero = 1e-20;           // of f at 0
constexpr double kHingeTolerance = 1e-6;  // relative; beyond it smoothing has failed

double records_of(const Problem& problem, Owners owners) {
  double n = 0;
  for (const std::size_t i : owners) n += static_cast<double>(problem.n(i));
  return n;
}

// f(score, target, record) for every training record of some owners.
template <class F>
void for_records(const Problem& problem, Owners owners, const VectorXd& theta, F&& f) {
  for (const std::size_t i : owners) {
    const Shard& shard = problem.data().train[i];
    for (Index k = 0; k < shard.target.size(); ++k) {
      const Eigen::Map<const VectorXd> x(shard.features.row(k).data(), shard.features.cols());
      f(x.dot(theta), shard.target[k], x);
    }
  }
}

// f_S of squared loss, from the moments.
SmoothFunction quadratic(const Problem& problem, Owners owners) {
  const Moments m = problem.pooled_moments(owners);
  const VectorXd& r = problem.reference();
  const double sigma = problem.sigma();
  const auto value = [=](const VectorXd& theta) {
    const VectorXd d = theta - r;
    return sigma / 2 * theta.squaredNorm() + m.value + 2 * m.slope.dot(d) + d.dot(m.a * d);
  };
  const auto gradient = [=](const VectorXd& theta, VectorXd& out) {
    out = 2 * (m.slope + m.a * (theta - r)) + sigma * theta;
  };
  const auto hessian = [=](const VectorXd&, MatrixXd& out) {
    out = 2 * m.a;
    out.diagonal().array() += sigma;
  };
  return {value, gradient, hessian};
}

// -min over z in the box of slope (z - at) + sigma/2 (z - at)^2, coordinate by coordinate: since f is
// sigma-strongly convex, f(at) - f* is at most this.
double strong_convexity_gap(const VectorXd& at, const VectorXd& slope, double sigma, double limit) {
  double gap = 0;
  for (Index j = 0; j < at.size(); ++j) {
    if (slope[j] == 0) continue;
    const double free = sigma > 0 ? at[j] - slope[j] / sigma : std::copysign(kInfinity, -slope[j]);
    const double z = std::clamp(free, -limit, limit);
    if (!std::isfinite(z)) return kInfinity;
    gap -= slope[j] * (z - at[j]) + sigma / 2 * (z - at[j]) * (z - at[j]);
  }
  return std::max(gap, 0.0);
}

bool touches(const VectorXd& theta, double limit) {
  return (theta.array().abs() >= limit).any();
}

// Mean size of the terms that a gradient near 0 sums: what is left of them, where they cancel, is rounding.
double gradient_terms(const Problem& problem, Owners owners) {
  const Loss& loss = problem.loss();
  const VectorXd from = problem.quadratic() ? problem.reference() : VectorXd::Zero(problem.features());
  double sum = 0;
  for_records(problem, owners, from, [&](double, double y, const auto& x) {
    double size = 1;
    if (problem.quadratic()) {
      size = 2 * (x.cwiseAbs().dot(from.cwiseAbs()) + std::abs(y));
    } else if (loss.scalar()) {
      size = std::abs(loss.slope(0, y));
    }
    sum += size * x.template lpNorm<Eigen::Infinity>();
  });
  return sum / records_of(problem, owners);
}

Optimum smooth_optimum(const Problem& problem, Owners owners, const SmoothFunction& f, double limit) {
  const NewtonResult r = minimise_from_zero(problem, owners, f, problem.sigma() > 0, limit);
  if (std::isinf(r.residual)) {
    throw std::runtime_error(fmt::format(
        "{} loss: a minimiser needs l2 > 0 or theta_max: the classes, or some of their records, are separable",
        problem.loss().name()));
  }
  if (!(r.residual <= kGapTolerance) &&
      !(r.residual * r.scale <= kRounding * gradient_terms(problem, owners))) {
    throw std::runtime_error(fmt::format("{} loss: no minimiser found: residual {:.1e} after {} Newton steps",
                                         problem.loss().name(), r.residual, r.iterations));
  }
  Optimum o{.theta = r.theta, .method = "projected Newton"};
  o.value = problem.objective(o.theta, owners);
  o.kkt_residual = r.residual;
  o.box_active = touches(o.theta, limit);
  o.gap = strong_convexity_gap(o.theta, r.gradient, problem.sigma(), limit);
  return o;
}

// A quadratic is above its minimum over all of R^p, and so over the box, by no more than g^T H^+ g / 2.
double quadratic_gap(const SmoothFunction& f, const VectorXd& theta) {
  VectorXd gradient;
  MatrixXd hessian;
  f.gradient(theta, gradient);
  f.hessian(theta, hessian);
  return std::max(gradient.dot(solve_positive(hessian, gradient)) / 2, 0.0);
}

// The hinge is the maximum over 0 <= a <= 1 of a (1 - m). So for any such multipliers of the records
//   f* >= min over the box of (sigma/2) norm_2(theta)^2 + mean(a) - v . theta,   v = mean(a y x),
// which is separable. The multipliers are the slopes of the smoothed hinge at theta.
double hinge_lower_bound(const Problem& problem, Owners owners, const SmoothedHingeLoss& smoothed,
                         const VectorXd& theta, double limit) {
  double bound = 0;
  VectorXd v = VectorXd::Zero(theta.size());
  for_records(problem, owners, theta, [&](double s, double y, const auto& x) {
    const double slope = smoothed.slope(s, y);
    bound += std::abs(slope);
    v -= slope * x;
  });
  const double n = records_of(problem, owners);
  return bound / n + hinge_dual_term(v / n, problem.sigma(), limit);
}

// The training records of some owners with the sign of their class, n x p.
MatrixXd signed_records(const Problem& problem, Owners owners) {
  MatrixXd a(static_cast<Index>(records_of(problem, owners)), problem.p());
  Index row = 0;
  for_records(problem, owners, VectorXd::Zero(problem.p()),
              [&](double, double y, const auto& x) { a.row(row++) = y * x.transpose(); });
  return a;
}

Optimum hinge_optimum(const Problem& problem, Owners owners, double limit) {
  Optimum best{
      .theta = VectorXd::Zero(problem.p()), .value = kInfinity, .method = "smoothed hinge, projected Newton"};
  double lower = -kInfinity;
  VectorXd theta = best.theta;
  for (double width = 0.1; width > 0.5e-8; width /= 10) {
    const SmoothedHingeLoss smoothed{width};
    theta = projected_newton(record_objective(problem, owners, smoothed, {.ridge = problem.sigma()}), theta,
                             limit, kGapTolerance)
                .theta;
    lower = std::max(lower, hinge_lower_bound(problem, owners, smoothed, theta, limit));
    const double value = problem.objective(theta, owners);
    if (value < best.value) {
      best.value = value;
      best.theta = theta;
    }
    if (best.value - lower <= kGapTolerance * best.value) break;
  }
  if (best.value - lower > kHingeTolerance * best.value) {
    HingeSolution found =
        minimise_hinge({signed_records(problem, owners), problem.sigma(), limit}, kGapTolerance);
    lower = std::max(lower, found.lower);
    if (found.value < best.value) {
      best.theta = std::move(found.theta);
      best.value = problem.objective(best.theta, owners);
      best.method = "interior point";
    }
  }
  best.gap = std::max(best.value - lower, 0.0);
  if (best.gap > kHingeTolerance * best.value) {
    throw std::runtime_error(fmt::format(
        "hinge loss: no minimiser found: the value is between {:.9g} and {:.9g}", lower, best.value));
  }
  best.box_active = touches(best.theta, limit);
  return best;
}

}  // namespace

void require_minimiser(const ModelOptions& model) {
  if (!model.convex())
    throw std::runtime_error("a model that is not linear has no theta*: its objective is not convex");
  if (model.l2 > 0) return;
  if (!model.loss.scalar())
    throw std::runtime_error(
        "softmax loss: a minimiser needs l2 > 0: scores of all classes can grow together");
  if (!model.loss.smooth() && !model.theta_max)
    throw std::runtime_error("hinge loss: a minimiser needs l2 > 0 or theta_max");
}

Optimum minimise(const Problem& problem, Owners owners) {
  const double limit = problem.model().theta_max.value_or(kInfinity);
  require_minimiser(problem.model());
  if (!problem.loss().scalar())
    return smooth_optimum(problem, owners, softmax_objective(problem, owners, problem.sigma()), limit);
  return problem.loss().visit([&]<class L>(const L& loss) -> Optimum {
    if constexpr (L::kQuadratic) {
      const SmoothFunction f = quadratic(problem, owners);
      Optimum o = smooth_optimum(problem, owners, f, limit);
      o.gap = std::min(o.gap, quadratic_gap(f, o.theta));
      // Rounding of a value of 0, where all records are met.
      if (o.value <= 2 * o.gap && o.value <= kZero * f.value(VectorXd::Zero(problem.p()))) o.value = 0;
      return o;
    } else if constexpr (std::is_same_v<L, HingeLoss>) {
      return hinge_optimum(problem, owners, limit);
    } else {
      return smooth_optimum(problem, owners,
                            record_objective(problem, owners, loss, {.ridge = problem.sigma()}), limit);
    }
  });
}

Optimum minimise(const Problem& problem) {
  return minimise(problem, problem.everyone());
}

Optimum minimise_isolated(const Problem& problem, std::size_t owner) {
  return minimise(problem, Owners(&owner, 1));
}

}  // namespace hearsay::models
