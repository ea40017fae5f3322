#pragma once
// The series of runs as rows of the store: of one run, or of all repetitions of a point together.
//
// Together (record.keep: aggregate) there is one row per sample and number: a BLOB with that number in every
// repetition, in their order, so that statistics over repetitions read one BLOB. Iteration, time, vectors and bytes of
// the samples are stored like metrics, so that the series of each run can be restored.
#include <cstdint>
#include <map>

#include "analysis/store/database.hpp"
#include "analysis/store/study.hpp"

namespace hearsay::analysis {

using SeriesByRepetition = std::map<std::uint32_t, Series>;

/// Empty if the run has no rows. Throws OutputError if they are damaged.
Series read_series(Database& database, std::int64_t run, std::size_t width);
void write_series(Database& database, std::int64_t run, const std::vector<MetricInfo>& metrics,
                  const SeriesLayout& layout, const Series& series);
void erase_series(Database& database, std::int64_t run);

/// The same for the repetitions of a point together. Writing replaces its rows.
SeriesByRepetition read_together(Database& database, std::int64_t point, std::int64_t record,
                                 std::size_t width);
void write_together(Database& database, std::int64_t point, std::int64_t record,
                    const std::vector<MetricInfo>& metrics, const SeriesLayout& layout,
                    const SeriesByRepetition& all);

}  // namespace hearsay::analysis
