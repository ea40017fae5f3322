// The final value of each agent: a bar per agent at a selected point, its quartiles over repetitions.
#include <fmt/format.h>

#include "analysis/figures/figure.hpp"
#include "analysis/figures/parts.hpp"

namespace hearsay::analysis {

std::vector<Drawing> draw_agents(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  if (!m.per_agent) return {};
  std::vector<std::string> rows, names;
  std::vector<double> numbers;
  bool ranked = false;
  for (const FigurePoint& point : study.points) {
    const std::vector<Quartiles>& agents = point.agents[metric];
    if (agents.empty() || point.runs == 0) continue;
    std::string name;
    for (const std::size_t a : other_axes(study, {}))
      name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", study.axes[a].name, point.labels[a]);
    names.push_back(json_text(name));
    const bool all = agents.size() == point.owners;
    ranked = ranked || !all;
    for (std::size_t i = 0; i < agents.size(); ++i) {
      const Quartiles& q = agents[i];
      rows.push_back(fmt::format(R"({{"p":{},"a":{},"m":{},"l":{},"h":{}}})", names.back(),
                                 all ? i + point.first_owner : i + 1, json_number(q.median),
                                 json_number(q.low), json_number(q.high)));
      numbers.insert(numbers.end(), {q.low, q.median, q.high});
    }
  }
  if (rows.empty()) return {};
  const bool logarithmic = spans_decades(numbers);
  Members values{{"rows", json_list(rows)},
                 {"metric", json_text(title_of(m))},
                 {"x_title", json_text(ranked ? "agents in order of their value" : "agent")},
                 {"filter", names.size() > 1 ? R"("datum.p === point")" : R"("true")"},
                 // A bar has no base on a logarithmic scale.
                 {"mark", logarithmic ? R"({"type": "point", "filled": true, "size": 60, "opacity": 1})"
                                      : R"({"type": "bar", "opacity": 0.75})"}};
  if (logarithmic) values.emplace_back("scale", scale(true));
  if (names.size() > 1) values.emplace_back("params", json_list({selector("point", names, "at ")}));
  return {
      {fmt::format("{} at the end, by agent", m.name),
       fmt::format("{}: median over repetitions; line: interquartile range.", logarithmic ? "Point" : "Bar"),
       fill("agents", values)}};
}

}  // namespace hearsay::analysis
