#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/data/csv/working_set.hpp"
#include "models/solvers/dense.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

bool is_test(const WorkingSet& set, Index row) {
  return set.rows.test[static_cast<std::size_t>(row)] != 0;
}

// Mean, variance (over n, not n - 1) of the training rows of a vector.
struct MeanVariance {
  double mean = 0, variance = 0;
};
template <class V>
MeanVariance training_moments(const WorkingSet& set, const V& v) {
  double n = 0;
  MeanVariance m;
  for (Index k = 0; k < v.size(); ++k) {
    if (is_test(set, k)) continue;
    m.mean += v[k];
    ++n;
  }
  m.mean /= n;
  for (Index k = 0; k < v.size(); ++k) {
    if (!is_test(set, k)) m.variance += (v[k] - m.mean) * (v[k] - m.mean);
  }
  m.variance /= n;
  return m;
}

// Row numbers of the last `count` training records; all for 0.
std::vector<Index> last_training_rows(const WorkingSet& set, std::size_t count) {
  std::vector<Index> rows;
  for (Index k = set.x.rows() - 1; k >= 0; --k) {
    if (!is_test(set, k) && (count == 0 || rows.size() < count)) rows.push_back(k);
  }
  return rows;
}

}  // namespace

void standardise(WorkingSet& set) {
  for (Index j = 0; j < set.x.cols(); ++j) {
    const auto m = training_moments(set, set.x.col(j));
    const double scale = is_constant(m.mean, m.variance) ? 0 : 1 / std::sqrt(m.variance);
    if (scale == 0) {
      set.out.notes.push_back(fmt::format("feature '{}' is constant: 0 after standardising",
                                          set.out.feature_names[static_cast<std::size_t>(j)]));
    }
    set.x.col(j) = (set.x.col(j).array() - m.mean) * scale;
  }
  set.out.fitted_on_private_data.emplace_back("mean and variance of every feature (standardise)");
}

void project_on_components(WorkingSet& set, const PcaOptions& options) {
  const auto components = static_cast<Index>(options.components);
  if (components > set.x.cols()) {
    throw DataError(
        fmt::format("pca.components: expected at most the {} features, found {}", set.x.cols(), components));
  }
  const auto rows = last_training_rows(set, options.fit_on_last);
  const Eigen::MatrixXd sample = set.x(rows, Eigen::all);
  const Eigen::RowVectorXd mean = sample.colwise().mean();
  const Eigen::MatrixXd centred = sample.rowwise() - mean;
  const Eigen::MatrixXd covariance = centred.transpose() * centred / static_cast<double>(rows.size());
  SymmetricEigen eigen;
  eigen.compute(covariance);

  Eigen::MatrixXd directions = eigen.vectors().rowwise().reverse().leftCols(components);
  const Eigen::VectorXd variances = eigen.values().reverse().head(components);
  for (Index c = 0; c < components; ++c) {
    Index largest = 0;
    directions.col(c).cwiseAbs().maxCoeff(&largest);
    if (directions(largest, c) < 0) directions.col(c) *= -1;
    if (!options.whiten) continue;
    if (variances[c] <= 1e-12 * variances[0]) {
      throw DataError(fmt::format(
          "pca.components: component {} has no variance and cannot be whitened; reduce components", c + 1));
    }
    directions.col(c) /= std::sqrt(variances[c]);
  }
  set.x = (set.x.rowwise() - mean) * directions;
  set.out.feature_names.clear();
  for (Index c = 0; c < components; ++c) set.out.feature_names.push_back(fmt::format("pc{}", c + 1));
  set.out.fitted_on_private_data.push_back(fmt::format("principal components of {} training records (pca{})",
                                                       rows.size(), options.whiten ? ", whitened" : ""));
}

void scale_into_unit_ball(WorkingSet& set) {
  const Eigen::VectorXd norms = set.x.rowwise().norm();
  double largest = 0;
  for (Index k = 0; k < norms.size(); ++k) largest = is_test(set, k) ? largest : std::max(largest, norms[k]);
  if (largest == 0) throw DataError("unit_ball: expected a training record other than 0, found none");
  for (Index k = 0; k < norms.size(); ++k) set.x.row(k) /= std::max(largest, norms[k]);
  set.out.fitted_on_private_data.emplace_back("largest norm of a record (unit_ball)");
}

