// The kinds of figures.
#include "analysis/figures/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

namespace {

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
  for (const FigureEvent& e : study.events)
    values["events"].push_back({{"t", seven_digits(e.time)}, {"e", e.text}});
  return {{m.name + " over the course of the runs",
           std::string("Line: median over repetitions; band: interquartile range.") +
               (study.events.empty() ? "" : " Against time, dashed lines are the scenario's events."),
           fill("curves", values)}};
}

// One row per point, with the numbers of its axes as "n0", "n1", ...
Json final_rows(const StudyData& study, std::size_t metric) {
  Json rows = Json::array();
  for (const FigurePoint& point : study.points) {
    if (!std::isfinite(point.finals[metric].median)) continue;
    Json& row = rows.emplace_back(row_of(study, point, point.finals[metric]));
    row["runs"] = point.runs;
    for (std::size_t a = 0; a < study.axes.size(); ++a) {
      const auto& [name, labels, numbers, logarithmic] = study.axes[a];
      if (numbers.empty()) continue;
      const auto label = std::find(labels.begin(), labels.end(), point.labels[a]) - labels.begin();
      row[fmt::format("n{}", a)] = seven_digits(numbers[static_cast<std::size_t>(label)]);
    }
  }
  return rows;
}

Json final_tooltip(const StudyData& study) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::size_t a : other_axes(study)) all.emplace_back(axis_key(a), study.axes[a].name);
  all.insert(all.end(), kQuartileNames.begin(), kQuartileNames.end());
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
    Json values{{"rows", rows},
                {"params", fixed.parameters},
                {"filter", fixed.condition},
                {"x", along(study, axis)},
                {"metric", title_of(m)},
                {"scale", scale(spans_decades(rows))},
                {"tooltip", final_tooltip(study)}};
    if (coloured) values["color"] = colour(study, others.front());
    if (!study.axes[axis].numbers.empty()) values["numeric"] = true;
    all.push_back({fmt::format("{} at the end against {}", m.name, study.axes[axis].name),
                   "Point: median over repetitions; bar: interquartile range.", fill("finals", values)});
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
              {"height", std::clamp<std::size_t>(y.labels.size() * 44, 120, 480)},
              {"params", fixed.parameters},
              {"filter", fixed.condition},
              {"x_field", axis_key(two[0])},
              {"x_title", x.name},
              {"x_sort", x.labels},
              {"y_field", axis_key(two[1])},
              {"y_title", y.name},
              {"y_sort", std::vector(y.labels.rbegin(), y.labels.rend())},
              {"metric", title_of(m)},
              {"scale_type", logarithmic ? "log" : "linear"},
              {"tooltip", final_tooltip(study)}};
  if (!logarithmic) values["zero"] = false;
  // Numbers where there is room for them, with a dark outline to be readable on any shade.
  if (x.labels.size() <= 12 && y.labels.size() <= 12)
    values["room"] = fmt::format("width >= {} ? 1 : 0", 52 * x.labels.size());
  return {{fmt::format("{} at the end, over {} and {}", m.name, x.name, y.name), "Median over repetitions.",
           fill("heat_map", values)}};
}

// The final value of each agent: a bar per agent at a selected point, its quartiles over repetitions.
std::vector<Drawing> draw_agents(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  Json rows = Json::array(), names = Json::array();
  bool ranked = false;
  for (const FigurePoint& point : study.points) {
    const std::vector<Quartiles>& agents = point.agents[metric];
    if (agents.empty() || point.runs == 0) continue;
    std::string name;
    for (const std::size_t a : other_axes(study))
      name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", study.axes[a].name, point.labels[a]);
    names.push_back(name);
    const bool all = agents.size() == point.owners;
    ranked = ranked || !all;
    for (std::size_t i = 0; i < agents.size(); ++i) {
      Json& row = rows.emplace_back(row_of(study, point, agents[i]));
      row["p"] = name;
      row["a"] = all ? i + point.first_owner : i + 1;
    }
  }
  if (rows.empty()) return {};
  const bool logarithmic = spans_decades(rows);
  Json values{{"rows", rows},
              {"metric", title_of(m)},
              {"x_title", ranked ? "agents in order of their value" : "agent"},
              {"filter", names.size() > 1 ? "datum.p === point" : "true"}};
  // A bar has no base on a logarithmic scale.
  if (logarithmic) {
    values["mark"] = {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 1}};
    values["scale"] = scale(true);
  } else {
    values["mark"] = {{"type", "bar"}, {"opacity", 0.75}};
  }
  if (names.size() > 1) values["params"] = Json::array({selector("point", names, "at ")});
  return {
      {fmt::format("{} at the end, by agent", m.name),
       fmt::format("{}: median over repetitions; line: interquartile range.", logarithmic ? "Point" : "Bar"),
       fill("agents", values)}};
}

// The events of one run: time runs to the right, each agent has a line, a message leads from one to another.
std::vector<Drawing> draw_timeline(const FigureInput& input, std::size_t) {
  if (!input.trace || input.trace->agents == 0) return {};
  const TraceData& trace = *input.trace;
  Json rows = Json::array();
  const auto add = [&](const char* what, double from, double to, sim::AgentId agent,
                       const std::string& event) -> Json& {
    return rows.emplace_back(
        Json{{"w", what}, {"t", seven_digits(from)}, {"u", seven_digits(to)}, {"y", agent}, {"e", event}});
  };
  for (const auto& d : trace.down) add("down", d.from, d.to, d.agent, "down");
  for (const auto& c : trace.computing) add("computing", c.from, c.to, c.agent, "computing");
  for (const auto& e : trace.events) add("event", e.time, e.time, 0, e.text).erase("u");
  for (const auto& m : trace.messages) {
    add(m.fate == "delivered" ? "message" : "lost", m.sent, m.ended, m.from,
        fmt::format("{} to {}, {}", m.from, m.to, m.fate))["z"] = m.to;
  }
  for (const auto& m : trace.moments) add("moment", m.time, m.time, m.agent, m.event).erase("u");

  // The initial window has about as many events as can be distinguished.
  const auto all = static_cast<double>(rows.size());
  const double until = rows.size() <= 150 ? trace.end : trace.end * 150 / all;
  std::string caption =
      "Lines: messages, from sender and sending time to receiver and arrival; dashed, with a cross: lost; "
      "grey: down; yellow: computing; vertical lines: the scenario's events. Drag and scroll to move and "
      "zoom.";
  if (!trace.whole)
    caption +=
        fmt::format(" The first {:.6g} s of the trace are shown; trace.csv contains all of it.", trace.end);
  return {{"One run, event by event", std::move(caption),
           fill("timeline", {{"rows", rows},
                             {"height", std::clamp<std::size_t>(trace.agents * 40, 160, 720)},
                             {"until", seven_digits(until)},
                             {"agents", trace.agents - 0.4}})}};
}

constexpr Figure kFigures[] = {
    {"curves", true, draw_curves}, {"finals", true, draw_finals},      {"heat_map", true, draw_heat_map},
    {"agents", true, draw_agents}, {"timeline", false, draw_timeline},
};

}  // namespace

std::span<const Figure> figures() {
  return kFigures;
}

}  // namespace hearsay::analysis
