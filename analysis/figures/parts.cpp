#include "analysis/figures/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "analysis/conclusions/telling_axes.hpp"

namespace hearsay::analysis {

using nlohmann::json;

json shown(double x) {
  if (!std::isfinite(x)) return nullptr;
  return std::strtod(fmt::format("{:.7g}", x).c_str(), nullptr);
}

bool spans_decades(const std::vector<double>& numbers) {
  double least = HUGE_VAL, greatest = 0;
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    least = std::min(least, x);
    greatest = std::max(greatest, x);
  }
  return least > 0 && greatest >= 100 * least;
}

std::string title_of(const Metric& metric) {
  return metric.unit.empty() ? std::string(metric.name) : fmt::format("{} ({})", metric.name, metric.unit);
}

json scale(bool logarithmic) {
  return logarithmic ? json{{"type", "log"}} : json{{"zero", false}};
}

std::vector<bool> telling(const StudyData& study, const std::vector<std::size_t>& taken) {
  std::vector<std::vector<std::string>> labels;
  for (const FigurePoint& p : study.points) labels.push_back(p.labels);
  return telling_axes(labels, study.head.groups, study.axes.size(), taken);
}

std::vector<std::size_t> other_axes(const StudyData& study, const std::vector<std::size_t>& taken) {
  const std::vector<bool> tells = telling(study, taken);
  std::vector<std::size_t> all;
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    if (tells[a] && study.axes[a].labels.size() > 1 &&
        std::find(taken.begin(), taken.end(), a) == taken.end())
      all.push_back(a);
  }
  return all;
}

std::string axis_key(std::size_t axis) {
  return fmt::format("a{}", axis);
}

Selectors selectors(const StudyData& study, const std::vector<std::size_t>& fixed) {
  Selectors s;
  for (const std::size_t a : fixed) {
    const FigureAxis& axis = study.axes[a];
    s.parameters.push_back(
        {{"name", "at_" + axis_key(a)},
         {"value", axis.labels.front()},
         {"bind", {{"input", "select"}, {"options", axis.labels}, {"name", axis.name + " "}}}});
    s.condition += fmt::format(" && datum.{0} === at_{0}", axis_key(a));
  }
  return s;
}

void add_labels(json& row, const StudyData& study, const FigurePoint& point) {
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    if (study.axes[a].labels.size() > 1) row[axis_key(a)] = point.labels[a];
  }
}

json colour(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  const bool numbers = !a.numbers.empty();
  json c = field(axis_key(axis), numbers ? "ordinal" : "nominal", a.name);
  c["sort"] = a.labels;
  c["scale"] = {{"domain", a.labels},
                {"scheme", numbers ? json{{"name", "viridis"}, {"extent", {0.2, 0.92}}} : json("tableau10")}};
  c["legend"] = {{"orient", "top"},
                 {"columns", {{"expr", "max(1, floor(width / 110))"}}},
                 {"symbolLimit", 24},
                 {"symbolOpacity", 1},
                 {"labelLimit", 220}};
  return c;
}

std::string number_key(std::size_t axis) {
  return fmt::format("n{}", axis);
}

json along_numbers(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  json x = field(number_key(axis), "quantitative", a.name);
  x["scale"] = scale(a.logarithmic);
  constexpr std::size_t kMostTicks = 16;
  if (a.numbers.size() > kMostTicks) return x;
  std::string label = "datum.label";
  for (std::size_t i = 0; i < a.numbers.size(); ++i)
    label = fmt::format("abs(datum.value - {0}) <= 1e-9 * abs({0}) ? {1} : ", a.numbers[i],
                        json(a.labels[i]).dump()) +
            label;
  x["axis"] = {{"values", a.numbers}, {"labelExpr", label}, {"labelOverlap", true}};
  return x;
}

json field(std::string_view name, std::string_view type, std::string_view title) {
  return {{"field", name}, {"type", type}, {"title", title}};
}

json tooltip(const std::vector<std::pair<std::string, std::string>>& fields) {
  json all = json::array();
  for (const auto& [name, title] : fields) all.push_back({{"field", name}, {"title", title}});
  return all;
}

json figure_of(json rows, int height) {
  return {{"data", {{"values", std::move(rows)}}}, {"width", "container"}, {"height", height}};
}

}  // namespace hearsay::analysis
