// The final value of each agent: a bar per agent at a selected point, its quartiles over repetitions.
#include <fmt/format.h>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

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

}  // namespace hearsay::analysis
