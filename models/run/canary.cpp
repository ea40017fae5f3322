#include "models/run/canary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace hearsay::models {

namespace {

bool cuts(const Budget& budget) {
  return budget.source == BoundSource::kClip || budget.source == BoundSource::kUpdateClip;
}

struct CanaryShape {
  double length, target;
};

CanaryShape shape_along(const Eigen::VectorXd& v, const Loss& loss,
                        const std::optional<DeclaredBounds>& declared, const Budget& budget) {
  const double b = budget.bound;
  if (cuts(budget)) {
    if (loss.quadratic()) return {1, 1000 * std::max(1.0, b)};
    return {2 * b / std::abs(loss.slope(0, 1)), 1};
  }
  const double unit = budget.norm() == Norm::kL1 ? v.lpNorm<1>() : 1;  // length of v, in the bound's norm
  double length = std::numeric_limits<double>::infinity();
  if (declared) length = std::min(declared->features_l1 / v.lpNorm<1>(), declared->features_l2);
  if (!loss.quadratic()) return {std::min(length, b / (loss.max_slope() * unit)), 1};
  if (!std::isfinite(length)) length = b / (2 * unit);
  return {length, std::min(declared ? declared->target : 1, b / (2 * length * unit))};
}

}  // namespace

bool plants_directions(const ModelOptions& model, const Budget& budget) {
  return model.one_score() && budget.source != BoundSource::kProtocol;
}

void require_plantable(const ModelOptions& model, const Budget& budget, bool directions) {
  if (budget.adjacency != Adjacency::kAddRemove) return;
  if (!model.convex()) {
    throw std::invalid_argument(
        "with privacy.adjacency add_remove a record of a model with a hidden layer cannot be made absent: use "
        "replace_one");
  }
  if (directions && model.loss.quadratic() && budget.source == BoundSource::kGiven) {
    throw std::invalid_argument(
        "privacy.gradient_bound is not enforced, and a planted record can exceed it: use privacy.clip, or, "
        "without a guarantee, a record of the data (--record)");
  }
}

void plant(DataSet& data, const ModelOptions& model, const Budget& budget, const Canary& canary, bool in) {
  Shard& shard = data.train[canary.owner];
  const bool replaced = budget.adjacency == Adjacency::kReplaceOne, all = budget.unit == PrivacyUnit::kOwner;
  const Eigen::Index begin = all ? 0 : canary.record, end = all ? shard.target.size() : canary.record + 1;
  for (Eigen::Index k = begin; k < end; ++k) {
    auto x = shard.features.row(k);
    double& y = shard.target[k];
    if (canary.direction) {
      const CanaryShape shape = shape_along(*canary.direction, model.loss, data.bounds, budget);
      x = shape.length * canary.direction->transpose();
      y = in || !replaced ? shape.target : -shape.target;
      if (!in && !replaced) x.setZero();
    } else if (!in) {
      if (!replaced || !cuts(budget) || (data.classes.empty() && y == 0)) {
        x.setZero();
      } else if (data.classes.empty()) {
        y = -y;
      } else {
        y = y == 0 ? 1 : 0;
      }
    }
  }
}

double loss_of(const Problem& problem, std::size_t owner, Eigen::Index record,
               const Eigen::Ref<const Eigen::VectorXd>& theta) {
  const Shard& shard = problem.data().train[owner];
  const Shard one{shard.features.row(record), shard.target.segment(record, 1)};
  if (problem.network() != nullptr) return problem.network()->total_loss(one, theta);
  return problem.loss().value(one.features.row(0).dot(theta.transpose()), one.target[0]);
}

}  // namespace hearsay::models
