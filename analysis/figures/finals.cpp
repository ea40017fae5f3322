// A metric at the end of the runs: against each swept option, and over two of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

namespace {

// One row per point, with the numbers of its axes as "n0", "n1", ...
Json final_rows(const StudyData& study, std::size_t metric) {
  Json rows = Json::array();
  for (const FigurePoint& point : study.points) {
    if (!std::isfinite(point.finals[metric].median)) continue;
    Json& row = rows.emplace_back(row_of(study, point, point.finals[metric]));
    row["runs"] = point.runs;
    for (std::size_t a = 0; a < study.axes.size(); ++a) {
      const auto& [name, labels, numbers, logarithmic] = study.axes[a];
      if (numbers.empty()) continue;
      const auto label = std::find(labels.begin(), labels.end(), point.labels[a]) - labels.begin();
      row[fmt::format("n{}", a)] = seven_digits(numbers[static_cast<std::size_t>(label)]);
    }
  }
  return rows;
}

Json final_tooltip(const StudyData& study) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::size_t a : other_axes(study)) all.emplace_back(axis_key(a), study.axes[a].name);
  all.insert(all.end(), kQuartileNames.begin(), kQuartileNames.end());
  all.emplace_back("runs", "runs");
  return tooltip(all);
}

}  // namespace

std::vector<Drawing> draw_finals(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  const Json rows = final_rows(study, metric);
  std::vector<Drawing> all;
  if (rows.empty()) return all;
  for (const std::size_t axis : other_axes(study)) {
    const std::vector<std::size_t> others = other_axes(study, {axis});
    const bool coloured = !others.empty();
    const Selectors fixed = selectors(study, {others.begin() + (coloured ? 1 : 0), others.end()});
    Json values{{"rows", rows},
                {"params", fixed.parameters},
                {"filter", fixed.condition},
                {"x", along(study, axis)},
                {"metric", title_of(m)},
                {"scale", scale(spans_decades(rows))},
                {"tooltip", final_tooltip(study)}};
    if (coloured) values["color"] = colour(study, others.front());
    if (!study.axes[axis].numbers.empty()) values["numeric"] = true;
    all.push_back({fmt::format("{} at the end against {}", m.name, study.axes[axis].name),
                   "Point: median over repetitions; bar: interquartile range.", fill("finals", values)});
  }
  return all;
}

std::vector<Drawing> draw_heat_map(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  std::vector<std::size_t> two = other_axes(study);
  std::erase_if(two, [&](std::size_t a) { return study.axes[a].numbers.empty(); });
  if (two.size() < 2) return {};
  two.resize(2);
  const Json rows = final_rows(study, metric);
  if (rows.empty()) return {};
  const FigureAxis &x = study.axes[two[0]], &y = study.axes[two[1]];
  const bool logarithmic = spans_decades(rows);
  const Selectors fixed = selectors(study, other_axes(study, two));
  Json values{{"rows", rows},
              {"height", std::clamp<std::size_t>(y.labels.size() * 44, 120, 480)},
              {"params", fixed.parameters},
              {"filter", fixed.condition},
              {"x_field", axis_key(two[0])},
              {"x_title", x.name},
              {"x_sort", x.labels},
              {"y_field", axis_key(two[1])},
              {"y_title", y.name},
              {"y_sort", std::vector(y.labels.rbegin(), y.labels.rend())},
              {"metric", title_of(m)},
              {"scale_type", logarithmic ? "log" : "linear"},
              {"tooltip", final_tooltip(study)}};
  if (!logarithmic) values["zero"] = false;
  // Numbers where there is room for them, with a dark outline to be readable on any shade.
  if (x.labels.size() <= 12 && y.labels.size() <= 12)
    values["room"] = fmt::format("width >= {} ? 1 : 0", 52 * x.labels.size());
  return {{fmt::format("{} at the end, over {} and {}", m.name, x.name, y.name), "Median over repetitions.",
           fill("heat_map", values)}};
}

}  // namespace hearsay::analysis
