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
  Json rows = Json::array(), against = Json::array(), names = Json::array();
  for (std::size_t k = 0; k < kAlongNames.size(); ++k) {
    const std::size_t before = rows.size();
    for (const FigurePoint& point : study.points) {
      if (point.curves.empty()) continue;
      const Curve& c = point.curves[metric][k];
      for (std::size_t i = 0; i < c.x.size(); ++i) {
        Json& row = rows.emplace_back(row_of(study, point, c.y[i]));
        row["k"] = k;
        row["x"] = seven_digits(c.x[i]);
      }
    }
    if (rows.size() == before) continue;
    against.push_back(k);
    names.push_back(kAlongNames[k]);
  }
  if (rows.empty()) return {};

  std::vector<std::size_t> axes = other_axes(study);
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return study.axes[a].labels.size() > study.axes[b].labels.size();
  });
  const bool coloured = !axes.empty();
  Selectors fixed = selectors(study, {axes.begin() + (coloured ? 1 : 0), axes.end()});
  fixed.parameters.push_back(selector("along", against, "against ", names));
  std::vector<std::pair<std::string, std::string>> pointed{{"x", "at"}};
  pointed.insert(pointed.end(), kQuartileNames.begin(), kQuartileNames.end());
  if (coloured) pointed.emplace_back(axis_key(axes.front()), study.axes[axes.front()].name);
  Json values{{"rows", rows},
              {"params", fixed.parameters},
              {"filter", "datum.k == along && " + fixed.condition},
              {"metric", title_of(m)},
              {"scale", scale(spans_decades(rows))},
              {"tooltip", tooltip(pointed)}};
  if (coloured) values["color"] = colour(study, axes.front());
  return {{m.name + " over the course of the runs",
           "Line: median over repetitions; band: interquartile range.", fill("curves", values)}};
}

}  // namespace hearsay::analysis