void transform_target(WorkingSet& set, TargetTransform how) {
  if (how == TargetTransform::kNone) return;
  const auto m = training_moments(set, set.y);
  set.y.array() -= m.mean;
  if (how == TargetTransform::kStandardise) {
    if (is_constant(m.mean, m.variance))
      throw DataError("target_transform: expected a target of positive variance, found a constant one");
    set.y /= std::sqrt(m.variance);
  }
  set.out.fitted_on_private_data.emplace_back(
      how == TargetTransform::kCentre ? "mean of the target" : "mean and variance of the target");
}

void enforce_bounds(WorkingSet& set, const BoundsOptions& options, const TextTable& table) {
  // What rounding may add to a norm that has just been scaled to its bound.
  constexpr double kSlack = 1 + 1e-12;
  std::size_t scaled = 0, clamped = 0;
  for (Index k = 0; k < set.x.rows(); ++k) {
    const double norm = set.x.row(k).lpNorm<1>();
    const bool long_row = norm > options.features * kSlack;
    const bool far_target = options.target && std::abs(set.y[k]) > *options.target * kSlack;
    if (options.enforce == Enforce::kCheck && (long_row || far_target)) {
      const std::string where = table.at(set.rows.row[static_cast<std::size_t>(k)]);
      throw DataError(
          long_row ? fmt::format("{}expected features of L1 norm at most {:g} (bounds.features), found {:g}",
                                 where, options.features, norm)
                   : fmt::format("{}expected a target of magnitude at most {:g} (bounds.target), found {:g}",
                                 where, *options.target, set.y[k]));
    }
    if (long_row) set.x.row(k) *= options.features / norm;
    if (far_target && !is_test(set, k)) set.y[k] = std::clamp(set.y[k], -*options.target, *options.target);
    scaled += long_row;
    clamped += far_target && !is_test(set, k);
  }
  set.out.bounds = DeclaredBounds{.features_l1 = options.features};
  if (options.target) set.out.bounds->target = *options.target;
  if (scaled > 0)
    set.out.notes.push_back(fmt::format("scaled the features of {} records down to their bound", scaled));
  if (clamped > 0)
    set.out.notes.push_back(
        fmt::format("clamped the targets of {} training records to their bound", clamped));
}

void append_bias(WorkingSet& set) {
  set.x.conservativeResize(Eigen::NoChange, set.x.cols() + 1);
  set.x.rightCols(1).setOnes();
  set.out.feature_names.emplace_back("1");
  set.out.bias = true;
  if (set.out.bounds) set.out.bounds->features_l1 += 1;
}

DataSet scatter(WorkingSet&& set) {
  const std::size_t owners = set.rows.owner_names.size();
  std::vector<Index> train(owners, 0), test(owners, 0);
  for (std::size_t k = 0; k < set.rows.size(); ++k) ++(set.rows.test[k] ? test : train)[set.rows.owner[k]];

  DataSet out = std::move(set.out);
  for (std::size_t i = 0; i < owners; ++i) {
    out.train.push_back({Records(train[i], set.x.cols()), Eigen::VectorXd(train[i])});
    out.test.push_back({Records(test[i], set.x.cols()), Eigen::VectorXd(test[i])});
    train[i] = test[i] = 0;
  }
  for (std::size_t k = 0; k < set.rows.size(); ++k) {
    const std::size_t i = set.rows.owner[k];
    const Index at = (set.rows.test[k] ? test : train)[i]++;
    Shard& shard = (set.rows.test[k] ? out.test : out.train)[i];
    shard.features.row(at) = set.x.row(static_cast<Index>(k));
    shard.target[at] = set.y[static_cast<Index>(k)];
  }
  out.owner_names = std::move(set.rows.owner_names);
  return out;
}

}  // namespace hearsay::models
