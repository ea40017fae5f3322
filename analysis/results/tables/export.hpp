#pragma once
// The tables of a study, for pandas or R: one row per number, with a header. Equal studies have equal files,
// whatever the order in which their runs finished; wall-clock times are left out.
//
//   series.csv   axes..., repetition, metric, agent, iteration, time_s, vectors, bytes, value
//   quantiles.csv  in its place where series are stored together: see quantile_rows.hpp
//   scalars.csv  axes..., repetition, name, agent, value: the numbers of each run and its metrics at the end, and
//                the numbers of each point (no repetition)
//   runs.csv     axes..., repetition, status, end, iterations, time_s, events, messages, delivered, vectors,
//                bytes, lost_..., fingerprint, message
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "analysis/results/store/stored_study.hpp"

namespace hearsay::analysis {

/// Totals over all runs of a study.
struct Totals {
  std::size_t points = 0, runs = 0, done = 0, diverged = 0, failed = 0, interrupted = 0;
  std::uint64_t events = 0, fingerprint = 0;
  double wall = 0;  ///< s, of all runs
  std::set<std::string> unaccounted, notes;
};

struct Exported {
  Totals totals;
  std::string summary;
};

/// Writes the tables into a folder, in one pass over the runs, holding one, or those of one point, at a time.
/// Throws OutputError; then no table has changed.
Exported export_tables(StoredStudy& study, const std::filesystem::path& folder);

}  // namespace hearsay::analysis
