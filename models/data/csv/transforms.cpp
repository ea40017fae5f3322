#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "models/algebra/dense.hpp"
#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

bool is_test(const WorkingSet& set, Index row) {
  return set.rows.test[static_cast<std::size_t>(row)] != 0;
}

std::vector<Index> training_rows(const WorkingSet& set) {
  std::vector<Index> rows;
  for (Index k = 0; k < set.x.rows(); ++k) {
    if (!is_test(set, k)) rows.push_back(k);
  }
  return rows;
}

// Mean, variance (over n, not n - 1) of some rows of a vector.
struct MeanVariance {
  double mean = 0, variance = 0;
};
template <class V>
MeanVariance moments(const std::vector<Index>& rows, const V& v) {
  const auto n = static_cast<double>(rows.size());
  const auto about = [&](double origin) {
    MeanVariance m;
    for (const Index k : rows) m.mean += v[k] - origin;
    m.mean = origin + m.mean / n;
    for (const Index k : rows) m.variance += (v[k] - m.mean) * (v[k] - m.mean);
    m.variance /= n;
    return m;
  };
  const MeanVariance m = about(0);
  // The rounding of a long sum can exceed the spread of values that are nearly the same; about one of them it does not.
  return m.variance < 1e-12 * m.mean * m.mean ? about(v[rows.front()]) : m;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The most frequent code, the smallest of several.
double mode(const std::vector<double>& values) {
  std::map<double, std::size_t> count;
  for (const double v : values) ++count[v];
  return std::max_element(count.begin(), count.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

struct Imputed {
  std::size_t all = 0, pooled = 0;  // pooled: by the values of all owners, where the owner has none
};

// Fills the missing entries of a column at the assigned rows.
Imputed impute_column(Column& column, const Assignment& rows, Impute how) {
  const auto value = [&](std::size_t k) -> double& {
    return column.values[static_cast<Eigen::Index>(rows.row[k])];
  };
  std::vector<std::vector<double>> own(rows.owner_names.size());
  std::vector<double> pooled;
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (std::isnan(value(k))) {
      missing.push_back(k);
    } else if (!rows.test[k]) {
      own[rows.owner[k]].push_back(value(k));
      pooled.push_back(value(k));
    }
  }
  if (missing.empty()) return {};
  if (pooled.empty()) {
    throw DataError(fmt::format("column '{}': expected a value in the training records, found none; drop it",
                                column.name));
  }
  const auto typical = [&](const std::vector<double>& values) {
    if (column.text()) return mode(values);
    return how == Impute::kMean ? mean(values) : median(values);
  };
  std::vector<double> fill;
  fill.reserve(own.size());
  for (const auto& values : own) fill.push_back(typical(values.empty() ? pooled : values));
  Imputed filled{.all = missing.size()};
  for (const std::size_t k : missing) {
    value(k) = fill[rows.owner[k]];
    filled.pooled += own[rows.owner[k]].empty();
  }
  return filled;
}

}  // namespace

void standardise(WorkingSet& set, StandardiseBy by) {
  const bool pooled = by == StandardiseBy::kPooled;
  const std::size_t groups = pooled ? 1 : set.rows.owner_names.size();
  std::vector<std::vector<Index>> train(groups), all(groups);
  for (Index k = 0; k < set.x.rows(); ++k) {
    const std::size_t group = pooled ? 0 : set.rows.owner[static_cast<std::size_t>(k)];
    all[group].push_back(k);
    if (!is_test(set, k)) train[group].push_back(k);
  }
  for (Index j = 0; j < set.x.cols(); ++j) {
    std::size_t constant = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const auto m = moments(train[g], set.x.col(j));
      const double scale = is_constant(m.mean, m.variance) ? 0 : 1 / std::sqrt(m.variance);
      constant += scale == 0;
      for (const Index k : all[g]) set.x(k, j) = (set.x(k, j) - m.mean) * scale;
    }
    if (constant > 0) {
      set.out.notes.push_back(fmt::format("feature '{}' is constant{}: 0 after standardising",
                                          set.out.feature_names[static_cast<std::size_t>(j)],
                                          pooled ? "" : fmt::format(" at {} owners", constant)));
    }
  }
  set.out.fitted_on_private_data.emplace_back(
      fmt::format("mean and variance of every feature{} (standardise)", pooled ? "" : " at each owner"));
}

