#pragma once
// The tables of a study, for pandas or R: one row per number, with a header. Equal studies have equal files,
// whatever the order in which their runs finished; wall-clock times are left out.
//
//   series.csv     axes..., repetition, metric, agent, iteration, time_s, vectors, bytes, value
//   quantiles.csv  instead, where the series of a point's repetitions are stored together:
//                  axes..., metric, agent, iteration, time_s, runs, mean, min, q25, median, q75, max
//   scalars.csv    axes..., repetition, name, agent, value: the numbers of each run and its metrics at the end, and
//                  the numbers of each point (no repetition)
//   runs.csv       axes..., repetition, tuned options..., status, end, iterations, time_s, events, messages, delivered, vectors,
//                  bytes, lost_..., fingerprint, message
//   models.csv     axes..., repetition, agent, parameter, name, value: the models at the end of each run, where the
//                  study keeps them; parameters are numbered from 0
//   owners.csv     axes..., network, agent, name, records, test_records, epsilon, delta, hostile: the owners of each point,
//                  their total budgets, and the number of the network between them
//   nodes.csv      network, agent, name, owner, x, y, degree: every network once, from 0; x and y in m, or degrees
//                  east and north
//   links.csv      network, source, target, weight, latency_s, return_latency_s, length_m
//
// An axis of quantities has two columns: NAME, a number in SI, and NAME.text, the value as written.
//
// quantiles.csv has rows for every iteration at which any repetition has a sample (time_s is empty), or for every such
// time if samples are at equal times (iteration is empty). Each repetition counts with its last value up to there, also
// after its end. `runs` is the number of repetitions; quantiles interpolate linearly between order statistics.
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "analysis/store/output_file.hpp"
#include "analysis/store/stored_study.hpp"
#include "analysis/tables/axis_columns.hpp"
#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

/// Totals over all runs of a study.
struct Totals {
  std::size_t points = 0, runs = 0, done = 0, diverged = 0, failed = 0, interrupted = 0;
  std::uint64_t events = 0, fingerprint = 0;
  double wall = 0;  ///< s, of all runs
  std::set<std::string> unaccounted, notes;
  std::string problem;  ///< why the first run that diverged or failed did so, with its point and repetition
};

struct Exported {
  Totals totals;
  std::vector<PointSummary> points;  ///< for summary_text()
};

/// Writes the tables into a folder, in one pass over the runs. In memory there is one run, or those of one point.
/// `number` reads the labels of axes; without it they are written as they are. Throws OutputError; if anything could not
/// be read or written, no table has changed.
Exported export_tables(StoredStudy& study, const std::filesystem::path& folder,
                       const LabelNumber& number = {});

/// The last three of them.
class ParticipantTables {
 public:
  explicit ParticipantTables(const std::filesystem::path& folder);
  void write(StoredStudy& study, const AxisColumns& columns);
  /// To be committed.
  std::vector<OutputFile*> files() { return {&owners_, &nodes_, &links_}; }

 private:
  OutputFile owners_, nodes_, links_;
};

}  // namespace hearsay::analysis
