#pragma once
// The series of runs as rows of the store: of one run each, or of all repetitions of a point together.
//
// Together (record.keep: aggregate) there is one row for each record and number of it: a BLOB with that number in
// every repetition, in their order. So statistics over repetitions read one BLOB. Nothing is lost: iteration, time,
// vectors and bytes of the records are kept like metrics, and what each run wrote down can be told from it again.
#include <cstdint>
#include <map>

#include "analysis/results/database.hpp"
#include "analysis/results/study.hpp"

namespace hearsay::analysis {

using SeriesByRepetition = std::map<std::uint32_t, Series>;

/// Numbers of one record: metrics in order, per-agent ones as many as there are owners.
std::size_t width_of(const StudyHead& study, std::size_t owners);

/// The rows of single runs.
class RunSeriesRows {
 public:
  explicit RunSeriesRows(Database& database);
  /// Empty if nothing is kept of the run by itself. Throws OutputError if it is damaged.
  Series read(std::int64_t run, std::size_t width);
  void forget(std::int64_t run);

 private:
  Database& database_;
  Statement mark_, series_, forget_marks_, forget_series_;
};

/// The rows of a point's repetitions together.
class AggregateRows {
 public:
  explicit AggregateRows(Database& database);
  SeriesByRepetition read(std::int64_t point, std::int64_t record, std::size_t width);
  /// In place of what is there.
  void write(std::int64_t point, std::int64_t record, const StudyHead& study, const PointResult& shape,
             const SeriesByRepetition& all);

 private:
  Database& database_;
  Statement select_, insert_, forget_;
};

}  // namespace hearsay::analysis
