#pragma once
// The study that `report` and `figures` draw.
#include <filesystem>
#include <optional>
#include <string>

#include "analysis/figures/study_data.hpp"
#include "analysis/figures/trace_data.hpp"
#include "scenarios/commands/arguments.hpp"

namespace hearsay::scenarios {

struct FigureStudy {
  analysis::StudyData data;
  std::optional<analysis::TraceData> trace;
};

/// --from, --to and --agent: what of a trace is shown.
Options with_window_options(Options options);

/// The name of a study: that of its scenario, else of its file.
std::string study_title(analysis::StoredStudy& study);

/// Reads the wanted points of a study with their bounds, and the window of its trace. Throws UsageError.
FigureStudy read_figure_study(analysis::StoredStudy& study, const std::filesystem::path& folder,
                              const Parsed& values, const analysis::PointFilter& wanted = {});
/// The same of the traced point alone.
FigureStudy read_traced_point(analysis::StoredStudy& study, const std::filesystem::path& folder,
                              const Parsed& values);

}  // namespace hearsay::scenarios
