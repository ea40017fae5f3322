// What each agent came to: a bar an agent at a selected point, its quartiles over repetitions.
#include <fmt/format.h>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

using nlohmann::json;

std::vector<Drawing> draw_agents(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const Metric& m = *study.head.metrics[metric];
  if (!m.per_agent) return {};
  json rows = json::array(), names = json::array();
  std::vector<double> numbers;
  bool ranked = false;
  for (const FigurePoint& point : study.points) {
    const std::vector<Quartiles>& agents = point.agents[metric];
    if (agents.empty() || point.runs == 0) continue;
    std::string name;
    for (const std::size_t a : other_axes(study, {}))
      name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", study.axes[a].name, point.labels[a]);
    names.push_back(name);
    const bool all = agents.size() == point.owners;
    ranked = ranked || !all;
    for (std::size_t i = 0; i < agents.size(); ++i) {
      rows.push_back({{"p", name},
                      {"a", all ? i + point.first_owner : i + 1},
                      {"m", shown(agents[i].median)},
                      {"l", shown(agents[i].low)},
                      {"h", shown(agents[i].high)}});
      numbers.insert(numbers.end(), {agents[i].low, agents[i].median, agents[i].high});
    }
  }
  if (rows.empty()) return {};
  const bool logarithmic = spans_decades(numbers);
  json x = field("a", "ordinal", ranked ? "agents in order of their value" : "agent");
  x["axis"] = {{"labelAngle", 0}, {"labelOverlap", true}};
  json y = field("m", "quantitative", title_of(m));
  if (logarithmic) y["scale"] = scale(true);
  json low = y;
  low["field"] = "l";
  const json pointed =
      tooltip({{"a", "agent"}, {"m", "median"}, {"l", "lower quartile"}, {"h", "upper quartile"}});
  json s = figure_of(std::move(rows), 260);
  std::string condition = "true";
  if (names.size() > 1) {
    s["params"] = {{{"name", "point"},
                    {"value", names.front()},
                    {"bind", {{"input", "select"}, {"options", names}, {"name", "at "}}}}};
    condition = "datum.p === point";
  }
  s["transform"] = {{{"filter", condition}}};
  // A bar has no foot on a logarithmic scale.
  const json mark = logarithmic ? json{{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 1}}
                                : json{{"type", "bar"}, {"opacity", 0.75}};
  s["layer"] = {{{"mark", mark}, {"encoding", {{"x", x}, {"y", y}, {"tooltip", pointed}}}},
                {{"mark", {{"type", "rule"}, {"strokeWidth", 2}}},
                 {"encoding", {{"x", x}, {"y", low}, {"y2", {{"field", "h"}}}, {"tooltip", pointed}}}}};
  return {{fmt::format("{} at the end, of each agent", m.name),
           fmt::format("{}: median over repetitions; line: from quartile to quartile.",
                       logarithmic ? "Point" : "Bar"),
           std::move(s)}};
}

}  // namespace hearsay::analysis
