#include "models/learning/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "models/algebra/dense.hpp"
#include "models/learning/record_pass.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;
using In = Problem::In;
using Row = Eigen::Map<const Eigen::VectorXd>;

Row row_of(const Shard& shard, Index k) {
  return {shard.features.row(k).data(), shard.features.cols()};
}

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

using record_pass::for_ranges;
using record_pass::time_of;

double norm_of(const Row& x, Norm norm) {
  return norm == Norm::kL1 ? x.lpNorm<1>() : x.norm();
}

// Sum of a loss's errors over a shard.
double total_error(const Problem& problem, const Shard& shard, In theta) {
  if (problem.network() != nullptr) return problem.network()->total_error(shard, theta);
  const Loss& loss = problem.loss();
  double total = 0;
  loss.visit([&](const auto& l) {
    sim::Crew::sum_in_order(static_cast<std::size_t>(shard.target.size()), 1, time_of(shard), &total,
                            [&](std::size_t begin, std::size_t end, double* to, std::size_t stride) {
                              for (auto k = static_cast<Index>(begin); k < static_cast<Index>(end);
                                   ++k, to += stride)
                                *to += l.error(row_of(shard, k).dot(theta), shard.target[k]);
                            });
  });
  return total;
}

// Sum of the records' losses; `keep`: see Problem::mean_loss.
double sum_of_losses(const Problem& problem, const Shard& shard, In theta, std::span<double> keep = {}) {
  if (problem.network() != nullptr) return problem.network()->total_loss(shard, theta);
  return problem.loss().visit([&](const auto& l) { return total_loss(shard, theta, l, keep); });
}

