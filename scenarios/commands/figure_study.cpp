#include "scenarios/commands/figure_study.hpp"

#include <fmt/format.h>

#include "analysis/figures/bound_data.hpp"
#include "scenarios/language/units.hpp"
#include "scenarios/runner/sweep/labels.hpp"

namespace hearsay::scenarios {

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
  return all;
}

}  // namespace hearsay::scenarios
