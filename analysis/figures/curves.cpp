// A metric over the course of the runs: a line through medians and a band between quartiles for each value of
// the axis with most values; the others are held by selectors.
#include <algorithm>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

using nlohmann::json;

std::vector<Drawing> draw_curves(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const Metric& m = *study.head.metrics[metric];
  json rows = json::array(), along = json::array(), names = json::array();
  std::vector<double> numbers;
  for (std::size_t k = 0; k < kAlongNames.size(); ++k) {
    const std::size_t before = rows.size();
    for (const FigurePoint& point : study.points) {
      if (point.curves.empty()) continue;
      const Curve& c = point.curves[metric][k];
      for (std::size_t i = 0; i < c.x.size(); ++i) {
        json row = {{"k", k},
                    {"x", shown(c.x[i])},
                    {"m", shown(c.y[i].median)},
                    {"l", shown(c.y[i].low)},
                    {"h", shown(c.y[i].high)}};
        add_labels(row, study, point);
        rows.push_back(std::move(row));
        numbers.insert(numbers.end(), {c.y[i].low, c.y[i].median, c.y[i].high});
      }
    }
    if (rows.size() == before) continue;
    along.push_back(k);
    names.push_back(kAlongNames[k]);
  }
  if (rows.empty()) return {};

  std::vector<std::size_t> axes = other_axes(study, {});
  std::stable_sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return study.axes[a].labels.size() > study.axes[b].labels.size();
  });
  const bool coloured = !axes.empty();
  Selectors held = selectors(study, coloured ? std::vector(axes.begin() + 1, axes.end()) : axes);
  held.parameters.push_back(
      {{"name", "along"},
       {"value", along.front()},
       {"bind", {{"input", "select"}, {"options", along}, {"labels", names}, {"name", "against "}}}});

  json x = field("x", "quantitative", "");
  x["title"] = nullptr;
  json y = field("m", "quantitative", title_of(m));
  y["scale"] = scale(spans_decades(numbers));
  json low = y,
       pointed = tooltip({{"x", "at"}, {"m", "median"}, {"l", "lower quartile"}, {"h", "upper quartile"}});
  low["field"] = "l";
  json band = {{"x", x}, {"y", low}, {"y2", {{"field", "h"}}}}, line = {{"x", x}, {"y", y}};
  if (coloured) {
    band["color"] = line["color"] = colour(study, axes.front());
    pointed.push_back({{"field", axis_key(axes.front())}, {"title", study.axes[axes.front()].name}});
  }
  line["tooltip"] = pointed;
  json s = figure_of(std::move(rows), 320);
  s["params"] = held.parameters;
  s["transform"] = {{{"filter", "datum.k == along && " + held.condition}}};
  s["layer"] = {{{"mark", {{"type", "area"}, {"opacity", 0.22}, {"clip", true}}}, {"encoding", band}},
                {{"mark", {{"type", "line"}, {"strokeWidth", 2}, {"clip", true}}}, {"encoding", line}},
                {{"mark", {{"type", "point"}, {"opacity", 0}, {"size", 120}}}, {"encoding", line}}};
  return {{std::string(m.name) + " over the course of the runs",
           "Line: median over repetitions; band: between the quartiles.", std::move(s)}};
}

}  // namespace hearsay::analysis
