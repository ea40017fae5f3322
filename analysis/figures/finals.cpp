// A metric at the end of the runs: against each swept option, and over two of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

namespace {

// One row per point, with the numbers of its axes as "n0", "n1", ...
std::vector<std::string> final_rows(const StudyData& study, std::size_t metric,
                                    std::vector<double>& numbers) {
  std::vector<std::string> rows;
  for (const FigurePoint& point : study.points) {
    const Quartiles& q = point.finals[metric];
    if (!std::isfinite(q.median)) continue;
    Members row{{"m", json_number(q.median)},
                {"l", json_number(q.low)},
                {"h", json_number(q.high)},
                {"runs", std::to_string(point.runs)}};
    const Members labels = labels_of(study, point);
    row.insert(row.end(), labels.begin(), labels.end());
    for (std::size_t a = 0; a < study.axes.size(); ++a) {
      const FigureAxis& axis = study.axes[a];
      if (axis.numbers.empty()) continue;
      const auto label = std::find(axis.labels.begin(), axis.labels.end(), point.labels[a]);
      row.emplace_back(number_key(a),
                       json_number(axis.numbers[static_cast<std::size_t>(label - axis.labels.begin())]));
    }
    rows.push_back(json_object(row));
    numbers.insert(numbers.end(), {q.low, q.median, q.high});
  }
  return rows;
}

std::string final_tooltip(const StudyData& study) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::size_t a : other_axes(study, {})) all.emplace_back(axis_key(a), study.axes[a].name);
  for (const auto& [key, name] :
       {std::pair{"m", "median"}, {"l", "lower quartile"}, {"h", "upper quartile"}, {"runs", "runs"}})
    all.emplace_back(key, name);
  return tooltip(all);
}

}  // namespace

std::vector<Drawing> draw_finals(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  std::vector<double> numbers;
  const std::vector<std::string> rows = final_rows(study, metric, numbers);
  std::vector<Drawing> all;
  if (rows.empty()) return all;
  for (const std::size_t axis : other_axes(study, {})) {
    std::vector<std::size_t> others = other_axes(study, {axis});
    const bool coloured = !others.empty();
    const Selectors fixed =
        selectors(study, coloured ? std::vector(others.begin() + 1, others.end()) : others);
    Members values{{"rows", json_list(rows)},
                   {"params", json_list(fixed.parameters)},
                   {"filter", json_text(fixed.condition)},
                   {"x", along(study, axis)},
                   {"metric", json_text(title_of(m))},
                   {"scale", scale(spans_decades(numbers))},
                   {"tooltip", final_tooltip(study)}};
    if (coloured) values.emplace_back("color", colour(study, others.front()));
    if (!study.axes[axis].numbers.empty()) values.emplace_back("numeric", "true");
    all.push_back({fmt::format("{} at the end against {}", m.name, study.axes[axis].name),
                   "Point: median over repetitions; bar: interquartile range.", fill("finals", values)});
  }
  return all;
}

std::vector<Drawing> draw_heat_map(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  std::vector<std::size_t> two;
  for (const std::size_t a : other_axes(study, {})) {
    if (!study.axes[a].numbers.empty()) two.push_back(a);
  }
  if (two.size() < 2) return {};
  two.resize(2);
  std::vector<double> numbers;
  const std::vector<std::string> rows = final_rows(study, metric, numbers);
  if (rows.empty()) return {};
  const FigureAxis &x = study.axes[two[0]], &y = study.axes[two[1]];
  const bool logarithmic = spans_decades(numbers);
  const Selectors fixed = selectors(study, other_axes(study, two));
  Members values{{"rows", json_list(rows)},
                 {"height", std::to_string(std::clamp<std::size_t>(y.labels.size() * 44, 120, 480))},
                 {"params", json_list(fixed.parameters)},
                 {"filter", json_text(fixed.condition)},
                 {"x_field", json_text(axis_key(two[0]))},
                 {"x_title", json_text(x.name)},
                 {"x_sort", json_texts(x.labels)},
                 {"y_field", json_text(axis_key(two[1]))},
                 {"y_title", json_text(y.name)},
                 {"y_sort", json_texts({y.labels.rbegin(), y.labels.rend()})},
                 {"metric", json_text(title_of(m))},
                 {"scale_type", logarithmic ? R"("log")" : R"("linear")"},
                 {"tooltip", final_tooltip(study)}};
  if (!logarithmic) values.emplace_back("zero", "false");
  // Numbers where there is room for them, with a dark outline to be readable on any shade.
  if (x.labels.size() <= 12 && y.labels.size() <= 12)
    values.emplace_back("room", fmt::format(R"("width >= {} ? 1 : 0")", 52 * x.labels.size()));
  return {{fmt::format("{} at the end, over {} and {}", m.name, x.name, y.name), "Median over repetitions.",
           fill("heat_map", values)}};
}

}  // namespace hearsay::analysis