double mean_or_nan(double total, Index count) {
  return count > 0 ? total / static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

void ModelOptions::describe(sim::Visitor& v) {
  v(loss, {.name = "loss", .help = "Loss of a record."});
  v.variant(network, {.name = "network", .help = "How scores follow from the features."});
  v(l2, sim::non_negative("l2", "Weight of the regulariser norm_2(theta)^2."));
  v(l2_half, {.name = "l2_half", .help = "Weight the regulariser by l2/2 instead of l2."});
  v(theta_max,
    sim::positive(
        "theta_max",
        "Half-width of the box norm_inf(theta) <= theta_max that constrains theta; by default no box."));
  v(start,
    {.name = "start", .help = "Where learning starts; by default at zero, and with a hidden layer uniform."});
  v.check(!std::holds_alternative<Mlp>(network) || !start || !std::holds_alternative<ZeroStart>(*start),
          "start", "expected uniform with a hidden layer, whose weights have gradient 0 at 0, found zero");
  const auto* uniform = start ? std::get_if<UniformStart>(&*start) : nullptr;
  v.check(uniform == nullptr || !uniform->bound || !theta_max || *uniform->bound <= *theta_max, "start/bound",
          "expected at most theta_max, the half-width of the box");
}

void PublicProblem::regulariser_gradient(In theta, Out out) const {
  out = sigma() * theta;
}

Index PublicProblem::project(Out theta) const {
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

double Problem::mean_loss(std::size_t owner, In theta, std::span<double> keep) const {
  if (quadratic()) return mean_loss((*moments_)[owner], theta);
  return sum_of_losses(*this, data_->train[owner], theta, keep) /
         static_cast<double>(std::max<Index>(n(owner), 1));
}

double Problem::objective(In theta) const {
  if (quadratic()) return regulariser(theta) + mean_loss(pooled_, theta);
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

void Problem::mean_gradient(std::size_t owner, In theta, Out out, std::span<const double> known) const {
  if (quadratic()) {
    // Plain loops: at the usual p of 10 a library product's set-up costs more than the product.
    const Moments& m = (*moments_)[owner];
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
  const auto count = static_cast<double>(std::max<Index>(n(owner), 1));
  if (network_) {
    network_->sum_gradients(data_->train[owner], theta, kUnbounded, Norm::kL2, out);
    out /= count;
    return;
  }
  loss().visit([&](const auto& l) {
    if constexpr (requires { l.slopes(theta, theta); }) {
      sum_weighted(data_->train[owner], theta, known, out, [&](auto scores, const auto& y, Index) {
        l.slopes(scores, y);
        return Index{0};
      });
    } else {
      sum_gradients(data_->train[owner], theta, known, out,
                    [&](double s, double y, Index) { return l.slope(s, y); });
    }
  });
  out /= count;
}

double Problem::mean_gradient_clipped(std::size_t owner, In theta, double bound, Norm norm, Out out,
                                      std::span<const double> known) const {
  const auto count = static_cast<double>(std::max<Index>(n(owner), 1));
  if (network_) {
    const Index scaled = network_->sum_gradients(data_->train[owner], theta, bound, norm, out);
    out /= count;
    return static_cast<double>(scaled) / count;
  }
  const Eigen::VectorXd& norms = record_norms(owner, norm);
  const Index clipped = loss().visit([&](const auto& l) {
    return sum_weighted(data_->train[owner], theta, known, out, [&](auto scores, const auto& y, Index first) {
      for (Index k = 0; k < scores.size(); ++k) scores[k] = l.slope(scores[k], y[k]);
      // Without branches, which cannot be predicted.
      const double* const norm_of_record = norms.data() + first;
      Index longer = 0;
      for (Index k = 0; k < scores.size(); ++k) {
        const double factor = shortening(std::abs(scores[k]) * norm_of_record[k], bound);
        longer += factor < 1 ? 1 : 0;
        scores[k] = factor > 0 ? scores[k] * factor : 0.0;
      }
      return longer;
    });
  });
  out /= count;
  return static_cast<double>(clipped) / count;
}

Index Problem::gradient_of_records(std::size_t owner, std::span<const Index> records, In theta,
                                   double divisor, double bound, Norm norm, Out out) const {
  const Shard& shard = data_->train[owner];
  if (network_) {
    return network_->sum_gradients(shard, records, theta, 1 / divisor, bound, norm, out);
  }
  out.setZero();
  Index scaled = 0;
  loss().visit([&](const auto& l) {
    for (const Index k : records) {
      const Row x = row_of(shard, k);
      double slope = l.slope(x.dot(theta), shard.target[k]);
      const double factor = std::isfinite(bound) ? shortening(std::abs(slope) * norm_of(x, norm), bound) : 1;
      scaled += factor < 1 ? 1 : 0;
      slope = factor > 0 ? slope * factor : 0;
      out += slope * x;
    }
  });
  out /= divisor;
  return scaled;
}

const Eigen::VectorXd& Problem::record_norms(std::size_t owner, Norm norm) const {
  RecordNorms& cache = norm == Norm::kL1 ? norms_->l1 : norms_->l2;
  std::call_once(cache.once, [&] {
    for (const Shard& shard : data_->train) {
      Eigen::VectorXd& norms = cache.by_owner.emplace_back(shard.target.size());
      for_ranges(shard, [&](Index begin, Index end) {
        const auto rows = shard.features.middleRows(begin, end - begin).rowwise();
        if (norm == Norm::kL1) {
          norms.segment(begin, end - begin) = rows.lpNorm<1>();
        } else {
          norms.segment(begin, end - begin) = rows.norm();
        }
      });
    }
  });
  return cache.by_owner[owner];
}

double Problem::largest_record_gradient(In theta, Norm norm) const {
  double largest = 0;
  if (network_) {
    for (const Shard& shard : data_->train)
      largest = std::max(largest, network_->largest_gradient(shard, theta, norm));
    return largest;
  }
  std::mutex mutex;
  loss().visit([&](const auto& l) {
    for (const Shard& shard : data_->train) {
      for_ranges(shard, [&](Index begin, Index end) {
        double own = 0;
        for (Index k = begin; k < end; ++k) {
          const Row x = row_of(shard, k);
          own = std::max(own, std::abs(l.slope(x.dot(theta), shard.target[k])) * norm_of(x, norm));
        }
        const std::lock_guard lock(mutex);
        largest = std::max(largest, own);
      });
    }
  });
  return largest;
}

std::optional<double> PublicProblem::derived_gradient_bound() const {
  return models::derived_gradient_bound(model_, data_->bounds);
}

std::optional<double> derived_gradient_bound(const ModelOptions& model,
                                             const std::optional<DeclaredBounds>& declared) {
  if (!declared || !model.convex()) return std::nullopt;
  const double bound =
      model.loss.gradient_l1_bound(declared->features_l1, declared->target,
                                   model.theta_max.value_or(std::numeric_limits<double>::infinity()));
  if (!std::isfinite(bound)) return std::nullopt;
  return bound;
}

double Problem::test_error(In theta) const {
  double total = 0;
  for (const std::size_t owner : tested_) total += total_error(*this, data_->test[owner], theta);
  return mean_or_nan(total, test_records_);
}

double Problem::test_error(std::size_t owner, In theta) const {
  return mean_or_nan(total_error(*this, data_->test[owner], theta), data_->test[owner].target.size());
}

double Problem::test_loss(In theta) const {
  double total = 0;
  for (const std::size_t owner : tested_) total += sum_of_losses(*this, data_->test[owner], theta);
  return mean_or_nan(total, test_records_);
}

std::pair<double, double> Problem::hessian_extremes() const {
  if (!quadratic()) throw std::logic_error("Hessian extremes are known for quadratic losses only");
  const Eigen::VectorXd values = symmetric_eigenvalues(pooled_.a);
  return {2 * values[0], 2 * values[values.size() - 1]};
}

std::optional<double> Problem::largest_curvature() const {
  constexpr double kMaxWork = 2e10;  // p^3
  const auto size = static_cast<double>(p());
  if (!quadratic() || size * size * size > kMaxWork) return std::nullopt;
  return *memo().get<double>("pooled h_max", [&] { return hessian_extremes().second; });
}

}  // namespace hearsay::models
