// A metric at the end of the runs: against each swept option, and over two of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

using nlohmann::json;

namespace {

// One row a point, with the numbers of its axes as "n0", "n1", ...
json final_rows(const StudyData& study, std::size_t metric, std::vector<double>& numbers) {
  json rows = json::array();
  for (const FigurePoint& point : study.points) {
    const Quartiles& q = point.finals[metric];
    if (!std::isfinite(q.median)) continue;
    json row = {{"m", shown(q.median)}, {"l", shown(q.low)}, {"h", shown(q.high)}, {"runs", point.runs}};
    add_labels(row, study, point);
    for (std::size_t a = 0; a < study.axes.size(); ++a) {
      const FigureAxis& axis = study.axes[a];
      if (axis.numbers.empty()) continue;
      const auto label = std::find(axis.labels.begin(), axis.labels.end(), point.labels[a]);
      row[number_key(a)] = shown(axis.numbers[static_cast<std::size_t>(label - axis.labels.begin())]);
    }
    rows.push_back(std::move(row));
    numbers.insert(numbers.end(), {q.low, q.median, q.high});
  }
  return rows;
}

std::vector<std::pair<std::string, std::string>> told(const StudyData& study) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::size_t a : other_axes(study, {})) all.emplace_back(axis_key(a), study.axes[a].name);
  for (const auto& [key, name] :
       {std::pair{"m", "median"}, {"l", "lower quartile"}, {"h", "upper quartile"}, {"runs", "runs"}})
    all.emplace_back(key, name);
  return all;
}

Drawing against(const StudyData& study, std::size_t metric, std::size_t axis, const json& rows,
                bool logarithmic) {
  const Metric& m = *study.head.metrics[metric];
  const FigureAxis& a = study.axes[axis];
  json x;
  if (a.numbers.empty()) {
    x = field(axis_key(axis), "ordinal", a.name);
    x["sort"] = a.labels;
    x["axis"] = {{"labelAngle", a.labels.size() > 6 ? -40 : 0}, {"labelLimit", 140}};
  } else {
    x = along_numbers(study, axis);
  }
  json low = field("l", "quantitative", title_of(m));
  low["scale"] = scale(logarithmic);
  json y = low;
  y["field"] = "m";
  json bar = {{"x", x}, {"y", low}, {"y2", {{"field", "h"}}}}, point = {{"x", x}, {"y", y}};

  std::vector<std::size_t> others = other_axes(study, {axis});
  if (!others.empty()) {
    point["color"] = bar["color"] = colour(study, others.front());
    others.erase(others.begin());
  }
  const Selectors held = selectors(study, others);
  json line = point;
  point["tooltip"] = tooltip(told(study));
  json s = figure_of(rows, 300);
  s["params"] = held.parameters;
  s["transform"] = {{{"filter", held.condition}}};
  s["layer"] = json::array(
      {{{"mark", {{"type", "rule"}, {"strokeWidth", 2}, {"opacity", 0.7}}}, {"encoding", bar}},
       {{"mark", {{"type", "point"}, {"filled", true}, {"size", 55}, {"opacity", 1}}}, {"encoding", point}}});
  if (!a.numbers.empty())
    s["layer"].push_back({{"mark", {{"type", "line"}, {"opacity", 0.6}}}, {"encoding", line}});
  return {fmt::format("{} at the end against {}", m.name, a.name),
          "Point: median over repetitions; bar: from quartile to quartile.", std::move(s)};
}

}  // namespace

std::vector<Drawing> draw_finals(const FigureInput& input, std::size_t metric) {
  std::vector<double> numbers;
  const json rows = final_rows(input.study, metric, numbers);
  std::vector<Drawing> all;
  if (rows.empty()) return all;
  for (const std::size_t a : other_axes(input.study, {}))
    all.push_back(against(input.study, metric, a, rows, spans_decades(numbers)));
  return all;
}

std::vector<Drawing> draw_heat_map(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  std::vector<std::size_t> two;
  for (const std::size_t a : other_axes(study, {})) {
    if (!study.axes[a].numbers.empty()) two.push_back(a);
  }
  if (two.size() < 2) return {};
  two.resize(2);
  std::vector<double> numbers;
  json rows = final_rows(study, metric, numbers);
  if (rows.empty()) return {};
  const Metric& m = *study.head.metrics[metric];
  const auto place = [&](std::size_t axis, bool turned) {
    json at = field(axis_key(axis), "ordinal", study.axes[axis].name);
    std::vector<std::string> labels = study.axes[axis].labels;
    if (turned) std::reverse(labels.begin(), labels.end());
    at["sort"] = labels;
    at["axis"] = {{"labelAngle", 0}, {"labelOverlap", true}};
    return at;
  };
  json shade = field("m", "quantitative", title_of(m));
  shade["scale"] = {{"scheme", "viridis"}, {"type", spans_decades(numbers) ? "log" : "linear"}};
  if (!spans_decades(numbers)) shade["scale"]["zero"] = false;
  shade["legend"] = {{"orient", "top"}, {"gradientLength", 180}, {"format", "~g"}};
  json cell = {{"x", place(two[0], false)},
               {"y", place(two[1], true)},
               {"color", shade},
               {"tooltip", tooltip(told(study))}};
  const Selectors held = selectors(study, other_axes(study, two));
  const std::size_t rows_high = study.axes[two[1]].labels.size(), wide = study.axes[two[0]].labels.size();
  json s = figure_of(std::move(rows), static_cast<int>(std::clamp<std::size_t>(rows_high * 44, 120, 480)));
  s["params"] = held.parameters;
  s["transform"] = {{{"filter", held.condition}}};
  s["layer"] = json::array({{{"mark", "rect"}, {"encoding", cell}}});
  if (wide <= 12 && rows_high <= 12) {
    // Numbers where there is room for them, with a dark rim to be read on any shade.
    const json room = {{"expr", fmt::format("width >= {} ? 1 : 0", 52 * wide)}};
    json number = cell;
    number["color"] = {{"value", "white"}};
    number["text"] = {{"field", "m"}, {"type", "quantitative"}, {"format", ".3~g"}};
    json mark = {{"type", "text"}, {"fontSize", 12}, {"opacity", room}};
    json rim = mark;
    rim.update({{"stroke", "black"}, {"strokeWidth", 3}, {"strokeOpacity", 0.5}});
    s["layer"].push_back({{"mark", rim}, {"encoding", number}});
    s["layer"].push_back({{"mark", mark}, {"encoding", number}});
  }
  return {
      {fmt::format("{} at the end, over {} and {}", m.name, study.axes[two[0]].name, study.axes[two[1]].name),
       "Median over repetitions.", std::move(s)}};
}

}  // namespace hearsay::analysis
