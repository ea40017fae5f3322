#pragma once
// Checksums (XXH3) of what a store contains, so that a changed bit is noticed when it is read: of the study, of each
// point, of each run with its numbers, of the repetitions that are stored together, of the set of a point's runs.
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "analysis/store/database.hpp"

namespace hearsay::analysis {

/// What has its own checksum. `id` and `record` below are ids of the tables of that name.
enum class Part : std::uint8_t {
  kStudy,     ///< info and study; no id
  kPoint,     ///< a point with its scalars and the names of its parameters
  kRun,       ///< a run with its point's key, series, scalars and models
  kTogether,  ///< the series of a point's repetitions; has a record
  kRuns,      ///< which runs of a point there are; has a record, and always a checksum
};

/// Stores the checksum of the rows of a part as they are now; erases it if there are none.
void seal(Database& database, Part part, std::int64_t id = 0, std::int64_t record = 0);
/// Adds a run, which is in its table, to the sealed set of its point's runs, or takes it out before it is erased there.
enum class Change : std::uint8_t { kAdded, kErased };
void change_runs(Database& database, std::int64_t run, Change change);
/// Whether a part has a checksum.
bool sealed(Database& database, Part part, std::int64_t id = 0, std::int64_t record = 0);
/// Whether the rows are those that were sealed, or there are neither rows nor a checksum.
bool intact(Database& database, Part part, std::int64_t id = 0, std::int64_t record = 0);

/// The hash by which equal texts are stored once.
std::int64_t document_hash(std::string_view text);

/// The ids of the documents whose text is not that of their hash.
std::set<std::int64_t> damaged_documents(Database& database);

/// Whether runs of one point are as they were written, with their series.
class RunCheck {
 public:
  RunCheck(Database& database, std::int64_t point) : database_(database), point_(point) {}
  /// Also whether it is the run of this repetition: an index by which it was found can be damaged too.
  bool operator()(std::int64_t run, std::int64_t repetition, std::int64_t record);
  std::int64_t point() const { return point_; }

 private:
  Database& database_;
  std::int64_t point_;
  std::map<std::int64_t, bool> together_;  // by record: read once for all repetitions
};

}  // namespace hearsay::analysis
