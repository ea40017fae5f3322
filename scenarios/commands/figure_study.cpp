#include "scenarios/commands/figure_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/figures/owner_values.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/study/sweep/labels.hpp"

namespace hearsay::scenarios {

namespace {

// The traced run, from manifest.json; a study that runs has none yet.
struct TracedRun {
  std::size_t point = 0, repetition = 0;
  std::set<sim::AgentId> agents{};       // whose events the trace has; empty: all
  double from = 0, to = sim::kNever;     // s
  bool states = true, computing = true;  // whether it has when an agent is down, and when it computes
  bool kinds = true;                     // whether it has all kinds of events
};

TracedRun traced_run_of(const std::filesystem::path& folder) {
  TracedRun run;
  std::ifstream file(folder / "manifest.json");
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  const nlohmann::json::json_pointer place("/scenario/record/trace");
  if (!manifest.is_object() || !manifest.contains(place) || !manifest.at(place).is_object()) return run;
  const nlohmann::json& options = manifest.at(place);
  const auto number = [&](const char* key) -> std::optional<std::size_t> {
    const auto found = options.find(key);
    if (found == options.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::size_t>();
  };
  run.point = number("point").value_or(0);
  run.repetition = number("repetition").value_or(0);
  if (const auto agent = number("agent")) run.agents = {static_cast<sim::AgentId>(*agent)};
  const auto time = [&](const char* key, double missing) {
    const auto found = options.find(key);
    if (found == options.end() || !found->is_string()) return missing;
    return parse_quantity(found->get<std::string>(), "s").value_or(missing);
  };
  run.from = time("from", run.from);
  run.to = time("to", run.to);
  const nlohmann::json kinds = options.value("kinds", nlohmann::json::array());
  const auto has = [&](const char* kind) {
    return kinds.empty() || std::ranges::count(kinds, nlohmann::json(kind)) > 0;
  };
  run.kinds = kinds.empty();
  run.states = has("down") && has("up");
  run.computing = has("compute") && has("computed");
  return run;
}

// --agent: the agents whose events are shown; empty: all.
std::set<sim::AgentId> wanted_agents(const Parsed& values, analysis::StoredStudy& study, std::size_t point) {
  std::set<sim::AgentId> agents;
  if (!values.has("agent") || point >= study.points()) return agents;
  const Names names = analysis::agent_names(study.owners(point), study.point(point).first_owner);
  const auto network = study.network_number(point);
  const Names nodes = network ? names_of(study.network(*network).nodes) : Names{};
  for (const std::string& text : values.all("agent"))
    agents.insert(Parsed::agent("agent", text, names, nodes));
  return agents;
}

// What the traced run recorded of each owner, evenly thinned where it is too much.
analysis::TraceData::Samples samples_of(analysis::StoredStudy& study, std::size_t number,
                                        const analysis::Series& series) {
  analysis::TraceData::Samples all;
  const std::vector<analysis::MetricInfo>& metrics = study.head().metrics;
  const auto per_agent =
      static_cast<std::size_t>(std::ranges::count_if(metrics, &analysis::MetricInfo::per_agent));
  const analysis::PointResult point = study.point(number);
  const analysis::SeriesLayout layout = study.head().layout(point);
  const std::size_t width = per_agent * std::max<std::size_t>(point.owners, 1);
  // Without such a metric the first and the last time.
  const auto kept =
      analysis::spread(series.samples.size(),
                       width == 0 ? 2 : std::max<std::size_t>(2, analysis::TraceData::kMaxSampled / width));
  for (const std::size_t k : kept) all.times.push_back(series.samples[k].time);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (!metrics[m].per_agent) continue;
    auto& values = all.metrics.emplace_back(metrics[m].name, std::vector<std::vector<double>>{}).second;
    for (const std::size_t k : kept) {
      const auto of_owners = layout.values_of(m, layout.sample(series, k));
      values.emplace_back(of_owners.begin(), of_owners.end());
    }
  }
  return all;
}

}  // namespace

Options with_window_options(Options options) {
  options.insert(
      options.end(),
      {{"from", "T", "first time of the trace that is shown, e.g. '20 s'"},
       {"to", "T", "last time of the trace that is shown"},
       {"agent", "AGENT", "show only events of this agent in the trace, by its number or name (repeatable)",
        nullptr, true}});
  return options;
}

std::string study_title(analysis::StoredStudy& study) {
  const auto scenario = nlohmann::json::parse(study.info("scenario"), nullptr, false);
  const std::string name = scenario.is_object() ? scenario.value("name", "") : "";
  return name.empty() ? std::filesystem::path(study.info("file")).stem().string() : name;
}

FigureStudy read_figure_study(analysis::StoredStudy& study, const std::filesystem::path& folder,
                              const Parsed& values, const analysis::PointFilter& wanted) {
  const auto [from, to] = values.window();
  const std::filesystem::path events = folder / "trace.csv";
  std::error_code error;
  for (const char* option : {"from", "to", "agent"}) {
    if (values.has(option) && !std::filesystem::exists(events, error))
      throw UsageError(
          fmt::format("--{}: there is no trace.csv in {}: add record.trace to the scenario and run it again",
                      option, folder.string()));
  }
  const TracedRun run = traced_run_of(folder);
  const std::set<sim::AgentId> agents = wanted_agents(values, study, run.point);
  FigureStudy all{analysis::gather(study, label_number, {}, wanted, run.point), {}};
  analysis::add_bounds(all.data, folder / "bounds.csv");
  all.trace = analysis::read_trace(events, 20000, std::max(from, run.from), to, agents);
  if (all.trace && all.trace->read == 0 && from > 0)
    throw UsageError(fmt::format("--from: {} has no event from {} on{}", events.string(),
                                 format_quantity(from, "s"),
                                 values.has("to") ? " until " + format_quantity(to, "s") : ""));
  if (all.trace) {
    all.trace->point = run.point;
    all.trace->repetition = run.repetition;
    if (agents.empty()) all.trace->only = run.agents;
    all.trace->recorded = run.from;
    all.trace->states = run.states && run.agents.empty();
    if (!run.states) all.trace->down.clear();
    if (!run.computing) all.trace->computing.clear();
    const auto result = run.point < study.points()
                            ? study.run(run.point, static_cast<std::uint32_t>(run.repetition))
                            : std::nullopt;
    const bool sampled = result && !result->series.samples.empty();
    const analysis::Sample last = sampled ? result->series.samples.back() : analysis::Sample{};
    if (sampled) all.trace->samples = samples_of(study, run.point, result->series);
    all.trace->whole = all.trace->whole && run.agents.empty() && run.kinds && !(run.to < last.time);
    // No row follows the last event, which may complete an iteration.
    if (sampled && all.trace->whole)
      for (auto row = all.trace->rows.rbegin(); row != all.trace->rows.rend() && !row->done; ++row)
        row->done = last.iteration;
  }
  // That of a point that is not wanted is no part of what is drawn.
  const auto is_traced = [&](const analysis::FigurePoint& point) { return point.number == all.trace->point; };
  if (all.trace && wanted && std::none_of(all.data.points.begin(), all.data.points.end(), is_traced))
    all.trace.reset();
  return all;
}

FigureStudy read_traced_point(analysis::StoredStudy& study, const std::filesystem::path& folder,
                              const Parsed& values) {
  const std::size_t point = traced_run_of(folder).point;
  if (point >= study.points()) return read_figure_study(study, folder, values);
  const Names wanted = study.head().shown_labels(study.point(point).labels);
  return read_figure_study(study, folder, values, [&](const Names& labels) { return labels == wanted; });
}

}  // namespace hearsay::scenarios
