// The kinds of figures.
#include "analysis/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/figures/agent_figures.hpp"
#include "analysis/figures/break_even.hpp"
#include "analysis/figures/page_parts.hpp"
#include "analysis/figures/trace_figures.hpp"
#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

namespace {

// Baselines: lines across the figure if they are the same at all points, else one for each point.
void add_references(Json& values, References all, const std::string& condition) {
  if (all.rows.empty()) return;
  std::set<std::string> names;
  for (const Json& row : all.rows) names.insert(row.at("b").get<std::string>());
  values["baseline_names"] = names;
  values["reference"] = std::move(all.rows);
  values["reference_filter"] = all.varying ? condition : "true";
  values[all.varying ? "varying" : "constant"] = true;
  if (values["scale"].contains("type")) values["positive"] = true;
}

std::string reference_caption(const Json& values) {
  return values.contains("reference") ? " Dashed: baselines, solved exactly and without privacy." : "";
}

// A metric over the course of the runs: a line through medians and a band between quartiles for each value of the
// axis with most values; the other axes have selectors.
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
  // It opens with the axis along which samples are equally spaced.
  const auto recorded = std::find(against.begin(), against.end(), Json(study.head.every));
  const Json first = recorded == against.end() ? against.front() : *recorded;
  fixed.parameters.push_back(selector("along", against, "against ", names));
  fixed.parameters.back()["value"] = first;
  std::vector<std::pair<std::string, std::string>> pointed{{"x", "at"}};
  pointed.insert(pointed.end(), kStatisticNames.begin(), kStatisticNames.end());
  if (coloured) pointed.emplace_back(axis_key(axes.front()), study.axes[axes.front()].name);
  Json values{{"rows", rows},
              {"params", fixed.parameters},
              {"filter", "datum.k == along && " + fixed.condition},
              {"x_title", kAlongNames[first.get<std::size_t>()]},
              {"metric", median_of(title_of(m))},
              {"scale", scale(spans_decades(rows))},
              {"tooltip", tooltip(pointed)}};
  if (coloured) values["color"] = colour(study, axes.front());
  add_references(values, references(study, metric), fixed.condition);
  if (coloured && values.contains("varying")) values["reference_color"] = values["color"];
  for (const FigureEvent& e : study.events)
    values["events"].push_back({{"t", seven_digits(e.time)}, {"e", e.text}});
  return {{m.name + "-over", m.name + " over the course of the runs",
           fmt::format("Line: {{centre}} over {}; band: {{spread}}.", repetitions(study)) +
               reference_caption(values) +
               (study.events.empty() ? "" : " Against time, dashed lines are the scenario's events."),
           fill("curves", values)}};
}

// One row per point, with the numbers of its axes as "n0", "n1", ...
Json final_rows(const StudyData& study, std::size_t metric) {
  Json rows = Json::array();
  for (const FigurePoint& point : study.points) {
    if (!std::isfinite(point.finals[metric].median)) continue;
    Json& row = rows.emplace_back(row_of(study, point, point.ends[metric]));
    row["runs"] = point.runs;
    for (std::size_t t = 0; t < point.tuned.size(); ++t) row[fmt::format("t{}", t)] = point.tuned[t];
    add_numbers(study, point, row);
  }
  return rows;
}

Json final_tooltip(const StudyData& study) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::size_t a : other_axes(study)) all.emplace_back(axis_key(a), study.axes[a].name);
  for (std::size_t t = 0; t < study.head.tuned.size(); ++t)
    all.emplace_back(fmt::format("t{}", t), selected_title(study.head.tuned[t]));
  all.insert(all.end(), kStatisticNames.begin(), kStatisticNames.end());
  all.emplace_back("runs", "runs");
  return tooltip(all);
}

