#include "analysis/results/tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

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

Quartiles quartiles(std::vector<double> numbers) {
  std::erase_if(numbers, [](double x) { return !std::isfinite(x); });
  std::sort(numbers.begin(), numbers.end());
  return {quantile(numbers, 0.25), quantile(numbers, 0.5), quantile(numbers, 0.75)};
}

PointCollector::PointCollector(const StudyHead& study, const PointResult& point)
    : study_(study), point_(point), finals_(study.metrics.size()) {
  add_baselines(point.scalars);
}

void PointCollector::add_baselines(const std::vector<Scalar>& scalars) {
  for (const Scalar& s : scalars) {
    if (!s.agent) baselines_.emplace_back(s.name, s.value);
  }
}

void PointCollector::add(const RunResult& run) {
  add_baselines(run.scalars);
  if (run.status != Status::kDone) return;
  ++runs_;
  const std::vector<double> values = final_values(study_, point_, run);
  for (std::size_t m = 0; m < values.size(); ++m) finals_[m].push_back(values[m]);
}

PointSummary PointCollector::summary() const {
  PointSummary all{.labels = point_.labels, .runs = runs_};
  for (const auto& numbers : finals_) all.finals.push_back(quartiles(numbers));
  for (const char* name : {"isolated", "pooled"}) {
    std::vector<double> medians, found;
    for (const MetricInfo& m : study_.metrics) {
      found.clear();
      const std::string wanted = fmt::format("{}.{}", name, m.name);
      for (const auto& [baseline, value] : baselines_) {
        if (baseline == wanted) found.push_back(value);
      }
      medians.push_back(quantile(found, 0.5));
    }
    if (std::any_of(medians.begin(), medians.end(), [](double x) { return !std::isnan(x); }))
      all.baselines.emplace_back(name, std::move(medians));
  }
  return all;
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
    for (std::size_t c = 0; c < row.size(); ++c)
      text += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", row[c], width[c]);
    text += "\n";
  }
  return text;
}

std::vector<std::string> selected(const std::vector<std::string>& texts, const std::vector<bool>& wanted) {
  std::vector<std::string> some;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    if (wanted[k]) some.push_back(texts[k]);
  }
  return some;
}

std::string summary_text(const StudyHead& study, const std::vector<PointSummary>& points, std::size_t most) {
  std::vector<std::vector<std::string>> labels{}, rows(1);
  for (const PointSummary& point : points) labels.push_back(point.labels);
  const std::vector<bool> wanted = distinguishing_axes(labels, study.groups, study.axes.size());
  rows[0] = selected(study.axes, wanted);
  const std::size_t axes = rows[0].size();
  rows[0].emplace_back("runs");
  for (const MetricInfo& m : study.metrics) rows[0].push_back(m.name + " [quartiles]");
  for (std::size_t p = 0; p < std::min(points.size(), most); ++p) {
    auto& row = rows.emplace_back(selected(points[p].labels, wanted));
    row.push_back(std::to_string(points[p].runs));
    for (const Quartiles& q : points[p].finals)
      row.push_back(std::isnan(q.median) ? "-" : rounded(q.median) + " " + interval_text(q.low, q.high));
    for (const auto& [name, medians] : points[p].baselines) {
      auto& line = rows.emplace_back(axes);
      line.push_back(name);
      for (const double x : medians) line.push_back(std::isnan(x) ? "" : rounded(x));
    }
  }
  return align(rows) +
         (points.size() <= most ? "" : fmt::format("... and {} more points\n", points.size() - most));
}

std::vector<bool> distinguishing_axes(const std::vector<std::vector<std::string>>& labels,
                                      const std::vector<std::size_t>& groups, std::size_t axes,
                                      const std::vector<std::size_t>& taken) {
  std::vector<bool> distinguishing(axes, true);
  const auto is_taken = [&](std::size_t axis) {
    return std::find(taken.begin(), taken.end(), axis) != taken.end();
  };
  for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
    while (end < groups.size() && groups[end] == groups[begin]) ++end;
    std::vector<std::size_t> order;
    for (std::size_t axis = begin; axis < end; ++axis) order.push_back(axis);
    std::stable_partition(order.begin(), order.end(), is_taken);
    std::vector<std::vector<std::string>> so_far(labels.size());
    std::size_t combinations = 1;  // of the axes before
    for (const std::size_t axis : order) {
      for (std::size_t p = 0; p < labels.size(); ++p) so_far[p].push_back(labels[p][axis]);
      const std::size_t now = std::set(so_far.begin(), so_far.end()).size();
      distinguishing[axis] = axis == order.front() || is_taken(axis) || now > combinations;
      combinations = now;
    }
  }
  return distinguishing;
}

}  // namespace hearsay::analysis
