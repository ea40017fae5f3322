#include <fmt/format.h>

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

// Fills the missing entries of a column at the assigned rows; returns how many.
std::size_t impute_column(Column& column, const Assignment& rows, Impute how) {
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
  if (missing.empty()) return 0;
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
  for (const std::size_t k : missing) value(k) = fill[rows.owner[k]];
  return missing.size();
}

}  // namespace

void impute(std::vector<Column>& features, Impute how, WorkingSet& set) {
  for (auto& column : features) {
    const std::size_t filled = impute_column(column, set.rows, how);
    if (filled == 0) continue;
    const char* const by = column.text() ? "most frequent value" : how == Impute::kMean ? "mean" : "median";
    set.out.notes.push_back(
        fmt::format("imputed {} values of '{}' by the owner's {}", filled, column.name, by));
    set.out.fitted_on_private_data.push_back(fmt::format("{} of '{}' (imputation)", by, column.name));
  }
}

}  // namespace hearsay::models
