#pragma once
// The tidy tables that a study leaves: one row a number, with a header, for pandas or R. No wall times, so
// that equal studies have equal files.
#include <filesystem>

#include "analysis/study.hpp"

namespace hearsay::analysis {

/// axes..., repetition, metric, agent, iteration, time_s, vectors, bytes, value
void write_series(const StudyResult& study, const std::filesystem::path& path);
/// axes..., repetition, name, agent, value: the metrics at the end of each run, and the numbers of each point
/// (no repetition)
void write_scalars(const StudyResult& study, const std::filesystem::path& path);
/// axes..., repetition, status, end, iterations, time_s, events, messages, delivered, vectors, bytes,
/// lost_..., fingerprint, message
void write_runs(const StudyResult& study, const std::filesystem::path& path);

}  // namespace hearsay::analysis
