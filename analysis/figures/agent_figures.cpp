#include "analysis/figures/agent_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/figures/owner_values.hpp"
#include "analysis/figures/page_parts.hpp"

namespace hearsay::analysis {

namespace {

constexpr std::size_t kMaxNodeRows = 6000;  // nodes of all points in one figure
constexpr std::size_t kMaxNamed = 40;       // nodes that are labelled with their names

// A figure with a bar for each owner of a selected point.
struct Bars {
  Json rows = Json::array(), names = Json::array();
  bool ranked = false;  // some owners, in the order of their values
  std::vector<std::string> baselines{};
};

Bars bars(const StudyData& study, std::size_t metric, std::vector<Statistics> OwnerValues::*which) {
  Bars all;
  for (const FigurePoint& point : study.points) {
    const OwnerValues& owners = point.by_owner[metric];
    std::vector<Statistics> values = owners.*which;
    if (values.empty()) continue;
    const std::string name = name_of(study, point);
    all.names.push_back(name);
    const bool ranked = values.size() > study.limits.agents;
    all.ranked = all.ranked || ranked;
    if (ranked) values = sample_of(std::move(values), study.limits.agents);
    const std::vector<std::string> named = different_names(point);
    for (std::size_t i = 0; i < values.size(); ++i) {
      Json& row = all.rows.emplace_back(row_of(study, point, values[i]));
      row["p"] = name;
      row["a"] = ranked ? i + 1 : i + point.first_owner;
      if (ranked) continue;
      if (!named.empty()) row["n"] = named[i];
      for (const auto& [baseline, numbers] : owners.baselines) {
        if (std::isfinite(numbers[i])) row[baseline] = seven_digits(numbers[i]);
      }
    }
    for (const auto& [baseline, numbers] : owners.baselines) {
      if (!ranked && std::find(all.baselines.begin(), all.baselines.end(), baseline) == all.baselines.end())
        all.baselines.push_back(baseline);
    }
  }
  return all;
}

Json bar_values(const Bars& all) {
  Json values{{"rows", all.rows}, {"filter", all.names.size() > 1 ? "datum.p === point" : "true"}};
  const bool named = !all.ranked && all.rows.front().contains("n");
  values["x_title"] = all.ranked ? "agents in order of their value" : named ? "owner" : "agent";
  values["x_field"] = named ? "n" : "a";
  values["x_angle"] = named && all.rows.size() / all.names.size() > 6 ? -40 : 0;
  if (named) values["x_sort"] = {{"field", "a"}, {"op", "min"}};
  if (all.names.size() > 1) values["params"] = Json::array({selector("point", all.names, "at ")});
  std::vector<std::pair<std::string, std::string>> pointed{{"a", all.ranked ? "rank" : "agent"}};
  if (named) pointed.emplace_back("n", "owner");
  pointed.insert(pointed.end(), kStatisticNames.begin(), kStatisticNames.end());
  for (const std::string& baseline : all.baselines) pointed.emplace_back(baseline, baseline);
  values["tooltip"] = tooltip(pointed);
  return values;
}

// The rows of the nodes of each point, numbered in `names`, and of the links of each network.
struct NetworkRows {
  Json nodes = Json::array(), links = Json::array(), names = Json::array(), network_of = Json::array();
  std::size_t largest = 0;  // nodes of a network
  bool whole = true;        // no point was left out
};

void add_links(const NetworkGraph& network, std::size_t number, Json& rows) {
  for (const NetworkGraph::Link& l : network.links) {
    const NetworkGraph::Node &a = network.nodes[l.source], &b = network.nodes[l.target];
    rows.push_back({{"g", number},
                    {"x", seven_digits(a.x)},
                    {"y", seven_digits(a.y)},
                    {"u", seven_digits(b.x)},
                    {"v", seven_digits(b.y)},
                    {"link", fmt::format("{} to {}", l.source, l.target)},
                    {"latency", seven_digits(l.latency)},
                    {"weight", seven_digits(l.weight)}});
  }
}

NetworkRows network_rows(const StudyData& study, std::optional<std::size_t> metric) {
  NetworkRows all;
  for (std::size_t g = 0; g < study.networks.size(); ++g) add_links(study.networks[g], g, all.links);
  std::vector<bool> drawn(study.networks.size());
  for (const FigurePoint& point : study.points) {
    if (!point.network) continue;
    if (metric ? point.by_owner[*metric].values.empty() : drawn[*point.network]) continue;
    const NetworkGraph& network = study.networks[*point.network];
    if (!all.names.empty() && all.nodes.size() + network.nodes.size() > kMaxNodeRows) {
      all.whole = false;
      break;
    }
    drawn[*point.network] = true;
    const std::vector<std::uint32_t> degrees = network.degrees();
    const std::vector<std::string> named = different_names(point);
    all.largest = std::max(all.largest, network.nodes.size());
    for (std::size_t i = 0; i < network.nodes.size(); ++i) {
      const NetworkGraph::Node& n = network.nodes[i];
      const std::size_t owner = i - point.first_owner;  // beyond the owners for a learner
      Json& row = all.nodes.emplace_back();
      if (!metric) {
        row["m"] = row["l"] = row["h"] = degrees[i];
      } else if (owner < point.by_owner[*metric].values.size()) {
        row = row_of(study, point, point.by_owner[*metric].values[owner]);
      }
      row["p"] = all.names.size();
      row["a"] = i;
      row["n"] = owner < named.size() ? named[owner] : i < point.first_owner ? "learner" : std::to_string(i);
      if (!n.name.empty()) row["node"] = n.name;
      row["x"] = seven_digits(n.x);
      row["y"] = seven_digits(n.y);
      row["degree"] = degrees[i];
    }
    all.names.push_back(name_of(study, point));
    all.network_of.push_back(*point.network);
  }
  return all;
}

Json extent(const Json& rows, const char* key) {
  double min = HUGE_VAL, max = -HUGE_VAL;
  for (const Json& row : rows) {
    min = std::min(min, row.at(key).get<double>());
    max = std::max(max, row.at(key).get<double>());
  }
  return max > min ? Json{min, max} : Json{min - 1, max + 1};
}

}  // namespace

std::vector<Drawing> draw_agents(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  const Bars all = bars(study, metric, &OwnerValues::values);
  if (all.rows.empty()) return {};
  const bool logarithmic = spans_decades(all.rows);
  Json values = bar_values(all);
  values["metric"] = median_of(title_of(m));
  // A bar has no base on a logarithmic scale.
  if (logarithmic) {
    values["mark"] = {{"type", "point"}, {"filled", true}, {"size", 60}, {"opacity", 1}};
    values["scale"] = scale(true);
  } else {
    values["mark"] = {{"type", "bar"}, {"opacity", 0.75}};
  }
  if (!all.baselines.empty()) values["baselines"] = all.baselines;
  return {
      {m.name + "-by-agent", fmt::format("{} at the end, by agent", m.name),
       fmt::format("{}: {{centre}} over {}; line: {{spread}}.{}", logarithmic ? "Point" : "Bar",
                   repetitions(study), all.baselines.empty() ? "" : " Short lines: the owner's baselines."),
       fill("agents", values)}};
}

std::vector<Drawing> draw_gains(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const MetricInfo& m = study.head.metrics[metric];
  Bars all = bars(study, metric, &OwnerValues::gains);
  if (all.rows.empty()) return {};
  all.baselines.clear();
  Json values = bar_values(all);
  values["metric"] = median_of("gain in " + title_of(m));
  values["mark"] = {{"type", "bar"}, {"opacity", 0.75}};
  values["scale"] = {{"zero", true}};
  return {{m.name + "-gain-by-owner", fmt::format("Gain of collaborating in {}, by owner", m.name),
           fmt::format("Gain: value of the owner's isolated model without privacy, minus its value with "
                       "collaboration; above 0 the owner gains. Bar: {{centre}} over {}; line: {{spread}}.",
                       repetitions(study)),
           fill("agents", values)}};
}

std::vector<Drawing> draw_network(const FigureInput& input, std::size_t metric) {
  const StudyData& study = input.study;
  const std::vector<MetricInfo>& metrics = study.head.metrics;
  const bool any = std::any_of(metrics.begin(), metrics.end(), [](const auto& m) { return m.per_agent; });
  const MetricInfo& m = metrics[metric];
  if (study.networks.empty() || (any ? !m.per_agent : metric > 0)) return {};
  const NetworkRows all = network_rows(study, any ? std::optional(metric) : std::nullopt);
  if (all.names.empty()) return {};
  std::vector<std::pair<std::string, std::string>> pointed{{"a", "agent"}, {"n", "owner"}};
  if (all.nodes.front().contains("node")) pointed.emplace_back("node", "node");
  pointed.emplace_back("degree", "degree");
  if (any) pointed.insert(pointed.end(), kStatisticNames.begin(), kStatisticNames.end());
  Json coloured = Json::array();
  for (const Json& row : all.nodes) {
    if (row.contains("m")) coloured.push_back(row);
  }
  const bool logarithmic = any && spans_decades(coloured);
  Json values{{"rows", all.nodes},
              {"links", all.links},
              {"x_domain", extent(all.nodes, "x")},
              {"y_domain", extent(all.nodes, "y")},
              {"filter", "true"},
              {"link_filter", "true"},
              {"metric", any ? median_of(title_of(m)) : "degree"},
              {"scale_type", logarithmic ? "log" : "linear"},
              {"size", std::clamp(6000.0 / static_cast<double>(all.largest), 30.0, 300.0)},
              {"tooltip", tooltip(pointed)}};
  if (all.names.size() > 1) {
    Json numbers = Json::array();
    for (std::size_t p = 0; p < all.names.size(); ++p) numbers.push_back(p);
    values["params"] = Json::array({selector("point", numbers, "at ", all.names)});
    values["filter"] = "datum.p == point";
    values["link_filter"] = fmt::format("datum.g == {}[point]", json_text(all.network_of));
  }
  if (all.largest <= kMaxNamed) values["named"] = true;
  return {{any ? m.name + "-on-network" : "network",
           any ? fmt::format("{} at the end, on the network", m.name) : "The network",
           (any ? fmt::format("Colour: {{centre}} over {}; grey: agents without a value.", repetitions(study))
                : "Colour: number of links of the agent.") +
               (all.whole ? "" : fmt::format(" Only the first {} points are shown.", all.names.size())),
           fill("network", values), !any}};
}

}  // namespace hearsay::analysis
