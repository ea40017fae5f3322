#pragma once
// The series of runs as rows of the store: one run at a time, or all repetitions of a point together.
//
// Together (record.keep: aggregate) there is one row per sample and number of it: a BLOB with that number in every
// repetition, in their order, so that statistics over repetitions read one BLOB. Nothing is lost: iteration, time,
// vectors and bytes of the samples are stored like metrics, and the series of each run can be restored.
#include <cstdint>
#include <map>

#include "analysis/results/store/database.hpp"
#include "analysis/results/study.hpp"

namespace hearsay::analysis {

using SeriesByRepetition = std::map<std::uint32_t, Series>;

/// The rows of single runs.
class RunSeriesRows {
 public:
  explicit RunSeriesRows(Database& database);
  /// Empty if the run has no rows. Throws OutputError if they are damaged.
  Series read(std::int64_t run, std::size_t width);
  void write(std::int64_t run, const std::vector<MetricInfo>& metrics, const SeriesLayout& layout,
             const Series& series);
  void erase(std::int64_t run);

 private:
  Database& database_;
  Statement samples_, series_, insert_samples_, insert_series_, erase_samples_, erase_series_;
};

/// The rows of a point's repetitions together.
class AggregateRows {
 public:
  explicit AggregateRows(Database& database);
  SeriesByRepetition read(std::int64_t point, std::int64_t record, std::size_t width);
  /// Replaces the rows that are there.
  void write(std::int64_t point, std::int64_t record, const std::vector<MetricInfo>& metrics,
             const SeriesLayout& layout, const SeriesByRepetition& all);

 private:
  Database& database_;
  Statement select_, insert_, erase_;
};

}  // namespace hearsay::analysis
