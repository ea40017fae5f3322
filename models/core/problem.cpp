#include "models/core/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "models/core/record_pass.hpp"
#include "models/solvers/dense.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using In = Problem::In;
using Row = Eigen::Map<const Eigen::VectorXd>;

Row row_of(const Shard& shard, Index k) {
  return {shard.features.row(k).data(), shard.features.cols()};
}

// One pass over the records: f(score, target, record).
template <class F>
void for_records(const Shard& shard, In theta, F&& f) {
  for (Index k = 0; k < shard.target.size(); ++k) {
    const Row x = row_of(shard, k);
    f(x.dot(theta), shard.target[k], x);
  }
}

double norm_of(const Row& x, Norm norm) {
  return norm == Norm::kL1 ? x.lpNorm<1>() : x.norm();
}

// Sum of a loss's errors over a shard.
double total_error(const Loss& loss, const Shard& shard, In theta) {
  double total = 0;
  loss.visit([&](const auto& l) {
    for_records(shard, theta, [&](double s, double y, const Row&) { total += l.error(s, y); });
  });
  return total;
}

double mean_or_nan(double total, Index count) {
  return count > 0 ? total / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void ModelOptions::describe(sim::Visitor& v) {
  v(loss, {.name = "loss", .help = "Loss of a record."});
  v(l2, {.name = "l2", .help = "Weight of the regulariser norm_2(theta)^2.", .min = 0});
  v(l2_half, {.name = "l2_half", .help = "Weight the regulariser by l2/2 instead of l2."});
  v(theta_max,
    {.name = "theta_max",
     .help = "Half-width of the box norm_inf(theta) <= theta_max that constrains theta; by default no box.",
     .min = 0,
     .open_min = true});
}

Problem::Problem(DataSet data, ModelOptions model) : data_(std::move(data)), model_(model) {
  if (data_.train.empty()) throw DataError("expected at least one owner, found none");
  for (std::size_t i = 0; i < owners(); ++i) n_ += n(i);
  if (n_ == 0) throw DataError("expected at least one training record, found none");
  everyone_.resize(owners());
  std::iota(everyone_.begin(), everyone_.end(), std::size_t{0});
  check_targets();
  if (loss().quadratic()) gather_moments();
}

void Problem::require_records_of_all() const {
  for (std::size_t i = 0; i < owners(); ++i) {
    if (n(i) == 0)
      throw DataError(fmt::format("owner {}: expected at least one training record, found none", i));
  }
}

void Problem::check_targets() const {
  bool negative = false, positive = false;
  for (std::size_t i = 0; i < owners(); ++i) {
    for (const Shard* shard : {&data_.train[i], &data_.test[i]}) {
      if (!shard->features.allFinite() || !shard->target.allFinite()) {
        throw DataError(fmt::format("owner {}: a feature or target is not finite", i));
      }
      for (const double y : shard->target) {
        if (loss().is_classifier() && y != -1 && y != 1) {
          throw DataError(
              fmt::format("{} loss: expected targets -1 and +1, found {:g}; for a csv say which are positive",
                          loss().name(), y));
        }
      }
    }
    negative = negative || (data_.train[i].target.array() < 0).any();
    positive = positive || (data_.train[i].target.array() > 0).any();
  }
  if (loss().is_classifier() && !(negative && positive)) {
    throw DataError(
        fmt::format("{} loss: expected two classes, found only {}", loss().name(), positive ? "+1" : "-1"));
  }
}

void Problem::gather_moments() {
  for (const Shard& shard : data_.train) {
    Moments& m = moments_.emplace_back();
    const auto count = static_cast<double>(std::max<Index>(shard.target.size(), 1));
    Eigen::MatrixXd lower = Eigen::MatrixXd::Zero(p(), p());
    lower.selfadjointView<Eigen::Lower>().rankUpdate(shard.features.transpose(), 1 / count);
    m.a = lower.selfadjointView<Eigen::Lower>();
    m.b = shard.features.transpose() * shard.target / count;
    m.c = shard.target.squaredNorm() / count;
    m.slope.setZero(p());
  }
  const Moments about_zero = pooled_moments(everyone_);
  reference_ = solve_positive(about_zero.a, about_zero.b);
  for (std::size_t i = 0; i < owners(); ++i) {
    const Shard& shard = data_.train[i];
    const Eigen::VectorXd residual = shard.features * reference_ - shard.target;
    const auto count = static_cast<double>(std::max<Index>(residual.size(), 1));
    moments_[i].value = residual.squaredNorm() / count;
    moments_[i].slope = shard.features.transpose() * residual / count;
  }
  pooled_ = pooled_moments(everyone_);
}

Moments Problem::pooled_moments(std::span<const std::size_t> owners) const {
  Moments sum{.a = Eigen::MatrixXd::Zero(p(), p()),
              .b = Eigen::VectorXd::Zero(p()),
              .slope = Eigen::VectorXd::Zero(p())};
  double total = 0;
  for (const std::size_t i : owners) total += static_cast<double>(n(i));
  for (const std::size_t i : owners) {
    const double weight = static_cast<double>(n(i)) / total;
    sum.a += weight * moments_[i].a;
    sum.b += weight * moments_[i].b;
    sum.slope += weight * moments_[i].slope;
    sum.c += weight * moments_[i].c;
    sum.value += weight * moments_[i].value;
  }
  return sum;
}

void Problem::regulariser_gradient(In theta, Out out) const {
  out = sigma() * theta;
}

Index Problem::project(Out theta) const {
  if (!model_.theta_max) return 0;
  const double limit = *model_.theta_max;
  const Index moved = (theta.array().abs() > limit).count();
  if (moved > 0) theta = theta.cwiseMax(-limit).cwiseMin(limit);
  return moved;
}

double Problem::mean_loss(const Moments& m, In theta) const {
  double quadratic = 0, linear = 0;
  for (Index j = 0; j < p(); ++j) {
    const double d = theta[j] - reference_[j];
    quadratic += m.a.col(j).dot(theta - reference_) * d;
    linear += m.slope[j] * d;
  }
  return m.value + 2 * linear + quadratic;
}

double Problem::mean_loss(std::size_t owner, In theta) const {
  if (loss().quadratic()) return mean_loss(moments_[owner], theta);
  const double total = loss().visit([&](const auto& l) { return total_loss(data_.train[owner], theta, l); });
  return total / static_cast<double>(std::max<Index>(n(owner), 1));
}

double Problem::objective(In theta) const {
  if (loss().quadratic()) return regulariser(theta) + mean_loss(pooled_, theta);
  return objective(theta, everyone_);
}

double Problem::objective(In theta, std::span<const std::size_t> owners) const {
  double total = 0, records = 0;
  for (const std::size_t i : owners) {
    total += static_cast<double>(n(i)) * mean_loss(i, theta);
    records += static_cast<double>(n(i));
  }
  return regulariser(theta) + total / records;
}

void Problem::mean_gradient(std::size_t owner, In theta, Out out) const {
  if (loss().quadratic()) {
    // Plain loops: at the usual p of 10 a library product's set-up costs more than the product.
    const Moments& m = moments_[owner];
    const Index size = p();
    double* const o = out.data();
    const double* const slope = m.slope.data();
    for (Index k = 0; k < size; ++k) o[k] = 2 * slope[k];
    const double* a = m.a.data();
    for (Index j = 0; j < size; ++j, a += size) {
      const double d = 2 * (theta[j] - reference_[j]);
      for (Index k = 0; k < size; ++k) o[k] += a[k] * d;
    }
    return;
  }
  loss().visit([&](const auto& l) {
    if constexpr (requires { l.slopes(theta, theta); }) {
      sum_weighted(data_.train[owner], theta, out,
                   [&](auto scores, const auto& y, Index) { l.slopes(scores, y); });
    } else {
      sum_gradients(data_.train[owner], theta, out, [&](double s, double y, Index) { return l.slope(s, y); });
    }
  });
  out /= static_cast<double>(std::max<Index>(n(owner), 1));
}

double Problem::mean_gradient_clipped(std::size_t owner, In theta, double bound, Norm norm, Out out) const {
  const Eigen::VectorXd& norms = record_norms(owner, norm);
  Index clipped = 0;
  loss().visit([&](const auto& l) {
    sum_gradients(data_.train[owner], theta, out, [&](double s, double y, Index k) {
      const double slope = l.slope(s, y);
      const double length = std::abs(slope) * norms[k];
      clipped += length > bound ? 1 : 0;
      return slope * std::min(1.0, bound / length);  // without a branch: it could not be foretold
    });
  });
  const auto count = static_cast<double>(std::max<Index>(n(owner), 1));
  out /= count;
  return static_cast<double>(clipped) / count;
}

void Problem::gradient_of_records(std::size_t owner, std::span<const Index> records, In theta, double divisor,
                                  double bound, Out out) const {
  const Shard& shard = data_.train[owner];
  out.setZero();
  loss().visit([&](const auto& l) {
    for (const Index k : records) {
      const Row x = row_of(shard, k);
      double slope = l.slope(x.dot(theta), shard.target[k]);
      const double length = std::abs(slope) * x.norm();
      if (length > bound) slope *= bound / length;
      out += slope * x;
    }
  });
  out /= divisor;
}

const Eigen::VectorXd& Problem::record_norms(std::size_t owner, Norm norm) const {
  RecordNorms& cache = norm == Norm::kL1 ? norms_->l1 : norms_->l2;
  std::call_once(cache.once, [&] {
    for (const Shard& shard : data_.train) {
      if (norm == Norm::kL1) {
        cache.by_owner.emplace_back(shard.features.rowwise().lpNorm<1>());
      } else {
        cache.by_owner.emplace_back(shard.features.rowwise().norm());
      }
    }
  });
  return cache.by_owner[owner];
}

double Problem::largest_record_gradient(In theta, Norm norm) const {
  double largest = 0;
  loss().visit([&](const auto& l) {
    for (const Shard& shard : data_.train) {
      for_records(shard, theta, [&](double s, double y, const Row& x) {
        largest = std::max(largest, std::abs(l.slope(s, y)) * norm_of(x, norm));
      });
    }
  });
  return largest;
}

std::optional<double> Problem::derived_gradient_bound() const {
  if (!data_.bounds) return std::nullopt;
  const double bound =
      loss().gradient_l1_bound(data_.bounds->features_l1, data_.bounds->target,
                               model_.theta_max.value_or(std::numeric_limits<double>::infinity()));
  if (!std::isfinite(bound)) return std::nullopt;
  return bound;
}

double Problem::test_error(In theta) const {
  double total = 0;
  Index count = 0;
  for (const Shard& shard : data_.test) {
    total += total_error(loss(), shard, theta);
    count += shard.target.size();
  }
  return mean_or_nan(total, count);
}

double Problem::test_error(std::size_t owner, In theta) const {
  return mean_or_nan(total_error(loss(), data_.test[owner], theta), data_.test[owner].target.size());
}

std::pair<double, double> Problem::hessian_extremes() const {
  if (!loss().quadratic()) throw std::logic_error("Hessian extremes are known for quadratic losses only");
  const Eigen::VectorXd values = symmetric_eigenvalues(pooled_.a);
  return {2 * values[0], 2 * values[values.size() - 1]};
}

}  // namespace hearsay::models
