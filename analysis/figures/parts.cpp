#include "analysis/figures/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/page_files.hpp"

namespace hearsay::analysis {

namespace {

// Fills a value of a template; false if it is to be removed.
bool fill_value(Json& value, const Json& values) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (!text.starts_with('$')) return true;
    const auto found = values.find(text.substr(1));
    if (found == values.end()) return false;
    value = *found;
    return true;
  }
  if (value.is_object() && value.contains("$when")) {
    if (!values.contains(value["$when"].get<std::string>())) return false;
    value.erase("$when");
  }
  if (!value.is_structured()) return true;
  for (auto item = value.begin(); item != value.end();)
    item = fill_value(*item, values) ? std::next(item) : value.erase(item);
  return true;
}

}  // namespace

Json fill(std::string_view name, const Json& values) {
  Json specification = Json::parse(page_files::figure_template(name));
  fill_value(specification, values);
  return specification;
}

double seven_digits(double x) {
  return std::stod(fmt::format("{:.7g}", x));
}

Json row_of(const StudyData& study, const FigurePoint& point, const Quartiles& q) {
  Json row{{"m", seven_digits(q.median)}, {"l", seven_digits(q.low)}, {"h", seven_digits(q.high)}};
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    if (study.axes[a].labels.size() > 1) row[axis_key(a)] = point.labels[a];
  }
  return row;
}

std::string axis_key(std::size_t axis) {
  return fmt::format("a{}", axis);
}

Json tooltip(const std::vector<std::pair<std::string, std::string>>& fields) {
  Json all = Json::array();
  for (const auto& [name, title] : fields) all.push_back(Json{{"field", name}, {"title", title}});
  return all;
}

bool spans_decades(const Json& rows) {
  double min = HUGE_VAL, max = 0;
  for (const Json& row : rows) {
    for (const char* key : {"l", "m", "h"}) {
      const auto x = row.at(key).get<double>();
      if (!std::isfinite(x)) continue;
      min = std::min(min, x);
      max = std::max(max, x);
    }
  }
  return min > 0 && max >= 100 * min;
}

Json scale(bool logarithmic) {
  return logarithmic ? Json{{"type", "log"}} : Json{{"zero", false}};
}

std::string title_of(const MetricInfo& metric) {
  return metric.unit.empty() ? metric.name : fmt::format("{} ({})", metric.name, metric.unit);
}

std::vector<bool> distinguishing(const StudyData& study, const std::vector<std::size_t>& taken) {
  std::vector<std::vector<std::string>> labels;
  for (const FigurePoint& p : study.points) labels.push_back(p.labels);
  return distinguishing_axes(labels, study.head.groups, study.axes.size(), taken);
}

std::vector<std::size_t> other_axes(const StudyData& study, const std::vector<std::size_t>& taken) {
  const std::vector<bool> wanted = distinguishing(study, taken);
  std::vector<std::size_t> all;
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    if (wanted[a] && study.axes[a].labels.size() > 1 &&
        std::find(taken.begin(), taken.end(), a) == taken.end())
      all.push_back(a);
  }
  return all;
}

Json selector(const std::string& name, const Json& options, const std::string& title, const Json& labels) {
  Json bind{{"input", "select"}, {"options", options}, {"name", title}};
  if (!labels.is_null()) bind["labels"] = labels;
  return {{"name", name}, {"value", options.front()}, {"bind", bind}};
}

Selectors selectors(const StudyData& study, const std::vector<std::size_t>& fixed) {
  Selectors s;
  for (const std::size_t a : fixed) {
    s.parameters.push_back(selector("at_" + axis_key(a), study.axes[a].labels, study.axes[a].name + " "));
    s.condition += fmt::format(" && datum.{0} === at_{0}", axis_key(a));
  }
  return s;
}

Json colour(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  const bool numbers = !a.numbers.empty();
  const Json viridis{{"name", "viridis"}, {"extent", {0.2, 0.92}}};
  return {{"field", axis_key(axis)},
          {"type", numbers ? "ordinal" : "nominal"},
          {"title", a.name},
          {"sort", a.labels},
          {"scale", {{"domain", a.labels}, {"scheme", numbers ? viridis : Json("tableau10")}}},
          {"legend",
           {{"orient", "top"},
            {"columns", {{"expr", "max(1, floor(width / 110))"}}},
            {"symbolLimit", 24},
            {"symbolOpacity", 1},
            {"labelLimit", 220}}}};
}

Json along(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  if (a.numbers.empty()) {
    return {{"field", axis_key(axis)},
            {"type", "ordinal"},
            {"title", a.name},
            {"sort", a.labels},
            {"axis", {{"labelAngle", a.labels.size() > 6 ? -40 : 0}, {"labelLimit", 140}}}};
  }
  Json x{{"field", fmt::format("n{}", axis)},
         {"type", "quantitative"},
         {"title", a.name},
         {"scale", scale(a.logarithmic)}};
  constexpr std::size_t kMostTicks = 16;
  if (a.numbers.size() > kMostTicks) return x;
  std::string label = "datum.label";
  for (std::size_t i = 0; i < a.numbers.size(); ++i)
    label = fmt::format("abs(datum.value - {0}) <= 1e-9 * abs({0}) ? {1} : {2}", a.numbers[i],
                        json_text(a.labels[i]), label);
  x["axis"] = {{"values", a.numbers}, {"labelExpr", label}, {"labelOverlap", true}};
  return x;
}

}  // namespace hearsay::analysis
