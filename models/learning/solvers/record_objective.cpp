#include "models/learning/solvers/record_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/learning/record_pass.hpp"
#include "sim/check.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kGradientTolerance = 1e-10;

double divisor_of(const Problem& problem, Owners owners) {
  double n = 0;
  for (const std::size_t i : owners) n += static_cast<double>(problem.n(i));
  return std::max(n, 1.0);
}

// The Hessian of the mean loss of n records with a ridge.
Curvature curvature_of(const Problem& problem, Owners owners, const Loss& loss, const VectorXd& point,
                       double n, double ridge) {
  Curvature c{.diagonal = VectorXd::Constant(point.size(), ridge)};
  std::vector<RecordCurvature> all;
  for (const std::size_t i : owners)
    all.emplace_back(problem, i, loss, point).add_diagonal(1 / n, c.diagonal);
  c.product = [all = std::move(all), n, ridge](const VectorXd& v, VectorXd& out) {
    out = ridge * v;
    for (const RecordCurvature& own : all) own.add_product(v, 1 / n, out);
  };
  return c;
}

// f(shard, first, count) of blocks of records that stay in the cache.
template <class F>
void for_blocks(const Problem& problem, Owners owners, F&& f) {
  constexpr Index kBlock = 256;
  for (const std::size_t i : owners) {
    const Shard& shard = problem.data().train[i];
    for (Index first = 0; first < shard.target.size(); first += kBlock) {
      const Index count = std::min(kBlock, shard.target.size() - first);
      f(shard.features.middleRows(first, count), shard.target.segment(first, count));
    }
  }
}

template <class L>
SmoothFunction objective_of(const Problem& problem, Owners owners, const L& loss, const Regulariser& r) {
  const VectorXd zero = VectorXd::Zero(problem.p());
  const VectorXd offset = r.offset.size() > 0 ? r.offset : zero, tilt = r.tilt.size() > 0 ? r.tilt : zero;
  const double n = divisor_of(problem, owners), ridge = r.ridge;

  const auto value = [=, &problem](const VectorXd& theta) {
    const VectorXd point = offset + theta;
    double total = 0;
    for (const std::size_t i : owners) total += total_loss(problem.data().train[i], point, loss);
    return total / n + ridge / 2 * theta.squaredNorm() + tilt.dot(theta);
  };
  const auto gradient = [=, &problem](const VectorXd& theta, VectorXd& out) {
    const VectorXd point = offset + theta;
    out = n * (ridge * theta + tilt);
    VectorXd scores;
    for_blocks(problem, owners, [&](const auto& x, const auto& y) {
      scores = x * point;
      for (Index k = 0; k < scores.size(); ++k) scores[k] = loss.slope(scores[k], y[k]);
      out += x.transpose() * scores;
    });
    out /= n;
  };
  const auto hessian = [=, &problem](const VectorXd& theta, MatrixXd& out) {
    const VectorXd point = offset + theta;
    out.setZero(theta.size(), theta.size());
    out.diagonal().array() = n * ridge;
    VectorXd scores;
    Records curved;  // records of the block times the root of the curvature, where that is not 0
    for_blocks(problem, owners, [&](const auto& x, const auto& y) {
      scores = x * point;
      curved.resize(x.rows(), x.cols());
      Index rows = 0;
      for (Index k = 0; k < scores.size(); ++k) {
        const double curvature = loss.curvature(scores[k], y[k]);
        if (curvature > 0) curved.row(rows++) = std::sqrt(curvature) * x.row(k);
      }
      // Eigen divides by the number of columns of large updates.
      if (rows > 0) out.template selfadjointView<Eigen::Lower>().rankUpdate(curved.topRows(rows).transpose());
    });
    out /= n;
  };
  // Where records have no curvature conjugate gradients do not get there.
  if constexpr (!L::kTwiceDifferentiable) return {value, gradient, hessian};
  const auto curvature = [=, &problem](const VectorXd& theta) {
    return curvature_of(problem, owners, loss, offset + theta, n, ridge);
  };
  return {value, gradient, hessian, curvature};
}

