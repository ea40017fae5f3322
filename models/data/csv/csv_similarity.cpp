#include <fmt/format.h>

#include <cmath>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

using Eigen::Index;

// The value of a column that all rows of an owner share.
Eigen::VectorXd value_of_owners(const WorkingSet& set, const TextTable& table, const Column& column) {
  Eigen::VectorXd out =
      Eigen::VectorXd::Constant(static_cast<Index>(set.rows.owner_names.size()), std::nan(""));
  for (std::size_t k = 0; k < set.rows.size(); ++k) {
    const std::size_t row = set.rows.row[k];
    const double value = column.values[static_cast<Index>(row)];
    double& of_owner = out[static_cast<Index>(set.rows.owner[k])];
    const auto where = [&] { return table.at(row, table.column(column.name, "similarity/from/columns")); };
    if (std::isnan(value)) throw DataError(where() + "expected a profile without missing values");
    if (!std::isnan(of_owner) && of_owner != value) {
      throw DataError(fmt::format("{}expected the same profile in all rows of owner '{}', found others",
                                  where(), set.rows.owner_names[set.rows.owner[k]]));
    }
    of_owner = value;
  }
  return out;
}

Eigen::MatrixXd profiles(const WorkingSet& set, const TextTable& table, const CsvData& options,
                         const ProfileColumns& profile) {
  std::vector<Eigen::VectorXd> z;
  for (const std::string& name : profile.columns) {
    const Column column = read_column(table, table.column(name, "similarity/from/columns"), options);
    const Eigen::VectorXd value = value_of_owners(set, table, column);
    if (!column.text()) z.push_back(value);
    for (std::size_t level = 0; level < column.levels.size(); ++level) {
      const auto has = value.array() == static_cast<double>(level);
      // One that only declarations and rows that are left out have says nothing of these owners.
      if (has.any()) z.emplace_back(has.cast<double>());
    }
  }
  Eigen::MatrixXd out(z.front().size(), static_cast<Index>(z.size()));
  for (std::size_t c = 0; c < z.size(); ++c) out.col(static_cast<Index>(c)) = z[c];
  return out;
}

Eigen::MatrixXd record_means(const WorkingSet& set) {
  const auto owners = static_cast<Index>(set.rows.owner_names.size());
  const auto classes = static_cast<Index>(set.out.classes.size());
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(owners, set.x.cols() + std::max<Index>(1, classes));
  Eigen::VectorXd count = Eigen::VectorXd::Zero(owners);
  for (std::size_t k = 0; k < set.rows.size(); ++k) {
    if (set.rows.test[k]) continue;
    const auto owner = static_cast<Index>(set.rows.owner[k]), row = static_cast<Index>(k);
    z.row(owner).head(set.x.cols()) += set.x.row(row);
    if (classes == 0) {
      z(owner, set.x.cols()) += set.y[row];
    } else {
      z(owner, set.x.cols() + static_cast<Index>(set.y[row])) += 1;
    }
    ++count[owner];
  }
  return count.cwiseInverse().asDiagonal() * z;
}

void scale(Eigen::MatrixXd& z) {
  for (auto column : z.colwise()) {
    const double mean = column.mean();
    column.array() -= mean;
    const double variance = column.squaredNorm() / static_cast<double>(column.size());
    // Means of standardised features that are the same are 0 but for their rounding.
    column *= variance <= 1e-24 * (1 + mean * mean) ? 0 : 1 / std::sqrt(variance);
  }
}

}  // namespace

void link_similar(WorkingSet& set, const TextTable& table, const CsvData& options) {
  const CsvSimilarity& how = *options.similarity;
  const auto* profile = std::get_if<ProfileColumns>(&how.from);
  Eigen::MatrixXd z = profile ? profiles(set, table, options, *profile) : record_means(set);
  scale(z);
  const auto owners = static_cast<std::size_t>(z.rows());
  const Closeness minus_squared_distance = [&](std::size_t i, Eigen::VectorXd& to) {
    to =
        -(z.rowwise() - z.row(static_cast<Index>(i))).rowwise().squaredNorm() / static_cast<double>(z.cols());
  };
  if (const auto* nearest = std::get_if<NearestWeights>(&how.weights)) {
    set.out.similarity = nearest_neighbours(owners, nearest->neighbours, minus_squared_distance);
  } else {
    const auto& gaussian = std::get<GaussianWeights>(how.weights);
    const double twice = 2 * gaussian.bandwidth * gaussian.bandwidth;
    const auto weight = [&](std::size_t i, Eigen::VectorXd& to) {
      minus_squared_distance(i, to);
      to = (to / twice).array().exp();
    };
    set.out.similarity =
        weighted_graph(owners, gaussian.weight_threshold, weight, "similarity/weights/weight_threshold");
  }
  if (!profile) {
    set.out.similarity_from = "means of every owner's features and target";
    return;
  }
  set.out.notes.push_back(
      fmt::format("similarity graph from profiles ({}), assumed public", fmt::join(profile->columns, ", ")));
}

}  // namespace hearsay::models
