// A metric over the course of the runs: a line through medians and a band between quartiles for each value of
// the axis with most values; the other axes have selectors.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

std::vector<Drawing> draw_curves(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  std::vector<std::string> rows, against, names;
  std::vector<double> numbers;
  for (std::size_t k = 0; k < kAlongNames.size(); ++k) {
    const std::size_t before = rows.size();
    for (const FigurePoint& point : study.points) {
      if (point.curves.empty()) continue;
      std::string labels;
      for (const auto& [key, label] : labels_of(study, point))
        labels += fmt::format(R"(,"{}":{})", key, label);
      const Curve& c = point.curves[metric][k];
      for (std::size_t i = 0; i < c.x.size(); ++i) {
        const Quartiles& q = c.y[i];
        rows.push_back(fmt::format(R"({{"k":{},"x":{},"m":{},"l":{},"h":{}{}}})", k, json_number(c.x[i]),
                                   json_number(q.median), json_number(q.low), json_number(q.high), labels));
        numbers.insert(numbers.end(), {q.low, q.median, q.high});
      }
    }
    if (rows.size() == before) continue;
    against.push_back(std::to_string(k));
    names.push_back(json_text(kAlongNames[k]));
  }
  if (rows.empty()) return {};

  std::vector<std::size_t> axes = other_axes(study, {});
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return study.axes[a].labels.size() > study.axes[b].labels.size();
  });
  const bool coloured = !axes.empty();
  Selectors fixed = selectors(study, coloured ? std::vector(axes.begin() + 1, axes.end()) : axes);
  fixed.parameters.push_back(selector("along", against, "against ", names));
  std::vector<std::pair<std::string, std::string>> pointed{
      {"x", "at"}, {"m", "median"}, {"l", "lower quartile"}, {"h", "upper quartile"}};
  if (coloured) pointed.emplace_back(axis_key(axes.front()), study.axes[axes.front()].name);
  Members values{{"rows", json_list(rows)},
                 {"params", json_list(fixed.parameters)},
                 {"filter", json_text("datum.k == along && " + fixed.condition)},
                 {"metric", json_text(title_of(m))},
                 {"scale", scale(spans_decades(numbers))},
                 {"tooltip", tooltip(pointed)}};
  if (coloured) values.emplace_back("color", colour(study, axes.front()));
  return {{m.name + " over the course of the runs",
           "Line: median over repetitions; band: interquartile range.", fill("curves", values)}};
}

}  // namespace hearsay::analysis
