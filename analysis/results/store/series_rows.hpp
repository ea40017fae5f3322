#pragma once
// The series of runs as rows of the store: of one run, or of all repetitions of a point together.
//
// Together (record.keep: aggregate) there is one row per sample and number: a BLOB with that number in every repetition,
// in their order, so that statistics over repetitions read one BLOB. Iteration, time, vectors and bytes of the samples
// are stored like metrics, so that the series of each run can be restored.
#include <cstdint>
#include <map>

#include "analysis/results/store/database.hpp"
#include "analysis/results/study.hpp"

namespace hearsay::analysis {

using SeriesByRepetition = std::map<std::uint32_t, Series>;

class SeriesRows {
 public:
  explicit SeriesRows(Database& database);

  /// Empty if the run has no rows. Throws OutputError if they are damaged.
  Series read(std::int64_t run, std::size_t width);
  void write(std::int64_t run, const std::vector<MetricInfo>& metrics, const SeriesLayout& layout,
             const Series& series);
  void erase(std::int64_t run);

  /// The same for the repetitions of a point together. Writing replaces its rows.
  SeriesByRepetition read_together(std::int64_t point, std::int64_t record, std::size_t width);
  void write_together(std::int64_t point, std::int64_t record, const std::vector<MetricInfo>& metrics,
                      const SeriesLayout& layout, const SeriesByRepetition& all);

 private:
  [[noreturn]] void damaged(std::string_view what, std::int64_t id) const;

  Database& database_;
  Statement samples_, series_, insert_samples_, insert_series_, erase_samples_, erase_series_;
  Statement together_, insert_together_, erase_together_;
};

}  // namespace hearsay::analysis
