#include "analysis/figures/page_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/figures/owner_values.hpp"
#include "analysis/figures/page_files.hpp"
#include "analysis/tables/axis_columns.hpp"

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

Json row_of(const StudyData& study, const FigurePoint& point, const Statistics& s) {
  Json row{{"m", seven_digits(s.median)}, {"l", seven_digits(s.low)},      {"h", seven_digits(s.high)},
           {"e", seven_digits(s.mean)},   {"f", seven_digits(s.mean_low)}, {"g", seven_digits(s.mean_high)}};
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
      const double x = row.at(key).is_null() ? NAN : row.at(key).get<double>();
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

std::string repetitions(const StudyData& study) {
  std::size_t min = 0, max = 0;
  for (const FigurePoint& point : study.points) {
    if (point.runs == 0) continue;
    min = min == 0 ? point.runs : std::min(min, point.runs);
    max = std::max(max, point.runs);
  }
  return (min == max ? "" : fmt::format("{} to ", min)) +
         fmt::format("{} repetition{}", max, max == 1 ? "" : "s");
}

std::string title_of(const MetricInfo& metric) {
  return metric.unit.empty() ? metric.name : fmt::format("{} ({})", metric.name, metric.unit);
}

std::string median_of(const std::string& metric) {
  return "median of " + metric;
}

namespace {

// A row of a value of a point that is not measured in runs.
Json reference_row(const StudyData& study, const FigurePoint& point, const std::string& name, double value) {
  Json row = row_of(study, point, {});
  add_numbers(study, point, row);
  for (const char* key : {"m", "l", "h", "e", "f", "g"}) row.erase(key);
  row["b"] = name;
  row["v"] = seven_digits(value);
  return row;
}

}  // namespace

Json bound_rows(const StudyData& study, std::size_t metric) {
  Json rows = Json::array();
  for (const FigurePoint& point : study.points) {
    for (const PointBound& bound : point.bounds) {
      if (bound.metric == metric) rows.push_back(reference_row(study, point, bound.name, bound.value));
    }
  }
  return rows;
}

References references(const StudyData& study, std::size_t metric) {
  References all;
  std::map<std::string, std::vector<double>> values;
  for (const FigurePoint& point : study.points) {
    for (const auto& [name, medians] : point.baselines) {
      if (!std::isfinite(medians[metric])) continue;
      values[name].push_back(medians[metric]);
      all.rows.push_back(reference_row(study, point, name, medians[metric]));
    }
  }
  for (const auto& [name, v] : values) {
    const auto [min, max] = std::minmax_element(v.begin(), v.end());
    all.varying = all.varying || v.size() != study.points.size() || *max - *min > 1e-9 * std::abs(*max);
  }
  if (all.varying) return all;
  all.rows = Json::array();
  for (const auto& [name, v] : values) all.rows.push_back({{"b", name}, {"v", seven_digits(v.front())}});
  return all;
}

void add_numbers(const StudyData& study, const FigurePoint& point, Json& row) {
  for (std::size_t a = 0; a < study.axes.size(); ++a) {
    const FigureAxis& axis = study.axes[a];
    if (axis.numbers.empty()) continue;
    const auto label = std::find(axis.labels.begin(), axis.labels.end(), point.labels[a]);
    row[fmt::format("n{}", a)] =
        seven_digits(axis.numbers[static_cast<std::size_t>(label - axis.labels.begin())]);
  }
}

void dodge(Json& rows, const StudyData& study, std::size_t axis, std::optional<std::size_t> by) {
  const FigureAxis& a = study.axes[axis];
  if (a.numbers.empty()) return;
  double gap = HUGE_VAL;
  for (std::size_t i = 1; i < a.numbers.size(); ++i)
    gap = std::min(gap, a.place(a.numbers[i]) - a.place(a.numbers[i - 1]));
  const std::size_t values = by ? study.axes[*by].labels.size() : 1;
  const double range = a.place(a.numbers.back()) - a.place(a.numbers.front());
  // All values of `by` side by side, each 1 % of the width from the next if there is room.
  const double one = values < 2 ? 0 : std::min(0.01 * range, 0.4 * gap / static_cast<double>(values - 1));
  for (Json& row : rows) {
    const double x = a.place(row.at(fmt::format("n{}", axis)).get<double>());
    double moved = x;
    if (by) {
      const std::vector<std::string>& labels = study.axes[*by].labels;
      const auto label = std::find(labels.begin(), labels.end(), row.at(axis_key(*by)).get<std::string>());
      moved += one * (static_cast<double>(label - labels.begin()) - static_cast<double>(values - 1) / 2);
    }
    row[fmt::format("d{}", axis)] = seven_digits(a.number_at(moved));
  }
}

std::string name_of(const StudyData& study, const FigurePoint& point) {
  std::string name;
  for (const std::size_t a : other_axes(study))
    name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", study.axes[a].name, point.labels[a]);
  return name;
}

std::vector<std::string> different_names(const FigurePoint& point) {
  std::map<std::string, std::size_t> count;
  for (const std::string& name : point.names) ++count[name];
  std::vector<std::string> all;
  for (std::size_t i = 0; i < point.names.size(); ++i) {
    const std::string& name = point.names[i];
    const std::size_t agent = i + point.first_owner;
    all.push_back(name.empty()      ? std::to_string(agent)
                  : count[name] > 1 ? fmt::format("{} ({})", name, agent)
                                    : name);
  }
  return all;
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
  std::size_t letters = 0;
  for (const std::string& label : a.labels) letters = std::max(letters, label.size());
  const std::size_t column = std::clamp<std::size_t>(30 + 8 * letters, 110, 260);  // pixels
  const Json viridis{{"name", "viridis"}, {"extent", {0.2, 0.92}}};
  return {{"field", axis_key(axis)},
          {"type", numbers ? "ordinal" : "nominal"},
          {"title", a.name},
          {"sort", a.labels},
          {"scale", {{"domain", a.labels}, {"scheme", numbers ? viridis : Json("tableau10")}}},
          {"legend",
           {{"orient", "top"},
            {"columns", {{"expr", fmt::format("max(1, floor(width / {}))", column)}}},
            {"symbolLimit", 100},
            {"symbolOpacity", 1},
            {"labelLimit", 220}}}};
}

namespace {

// The scale of an axis of numbers: all of them, whichever have a point to draw, with room before the first and after the last.
Json number_scale(const FigureAxis& a) {
  const double first = a.place(a.numbers.front()), last = a.place(a.numbers.back());
  const double room = 0.03 * (last - first);
  Json all{{"domain", {seven_digits(a.number_at(first - room)), seven_digits(a.number_at(last + room))}}};
  all["type"] = a.linear_to() > 0 ? "symlog" : a.logarithmic ? "log" : "linear";
  if (a.linear_to() > 0) all["constant"] = a.linear_to();
  return all;
}

}  // namespace

Json along(const StudyData& study, std::size_t axis) {
  const FigureAxis& a = study.axes[axis];
  if (a.numbers.empty()) {
    return {{"field", axis_key(axis)},
            {"type", "ordinal"},
            {"title", a.name},
            {"sort", a.labels},
            {"axis", {{"labelAngle", a.labels.size() > 6 ? -40 : 0}, {"labelLimit", 140}}}};
  }
  constexpr std::size_t kMaxTicks = 16;
  Json x{{"field", fmt::format("d{}", axis)},
         {"type", "quantitative"},
         {"title", a.name},
         {"scale", number_scale(a)}};
  const bool plain = std::all_of(a.labels.begin(), a.labels.end(), is_plain_number);
  if (a.numbers.size() > kMaxTicks && plain) return x;
  Json numbers = Json::array(), labels = Json::array();
  for (const std::size_t i : spread(a.numbers.size(), std::min(a.numbers.size(), kMaxTicks))) {
    numbers.push_back(a.numbers[i]);
    labels.push_back(a.labels[i]);
  }
  const std::string label =
      fmt::format("{}[indexof({}, datum.value)]", json_text(labels), json_text(numbers));
  // Without a count of ticks Vega leaves out values.
  x["axis"] = {
      {"values", numbers}, {"tickCount", numbers.size()}, {"labelExpr", label}, {"labelOverlap", true}};
  return x;
}

}  // namespace hearsay::analysis
