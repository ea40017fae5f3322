#include "analysis/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

namespace {

std::string rounded(double value) {
  return fmt::format("{:.4g}", value);
}

// The baseline's mean over owners of a metric, as text: of the point, or the median over its repetitions;
// empty where it has none.
std::string baseline_value(const StudyResult& study, std::size_t point, const std::string& baseline,
                           std::string_view metric) {
  const std::string wanted = fmt::format("{}.{}", baseline, metric);
  const auto is_wanted = [&](const Scalar& s) { return !s.agent && s.name == wanted; };
  std::vector<double> found;
  const auto collect = [&](const std::vector<Scalar>& scalars) {
    for (const Scalar& s : scalars) {
      if (is_wanted(s)) found.push_back(s.value);
    }
  };
  collect(study.points[point].scalars);
  for (const RunResult& run : study.runs) {
    if (run.point == point) collect(run.scalars);
  }
  return found.empty() ? "" : rounded(quantile(found, 0.5));
}

}  // namespace

std::string summary_table(const StudyResult& study) {
  std::vector<std::vector<std::string>> rows(1);
  for (const std::string& axis : study.axes) rows[0].push_back(axis);
  rows[0].push_back("runs");
  for (const Metric* m : study.metrics) rows[0].push_back(fmt::format("{} [quartiles]", m->name));

  for (std::size_t p = 0; p < study.points.size(); ++p) {
    const PointResult& point = study.points[p];
    std::vector<std::vector<double>> finals(study.metrics.size());
    std::size_t done = 0;
    for (const RunResult& run : study.runs) {
      if (run.point != p || run.status != Status::kDone) continue;
      ++done;
      const std::vector<double> values = final_values(study, run);
      for (std::size_t m = 0; m < values.size(); ++m) finals[m].push_back(values[m]);
    }
    std::vector<std::string> row(point.labels);
    row.push_back(fmt::format("{}", done));
    for (const auto& numbers : finals) {
      row.push_back(numbers.empty()
                        ? "-"
                        : fmt::format("{} [{}, {}]", rounded(quantile(numbers, 0.5)),
                                      rounded(quantile(numbers, 0.25)), rounded(quantile(numbers, 0.75))));
    }
    rows.push_back(row);
    for (const char* baseline : {"isolated", "pooled"}) {
      std::vector<std::string> line(point.labels.size());
      line.emplace_back(baseline);
      bool any = false;
      for (const Metric* m : study.metrics) {
        line.push_back(baseline_value(study, p, baseline, m->name));
        any = any || !line.back().empty();
      }
      if (any) rows.push_back(line);
    }
  }
  return align(rows);
}

}  // namespace hearsay::analysis
