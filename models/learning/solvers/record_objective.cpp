#include "models/learning/solvers/record_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/learning/record_pass.hpp"
#include "sim/check.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kBlock = 256;  // records of a block, which stay in the cache
constexpr double kGradientTolerance = 1e-10;

template <class L>
SmoothFunction objective_of(const Problem& problem, Owners owners, const L& loss, const Regulariser& r) {
  const VectorXd zero = VectorXd::Zero(problem.p());
  const VectorXd offset = r.offset.size() > 0 ? r.offset : zero, tilt = r.tilt.size() > 0 ? r.tilt : zero;
  double n = 0;
  for (const std::size_t i : owners) n += static_cast<double>(problem.n(i));
  n = std::max(n, 1.0);
  const double ridge = r.ridge;

  const auto value = [=, &problem](const VectorXd& theta) {
    const VectorXd point = offset + theta;
    double total = 0;
    for (const std::size_t i : owners) total += total_loss(problem.data().train[i], point, loss);
    return total / n + ridge / 2 * theta.squaredNorm() + tilt.dot(theta);
  };
  const auto derivatives = [=, &problem](const VectorXd& theta, VectorXd& gradient, MatrixXd& hessian) {
    const VectorXd point = offset + theta;
    gradient = n * (ridge * theta + tilt);
    hessian.setZero(theta.size(), theta.size());
    hessian.diagonal().array() = n * ridge;
    VectorXd scores;
    Records curved;  // records of the block times the root of the curvature, where that is not 0
    for (const std::size_t i : owners) {
      const Shard& shard = problem.data().train[i];
      for (Index first = 0; first < shard.target.size(); first += kBlock) {
        const Index count = std::min(kBlock, shard.target.size() - first);
        const auto x = shard.features.middleRows(first, count);
        const auto y = shard.target.segment(first, count);
        scores = x * point;
        curved.resize(x.rows(), x.cols());
        Index rows = 0;
        for (Index k = 0; k < scores.size(); ++k) {
          const double curvature = loss.curvature(scores[k], y[k]);
          if (curvature > 0) curved.row(rows++) = std::sqrt(curvature) * x.row(k);
          scores[k] = loss.slope(scores[k], y[k]);
        }
        gradient += x.transpose() * scores;
        // Eigen divides by the number of columns of large updates.
        if (rows > 0)
          hessian.template selfadjointView<Eigen::Lower>().rankUpdate(curved.topRows(rows).transpose());
      }
    }
    gradient /= n;
    hessian /= n;
  };
  return {value, derivatives};
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

VectorXd minimise_records(const Problem& problem, Owners owners, const Regulariser& regulariser) {
  problem.loss().require_smooth();
  const bool scalar = problem.loss().scalar();
  sim::check(
      scalar || (problem.model().convex() && regulariser.offset.size() == 0 && regulariser.tilt.size() == 0),
      "softmax: a linear model and a ridge alone");
  const SmoothFunction f = scalar ? record_objective(problem, owners, problem.loss(), regulariser)
                                  : softmax_objective(problem, owners, regulariser.ridge);
  const NewtonResult r =
      projected_newton(f, VectorXd::Zero(problem.p()), std::numeric_limits<double>::infinity());
  if (!(r.residual <= kGradientTolerance || r.gradient.lpNorm<Eigen::Infinity>() <= kGradientTolerance)) {
    throw std::runtime_error(fmt::format(
        "{}: no local minimiser found: gradient {:.1e} of that at 0 after {} Newton steps; a larger ridge "
        "helps",
        owners.size() == 1 ? fmt::format("owner {}", owners[0]) : fmt::format("{} owners", owners.size()),
        r.residual, r.iterations));
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

SmoothFunction softmax_objective(const Problem& problem, Owners owners, double ridge) {
  double n = 0;
  for (const std::size_t i : owners) n += static_cast<double>(problem.n(i));
  n = std::max(n, 1.0);
  const auto value = [=, &problem](const VectorXd& theta) {
    double total = 0;
    for (const std::size_t i : owners) total += problem.network()->total_loss(problem.data().train[i], theta);
    return total / n + ridge / 2 * theta.squaredNorm();
  };
  const auto derivatives = [=, &problem](const VectorXd& theta, VectorXd& gradient, MatrixXd& hessian) {
    gradient = ridge * theta;
    hessian.setZero(theta.size(), theta.size());
    VectorXd own(theta.size());
    for (const std::size_t i : owners) {
      if (problem.n(i) == 0) continue;
      problem.mean_gradient(i, theta, own);
      gradient += static_cast<double>(problem.n(i)) / n * own;
      add_curvature(problem.data().train[i], theta, problem.network()->scores(), hessian);
    }
    hessian /= n;
    hessian.diagonal().array() += ridge;
  };
  return {value, derivatives};
}

}  // namespace hearsay::models
