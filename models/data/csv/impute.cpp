#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "models/data/csv/working_set.hpp"

namespace hearsay::models {
namespace {

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

}  // namespace

std::size_t impute(Column& column, const Assignment& assignment, Impute how) {
  const auto value = [&](std::size_t k) -> double& {
    return column.values[static_cast<Eigen::Index>(assignment.row[k])];
  };
  std::vector<std::vector<double>> own(assignment.owner_names.size());
  std::vector<double> pooled;
  bool missing = false;
  for (std::size_t k = 0; k < assignment.size(); ++k) {
    missing = missing || std::isnan(value(k));
    if (assignment.test[k] || std::isnan(value(k))) continue;
    own[assignment.owner[k]].push_back(value(k));
    pooled.push_back(value(k));
  }
  if (!missing) return 0;
  if (pooled.empty())
    throw DataError("column '" + column.name + "': every training record lacks it; drop it");

  const auto typical = [&](const std::vector<double>& values) {
    if (column.text()) return mode(values);
    return how == Impute::kMean ? mean(values) : median(values);
  };
  const double of_all = typical(pooled);
  std::vector<double> fill(own.size());
  std::transform(own.begin(), own.end(), fill.begin(),
                 [&](const auto& v) { return v.empty() ? of_all : typical(v); });
  std::size_t filled = 0;
  for (std::size_t k = 0; k < assignment.size(); ++k) {
    if (!std::isnan(value(k))) continue;
    value(k) = fill[assignment.owner[k]];
    ++filled;
  }
  return filled;
}

}  // namespace hearsay::models
