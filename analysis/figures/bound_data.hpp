#pragma once
// The bounds of a study (bounds.csv, which `hearsay run` writes), for figures of its measured values.
#include <filesystem>

#include "analysis/figures/study_data.hpp"

namespace hearsay::analysis {

/// Sets the bounds of the points from a table of theirs. Does nothing if there is no such file, or if it is not of these
/// points.
void add_bounds(StudyData& study, const std::filesystem::path& file);

}  // namespace hearsay::analysis