// Adds q_k ([k = l] - q_l) x x^T over the records of a shard to the blocks k >= l.
void add_curvature(const Shard& shard, const VectorXd& theta, Index classes, MatrixXd& hessian) {
  const Records& x = shard.features;
  const Index d = x.cols();
  const MatrixXd q = class_probabilities(x, theta, classes);
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

SmoothFunction record_objective(const Problem& problem, Owners owners, const Loss& loss,
                                const Regulariser& regulariser) {
  return loss.visit([&](const auto& l) { return objective_of(problem, owners, l, regulariser); });
}

NewtonResult minimise_from_zero(const Problem& problem, Owners owners, const SmoothFunction& f, bool held,
                                double limit) {
  // Even next to the end a step adds 1 to a score that grows for ever; those that have a limit hardly change any more.
  constexpr double kMoves = 0.5;
  const VectorXd zero = VectorXd::Zero(problem.p());
  if (held || std::isfinite(limit) || problem.loss().attained()) return projected_newton(f, zero, limit);
  const VectorXd nearly = projected_newton(f, zero, limit, kGradientTolerance).theta;
  const VectorXd next = projected_newton(f, nearly, limit, 0, 1).theta;
  NewtonResult r = projected_newton(f, next, limit);
  for (const std::size_t i : owners) {
    const VectorXd change = problem.data().train[i].features * (next - nearly);
    if (change.size() > 0 && change.lpNorm<Eigen::Infinity>() > kMoves)
      r.residual = std::numeric_limits<double>::infinity();
  }
  return r;
}

VectorXd minimise_records(const Problem& problem, Owners owners, const Regulariser& regulariser) {
  problem.loss().require_smooth();
  const bool scalar = problem.loss().scalar();
  sim::check(
      scalar || (problem.model().convex() && regulariser.offset.size() == 0 && regulariser.tilt.size() == 0),
      "softmax: a linear model and a ridge alone");
  const SmoothFunction f = scalar ? record_objective(problem, owners, problem.loss(), regulariser)
                                  : softmax_objective(problem, owners, regulariser.ridge);
  const NewtonResult r =
      minimise_from_zero(problem, owners, f, regulariser.ridge > 0, std::numeric_limits<double>::infinity());
  const bool found =
      r.residual <= kGradientTolerance || r.gradient.lpNorm<Eigen::Infinity>() <= kGradientTolerance;
  if (!found || std::isinf(r.residual)) {
    throw std::runtime_error(fmt::format(
        "{}: no local minimiser found: {}; a larger ridge helps",
        owners.size() == 1 ? fmt::format("owner {}", owners[0]) : fmt::format("{} owners", owners.size()),
        std::isinf(r.residual)
            ? "the classes, or some of their records, are separable"
            : fmt::format("gradient {:.1e} of that at 0 after {} Newton steps", r.residual, r.iterations)));
  }
  return r.theta;
}

VectorXd minimise_records(const Problem& problem, std::size_t owner, const Regulariser& regulariser) {
  return minimise_records(problem, Owners(&owner, 1), regulariser);
}

const VectorXd& minimise_alone(const Problem& problem, std::size_t owner, double ridge) {
  return *problem.memo().get<VectorXd>(fmt::format("minimiser of owner {}, ridge {:a}", owner, ridge),
                                       [&] { return minimise_records(problem, owner, {.ridge = ridge}); });
}

MatrixXd class_probabilities(const Records& x, const Eigen::Ref<const VectorXd>& theta, Index classes) {
  const Eigen::Map<const Records> w(theta.data(), classes, x.cols());
  MatrixXd q = x * w.transpose();
  q.colwise() -= VectorXd(q.rowwise().maxCoeff());
  q = q.array().exp();
  q.array().colwise() /= q.rowwise().sum().array().eval();
  return q;
}

RecordCurvature::RecordCurvature(const Problem& problem, std::size_t owner, const Loss& loss,
                                 const Eigen::Ref<const VectorXd>& theta)
    : x_(problem.data().train[owner].features) {
  if (!loss.scalar()) {
    classes_ = class_probabilities(x_, theta, problem.network()->scores());
    return;
  }
  const VectorXd& target = problem.data().train[owner].target;
  curvature_ = x_ * theta;
  for (Index k = 0; k < target.size(); ++k) curvature_[k] = loss.curvature(curvature_[k], target[k]);
}

void RecordCurvature::add_diagonal(double factor, Eigen::Ref<VectorXd> out) const {
  const MatrixXd weights =
      classes_.cols() > 0 ? MatrixXd(classes_.array() * (1 - classes_.array())) : MatrixXd(curvature_);
  Eigen::Map<Records>(out.data(), weights.cols(), x_.cols()) += factor * weights.transpose() * x_.cwiseAbs2();
}

void RecordCurvature::add_product(const Eigen::Ref<const VectorXd>& v, double factor,
                                  Eigen::Ref<VectorXd> out) const {
  if (classes_.cols() == 0) {
    VectorXd scores = x_ * v;
    scores.array() *= factor * curvature_.array();
    out.noalias() += x_.transpose() * scores;
    return;
  }
  MatrixXd s = x_ * Eigen::Map<const Records>(v.data(), classes_.cols(), x_.cols()).transpose();  // n x K
  s.array() *= classes_.array();
  const VectorXd mean = s.rowwise().sum();
  s -= mean.asDiagonal() * classes_;
  Eigen::Map<Records>(out.data(), classes_.cols(), x_.cols()).noalias() += factor * s.transpose() * x_;
}

SmoothFunction softmax_objective(const Problem& problem, Owners owners, double ridge) {
  const double n = divisor_of(problem, owners);
  const auto value = [=, &problem](const VectorXd& theta) {
    double total = 0;
    for (const std::size_t i : owners) total += problem.network()->total_loss(problem.data().train[i], theta);
    return total / n + ridge / 2 * theta.squaredNorm();
  };
  const auto gradient = [=, &problem](const VectorXd& theta, VectorXd& out) {
    out = ridge * theta;
    VectorXd own(theta.size());
    for (const std::size_t i : owners) {
      if (problem.n(i) == 0) continue;
      problem.mean_gradient(i, theta, own);
      out += static_cast<double>(problem.n(i)) / n * own;
    }
  };
  const auto hessian = [=, &problem](const VectorXd& theta, MatrixXd& out) {
    out.setZero(theta.size(), theta.size());
    for (const std::size_t i : owners)
      add_curvature(problem.data().train[i], theta, problem.network()->scores(), out);
    out /= n;
    out.diagonal().array() += ridge;
  };
  const auto curvature = [=, &problem](const VectorXd& theta) {
    return curvature_of(problem, owners, problem.loss(), theta, n, ridge);
  };
  return {value, gradient, hessian, curvature};
}

}  // namespace hearsay::models
