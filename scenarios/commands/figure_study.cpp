#include "scenarios/commands/figure_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "analysis/figures/bound_data.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/runner/sweep/labels.hpp"

namespace hearsay::scenarios {

namespace {

// Which run was traced, from manifest.json; a study that runs has none yet.
void describe_trace(analysis::TraceData& trace, const std::filesystem::path& folder) {
  std::ifstream file(folder / "manifest.json");
  const auto manifest = nlohmann::json::parse(file, nullptr, false);
  const nlohmann::json::json_pointer place("/scenario/record/trace");
  if (!manifest.is_object() || !manifest.contains(place) || !manifest.at(place).is_object()) return;
  const nlohmann::json& options = manifest.at(place);
  const auto number = [&](const char* key) {
    const auto found = options.find(key);
    return found != options.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
  };
  trace.point = number("point");
  trace.repetition = number("repetition");
  trace.one_agent = options.contains("agent") && !options["agent"].is_null();
}

}  // namespace

Options with_window_options(Options options) {
  options.insert(options.end(), {{"from", "T", "first time of the trace that is shown, e.g. '20 s'"},
                                 {"to", "T", "last time of the trace that is shown"}});
  return options;
}

FigureStudy read_figure_study(analysis::StoredStudy& study, const std::filesystem::path& folder,
                              const Parsed& values, const analysis::PointFilter& wanted) {
  const auto [from, to] = values.window();
  const std::filesystem::path events = folder / "trace.csv";
  std::error_code error;
  if ((values.has("from") || values.has("to")) && !std::filesystem::exists(events, error))
    throw UsageError(
        fmt::format("--{}: there is no trace.csv in {}: add record.trace to the scenario and run it again",
                    values.has("from") ? "from" : "to", folder.string()));
  FigureStudy all{analysis::gather(study, label_number, {}, wanted), {}};
  analysis::add_bounds(all.data, folder / "bounds.csv");
  all.trace = analysis::read_trace(events, 20000, from, to);
  if (all.trace && all.trace->read == 0 && from > 0)
    throw UsageError(fmt::format("--from: {} has no event from {} on{}", events.string(),
                                 format_quantity(from, "s"),
                                 values.has("to") ? " until " + format_quantity(to, "s") : ""));
  if (all.trace) describe_trace(*all.trace, folder);
  // That of a point that is not wanted is no part of what is drawn.
  const auto is_traced = [&](const analysis::FigurePoint& point) { return point.number == all.trace->point; };
  if (all.trace && wanted && std::none_of(all.data.points.begin(), all.data.points.end(), is_traced))
    all.trace.reset();
  return all;
}

}  // namespace hearsay::scenarios
