#pragma once
// The series of a run in the store: rows of whole samples, of 1 MB unless one sample is larger. A sample is its iteration,
// time, vectors, bytes and messages, then its values, in 8 bytes each: counts as whole numbers, the others as doubles.
#include <cstdint>

#include "analysis/store/database.hpp"
#include "analysis/store/study.hpp"

namespace hearsay::analysis {

inline constexpr std::size_t kSeriesBlock = 1 << 17;  ///< a row with so many numbers is full

/// `width` values belong to a sample.
void write_series(Database& database, std::int64_t run, const Series& series, std::size_t width);
/// Empty if the run has no rows. Throws OutputError if they do not consist of samples of that width.
Series read_series(Database& database, std::int64_t run, std::size_t width);

}  // namespace hearsay::analysis