void project_on_components(WorkingSet& set, const PcaOptions& options) {
  const auto components = static_cast<Index>(options.components);
  if (components > set.x.cols()) {
    throw DataError(
        fmt::format("pca.components: expected at most the {} features, found {}", set.x.cols(), components));
  }
  auto rows = training_rows(set);
  std::ranges::reverse(rows);
  if (options.fit_on_last > 0) rows.resize(std::min(rows.size(), options.fit_on_last));
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
  set.out.full_categories.clear();
  for (Index c = 0; c < components; ++c) set.out.feature_names.push_back(fmt::format("pc{}", c + 1));
  set.out.fitted_on_private_data.push_back(fmt::format("principal components of {} training records (pca{})",
                                                       rows.size(), options.whiten ? ", whitened" : ""));
}

void scale_into_unit_ball(WorkingSet& set) {
  const Eigen::VectorXd norms = set.x.rowwise().norm();
  double largest = 0;
  for (const Index k : training_rows(set)) largest = std::max(largest, norms[k]);
  if (largest == 0) throw DataError("unit_ball: expected a training record other than 0, found none");
  for (Index k = 0; k < norms.size(); ++k) set.x.row(k) /= std::max(largest, norms[k]);
  set.out.fitted_on_private_data.emplace_back("largest norm of a record (unit_ball)");
}

void transform_target(WorkingSet& set, TargetTransform how) {
  if (how == TargetTransform::kNone) return;
  const auto m = moments(training_rows(set), set.y);
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
}

void warn_of_offset(WorkingSet& set) {
  const auto rows = training_rows(set);
  const Eigen::VectorXd y = set.y(rows);
  const auto m = moments(rows, set.y);
  if (m.mean * m.mean <= m.variance || (y.array().abs() == 1).all()) return;
  // A combination of the features is constant if the least-squares fit of the constant 1 is exact.
  const Eigen::MatrixXd x = set.x(rows, Eigen::all);
  const Eigen::VectorXd fit = x * solve_positive(x.transpose() * x, x.colwise().sum().transpose());
  if ((fit.array() - 1).matrix().squaredNorm() < 1e-9 * static_cast<double>(y.size())) return;
  set.out.notes.push_back(
      fmt::format("warning: the target has mean {:.4g} and standard deviation {:.4g}, and no feature is "
                  "constant: set data.bias to true, or data.target_transform to centre",
                  m.mean, std::sqrt(m.variance)));
}

DataSet scatter(WorkingSet&& set) {
  std::vector<std::vector<Index>> train(set.rows.owner_names.size()), test(train.size());
  for (std::size_t k = 0; k < set.rows.size(); ++k)
    (set.rows.test[k] ? test : train)[set.rows.owner[k]].push_back(static_cast<Index>(k));
  DataSet out = std::move(set.out);
  for (const auto& rows : train) out.train.push_back({set.x(rows, Eigen::all), set.y(rows)});
  for (const auto& rows : test) out.test.push_back({set.x(rows, Eigen::all), set.y(rows)});
  out.owner_names = std::move(set.rows.owner_names);
  return out;
}

void impute(std::vector<Column>& features, Impute how, WorkingSet& set) {
  for (auto& column : features) {
    const Imputed filled = impute_column(column, set.rows, how);
    if (filled.all == 0) continue;
    const char* const by = column.text() ? "most frequent value" : how == Impute::kMean ? "mean" : "median";
    set.out.notes.push_back(fmt::format(
        "imputed {} values of '{}' by the owner's {}{}", filled.all, column.name, by,
        filled.pooled > 0
            ? fmt::format(", {} of them by that of all owners, as the owner has none", filled.pooled)
            : ""));
    set.out.fitted_on_private_data.push_back(fmt::format("{} of '{}' (imputation)", by, column.name));
  }
}

}  // namespace hearsay::models
