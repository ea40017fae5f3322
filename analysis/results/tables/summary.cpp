#include "analysis/results/tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/results/tables/distinguishing_axes.hpp"

namespace hearsay::analysis {

double quantile(std::vector<double> numbers, double p) {
  if (numbers.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(numbers.begin(), numbers.end());
  const double position = p * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  if (below + 1 >= numbers.size()) return numbers.back();
  const double share = position - static_cast<double>(below);
  return share == 0 ? numbers[below] : numbers[below] + share * (numbers[below + 1] - numbers[below]);
}

std::string rounded(double x) {
  return std::isnan(x) ? "-" : fmt::format("{:.4g}", x);
}

std::string interval_text(double low, double high) {
  return std::isnan(low) ? "-" : fmt::format("[{}, {}]", rounded(low), rounded(high));
}

std::string align(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> width;
  for (const auto& row : rows) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", row[c], width[c]);
    }
    text += line + "\n";
  }
  return text;
}

Summary::Summary(const StudyHead& study) : study_(study), rows_(1), finals_(study.metrics.size()) {
  for (const std::string& axis : study.axes) rows_[0].push_back(axis);
  rows_[0].emplace_back("runs");
  for (const MetricInfo& m : study.metrics) rows_[0].push_back(m.name + " [quartiles]");
}

void Summary::add(const PointResult& point) {
  end_point();
  open_ = true;
  point_ = point;
  add_baselines(point.scalars);
}

void Summary::add_baselines(const std::vector<Scalar>& scalars) {
  for (const Scalar& s : scalars) {
    if (!s.agent) baselines_.emplace_back(s.name, s.value);
  }
}

void Summary::add(const PointResult& point, const RunResult& run) {
  add_baselines(run.scalars);
  if (run.status != Status::kDone) return;
  ++done_;
  const std::vector<double> values = final_values(study_, point, run);
  for (std::size_t m = 0; m < values.size(); ++m) finals_[m].push_back(values[m]);
}

void Summary::end_point() {
  if (!std::exchange(open_, false)) return;
  ++points_;
  first_row_.push_back(rows_.size());
  labels_.push_back(point_.labels);
  std::vector<std::string> row(point_.labels);
  row.push_back(fmt::format("{}", done_));
  for (const auto& numbers : finals_) {
    row.push_back(numbers.empty() ? "-"
                                  : rounded(quantile(numbers, 0.5)) + " " +
                                        interval_text(quantile(numbers, 0.25), quantile(numbers, 0.75)));
  }
  rows_.push_back(std::move(row));
  for (const char* baseline : {"isolated", "pooled"}) {
    std::vector<std::string> line(point_.labels.size());
    line.emplace_back(baseline);
    bool any = false;
    for (const MetricInfo& m : study_.metrics) {
      const std::string wanted = fmt::format("{}.{}", baseline, m.name);
      std::vector<double> found;
      for (const auto& [name, value] : baselines_) {
        if (name == wanted) found.push_back(value);
      }
      any = any || !found.empty();
      line.push_back(found.empty() ? "" : rounded(quantile(found, 0.5)));
    }
    if (any) rows_.push_back(std::move(line));
  }
  for (auto& numbers : finals_) numbers.clear();
  baselines_.clear();
  done_ = 0;
}

std::string Summary::text(std::size_t most) {
  end_point();
  const std::vector<bool> wanted = distinguishing_axes(labels_, study_.groups, study_.axes.size());
  const std::size_t last = points_ <= most ? rows_.size() : first_row_[most];
  std::vector<std::vector<std::string>> shown(last);
  for (std::size_t r = 0; r < last; ++r) {
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      if (c >= wanted.size() || wanted[c]) shown[r].push_back(rows_[r][c]);
    }
  }
  return align(shown) + (points_ <= most ? "" : fmt::format("... and {} more points\n", points_ - most));
}

}  // namespace hearsay::analysis
