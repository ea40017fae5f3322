#include "analysis/figures/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/results/tables/distinguishing_axes.hpp"

namespace hearsay::analysis {

bool spans_decades(const std::vector<double>& numbers) {
  double min = HUGE_VAL, max = 0;
  for (const double x : numbers) {
    if (!std::isfinite(x)) continue;
    min = std::min(min, x);
    max = std::max(max, x);
  }
  return min > 0 && max >= 100 * min;
}

std::string title_of(const MetricInfo& metric) {
  return metric.unit.empty() ? metric.name : fmt::format("{} ({})", metric.name, metric.unit);
}

std::string scale(bool logarithmic) {
  return logarithmic ? R"({"type": "log"})" : R"({"zero": false})";
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

std::string axis_key(std::size_t axis) {
  return fmt::format("a{}", axis);
}

std::string number_key(std::size_t axis) {
  return fmt::format("n{}", axis);
}

std::string selector(std::string_view name, const std::vector<std::string>& options, std::string_view title,
                     const std::vector<std::string>& labels) {
  Members bind{{"input", R"("select")"}, {"options", json_list(options)}, {"name", json_text(title)}};
  if (!labels.empty()) bind.emplace_back("labels", json_list(labels));
  return json_object({{"name", json_text(name)}, {"value", options.front()}, {"bind", json_object(bind)}});
}

Selectors selectors(const StudyData& study, const std::vector<std::size_t>& fixed) {
  Selectors s;
  for (const std::size_t a : fixed) {
    std::vector<std::string> options;
    for (const std::string& label : study.axes[a].labels) options.push_back(json_text(label));
    s.parameters.push_back(selector("at_" + axis_key(a), options, study.axes[a].name + " "));
    s.condition += fmt::format(" && datum.{0} === at_{0}", axis_key(a));
  }
  return s;
}

Members labels_of(const StudyData& study, const FigurePoint& point) {
  Members all;
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    if (study.axes[a].labels.size() > 1) all.emplace_back(axis_key(a), json_text(point.labels[a]));
  }
  return all;
}

std::string colour(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  const bool numbers = !a.numbers.empty();
  const std::string labels = json_texts(a.labels);
  return json_object(
      {{"field", json_text(axis_key(axis))},
       {"type", numbers ? R"("ordinal")" : R"("nominal")"},
       {"title", json_text(a.name)},
       {"sort", labels},
       {"scale", json_object({{"domain", labels},
                              {"scheme", numbers ? R"({"name": "viridis", "extent": [0.2, 0.92]})"
                                                 : R"("tableau10")"}})},
       {"legend", R"x({"orient": "top", "columns": {"expr": "max(1, floor(width / 110))"}, "symbolLimit": 24,
                       "symbolOpacity": 1, "labelLimit": 220})x"}});
}

std::string along(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  if (a.numbers.empty()) {
    return json_object(
        {{"field", json_text(axis_key(axis))},
         {"type", R"("ordinal")"},
         {"title", json_text(a.name)},
         {"sort", json_texts(a.labels)},
         {"axis", fmt::format(R"({{"labelAngle": {}, "labelLimit": 140}})", a.labels.size() > 6 ? -40 : 0)}});
  }
  Members x{{"field", json_text(number_key(axis))},
            {"type", R"("quantitative")"},
            {"title", json_text(a.name)},
            {"scale", scale(a.logarithmic)}};
  constexpr std::size_t kMostTicks = 16;
  if (a.numbers.size() <= kMostTicks) {
    std::string label = "datum.label";
    for (std::size_t i = 0; i < a.numbers.size(); ++i)
      label = fmt::format("abs(datum.value - {0}) <= 1e-9 * abs({0}) ? {1} : ", a.numbers[i],
                          json_text(a.labels[i])) +
              label;
    x.emplace_back("axis", json_object({{"values", json_numbers(a.numbers)},
                                        {"labelExpr", json_text(label)},
                                        {"labelOverlap", "true"}}));
  }
  return json_object(x);
}

std::string tooltip(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::vector<std::string> all;
  for (const auto& [name, title] : fields)
    all.push_back(json_object({{"field", json_text(name)}, {"title", json_text(title)}}));
  return json_list(all);
}

}  // namespace hearsay::analysis