// A metric at the end of the runs, against each swept option.
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
    const std::optional<std::size_t> by = coloured ? std::optional(others.front()) : std::nullopt;
    Json dodged = rows;
    dodge(dodged, study, axis, by);
    Json values{{"rows", dodged},
                {"params", fixed.parameters},
                {"filter", fixed.condition},
                {"x", along(study, axis)},
                {"metric", median_of(title_of(m))},
                {"scale", scale(spans_decades(rows))},
                {"tooltip", final_tooltip(study)}};
    if (coloured) values["color"] = colour(study, others.front());
    if (!study.axes[axis].numbers.empty()) {
      values["numeric"] = true;
    } else if (coloured) {
      values["offset"] = {{"field", axis_key(others.front())}, {"sort", study.axes[others.front()].labels}};
    }
    References baselines = references(study, metric);
    if (baselines.varying) dodge(baselines.rows, study, axis, by);
    add_references(values, std::move(baselines), fixed.condition);
    std::string caption = fmt::format("Point: {{centre}} over {}; bar: {{spread}}.", repetitions(study)) +
                          reference_caption(values);
    if (Json bounds = bound_rows(study, metric); !bounds.empty()) {
      dodge(bounds, study, axis, by);
      values["bounds"] = std::move(bounds);
      values["bounded"] = true;
      if (values["scale"].contains("type")) values["positive"] = true;
      caption += " Small squares and dotted lines: bounds on the mean, by name when pointed at.";
    }
    all.push_back({fmt::format("{}-by-{}", m.name, study.axes[axis].name),
                   fmt::format("{} at the end against {}", m.name, study.axes[axis].name), caption,
                   fill("finals", values)});
  }
  return all;
}

// A metric at the end of the runs, over two numeric options.
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
              {"height", std::clamp<std::size_t>(y.labels.size() * 40, 120, 640)},
              {"params", fixed.parameters},
              {"filter", fixed.condition},
              {"x_field", axis_key(two[0])},
              {"x_title", x.name},
              {"x_sort", x.labels},
              {"y_field", axis_key(two[1])},
              {"y_title", y.name},
              {"y_sort", std::vector(y.labels.rbegin(), y.labels.rend())},
              {"metric", median_of(title_of(m))},
              {"scale_type", logarithmic ? "log" : "linear"},
              {"tooltip", final_tooltip(study)}};
  if (!logarithmic) values["zero"] = false;
  // Numbers where there is room for them; labels at an angle where they would overlap.
  if (x.labels.size() <= 16 && y.labels.size() <= 16)
    values["room"] = fmt::format("width >= {} ? 1 : 0", 46 * x.labels.size());
  std::size_t letters = 0;
  for (const std::string& label : x.labels) letters = std::max(letters, label.size());
  values["x_angle"] = letters * x.labels.size() > 90 ? -45 : 0;
  std::string caption = fmt::format("Colour and number: {{centre}} over {}.", repetitions(study));
  if (const BreakEven even = break_even(study, metric, two[0], two[1]); even.cells > 0) {
    if (!even.edges.empty()) {
      values["edges"] = even.edges;
      values["paying"] = even.paying;
    }
    caption += fmt::format(
        " Collaborating pays (the gain over the isolated models without privacy, averaged over owners and "
        "repetitions, "
        "is above 0) {}.",
        !even.edges.empty()   ? "in cells with a +, up to the red line"
        : even.paying.empty() ? "in no cell"
                              : "in all cells");
  }
  return {{fmt::format("{}-by-{}-and-{}", m.name, x.name, y.name),
           fmt::format("{} at the end, over {} and {}", m.name, x.name, y.name), std::move(caption),
           fill("heat_map", values)}};
}

constexpr Figure kFigures[] = {
    {"curves", true, draw_curves},
    {"finals", true, draw_finals},
    {"heat_map", true, draw_heat_map},
    {"agents", true, draw_agents},
    {"gains", true, draw_gains},
    {"network", true, draw_network},
    {"timeline", false, draw_timeline},
    {"latency", false, draw_latency},
    {"availability", false, draw_availability},
};

}  // namespace

std::span<const Figure> figures() {
  return kFigures;
}

}  // namespace hearsay::analysis
