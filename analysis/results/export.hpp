#pragma once
// From the store to tables: whatever the order in which runs came in, equal studies have equal files.
#include <cstdint>
#include <set>
#include <string>

#include "analysis/results/stored_study.hpp"

namespace hearsay::analysis {

/// What all runs of a study amount to.
struct Totals {
  std::size_t points = 0, runs = 0, done = 0, diverged = 0, failed = 0, interrupted = 0;
  std::uint64_t events = 0, fingerprint = 0;
  double wall = 0;  ///< s, of all runs
  std::set<std::string> unprivate, notes;
};

struct Exported {
  Totals totals;
  std::string summary;
};

/// Writes series.csv (or quantiles.csv, where the series are kept together), scalars.csv and runs.csv into a
/// folder, in one pass over the runs, holding one, or those of one point, at a time. Throws OutputError; then
/// none of the three has changed.
Exported export_tables(StoredStudy& study, const std::filesystem::path& folder);

}  // namespace hearsay::analysis
