#include "models/learning/solvers/hinge_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/algebra/dense.hpp"

namespace hearsay::models {

namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A pair of positive numbers whose products go to 0, with the step of each.
struct Pairs {
  ArrayXd x, y, dx, dy;

  double complementarity() const { return (x * y).sum(); }
  // The longest step, at most 1, that keeps both positive.
  double longest() const {
    double step = 1;
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      if (dx[k] < 0) step = std::min(step, -x[k] / dx[k]);
      if (dy[k] < 0) step = std::min(step, -y[k] / dy[k]);
    }
    return step;
  }
  void move(double step) {
    x += step * dx;
    y += step * dy;
  }
};

double objective(const HingeProgram& q, const VectorXd& theta) {
  return q.sigma / 2 * theta.squaredNorm() + (1 - (q.a * theta).array()).max(0).mean();
}

}  // namespace

double hinge_dual_term(const VectorXd& v, double sigma, double limit) {
  double sum = 0;
  for (const double slope : v) {
    const double inside = sigma > 0 ? slope / sigma : std::copysign(limit, slope);
    const double z = std::clamp(inside, -limit, limit);
    sum += sigma / 2 * z * z - slope * z;
  }
  return sum;
}

double hinge_dual(const HingeProgram& q, const ArrayXd& alpha) {
  return alpha.sum() + hinge_dual_term(q.a.transpose() * alpha.matrix(), q.sigma, q.limit);
}

HingeSolution minimise_hinge(const HingeProgram& q, double tolerance) {
  constexpr int kIterations = 200;
  constexpr double kBackOff = 0.995;
  const Eigen::Index n = q.a.rows(), p = q.a.cols();
  const double share = 1 / static_cast<double>(n);  // of a record
  const bool boxed = std::isfinite(q.limit);
  VectorXd theta = VectorXd::Zero(p);
  // Margins: slack of a theta + xi >= 1 with alpha; xi with beta = share - alpha. Box: distances with multipliers.
  Pairs margin{ArrayXd::Ones(n), ArrayXd::Constant(n, share / 2), {}, {}};
  Pairs excess{ArrayXd::Constant(n, 2), ArrayXd::Constant(n, share / 2), {}, {}};
  const Eigen::Index sides = boxed ? p : 0;
  Pairs low{ArrayXd::Constant(sides, q.limit), ArrayXd::Constant(sides, share), {}, {}}, high = low;
  HingeSolution best{theta, objective(q, theta), 0};
  double length = 1;
  for (int iteration = 0; iteration < kIterations && best.value - best.lower > tolerance * best.value;
       ++iteration) {
    const double pairs = static_cast<double>(2 * n + 2 * sides);
    const double gap =
        margin.complementarity() + excess.complementarity() + low.complementarity() + high.complementarity();
    const double mu = (length < 0.3 ? 0.5 : 0.1) * gap / pairs;  // after a short step, back to the centre
    // alpha's step is weight (rest - a dtheta); see the complementarity of both pairs, linearised.
    const ArrayXd weight = 1 / (margin.x / margin.y + excess.x / excess.y);
    const ArrayXd rest = mu / margin.y - margin.x - mu / excess.y + excess.x;
    MatrixXd system = q.a.transpose() * weight.matrix().asDiagonal() * q.a;
    VectorXd right = q.a.transpose() * (margin.y + weight * rest).matrix() - q.sigma * theta;
    system.diagonal().array() += q.sigma;
    if (boxed) {
      system.diagonal().array() += low.y / low.x + high.y / high.x;
      right.array() += mu / low.x - mu / high.x;
    }
    const VectorXd step = solve_positive(system, right);
    const ArrayXd moved = (q.a * step).array();
    margin.dy = weight * (rest - moved);
    excess.dy = -margin.dy;
    excess.dx = mu / excess.y - excess.x - excess.x / excess.y * excess.dy;
    margin.dx = moved + excess.dx;
    if (boxed) {
      low.dx = step.array();
      high.dx = -step.array();
      low.dy = mu / low.x - low.y - low.y / low.x * low.dx;
      high.dy = mu / high.x - high.y - high.y / high.x * high.dx;
    }
    length = std::min(margin.longest(), excess.longest());
    if (boxed) length = std::min({length, low.longest(), high.longest()});
    length *= kBackOff;
    if (!(length > 1e-12) || !step.allFinite()) break;
    theta += length * step;
    margin.move(length);
    excess.move(length);
    if (boxed) {
      low.move(length);
      high.move(length);
    }
    const double value = objective(q, theta);
    if (value < best.value) {
      best.value = value;
      best.theta = theta;
    }
    best.lower = std::max(best.lower, hinge_dual(q, margin.y.min(share)));
  }
  return best;
}

}  // namespace hearsay::models
