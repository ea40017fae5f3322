#pragma once
// Checksums (XXH3) of what a store contains, so that a changed bit is noticed when it is read: of the study, of each
// point, of each run with its numbers, of the set of a point's runs. A document has its hash as its id.
#include <cstdint>
#include <set>
#include <string_view>

#include "analysis/store/database.hpp"

namespace hearsay::analysis {

/// What has its own checksum. `id` below is that of a point or run.
enum class Part : std::uint8_t {
  kStudy,  ///< info and study; no id
  kPoint,  ///< a point with its scalars
  kRun,    ///< a run with its point's key, series, scalars and models
  kRuns,   ///< which runs of a point there are; always has a checksum
};

/// Stores the checksum of the rows of a part as they are now; erases it if there are none.
void seal(Database& database, Part part, std::int64_t id = 0);
/// Adds a run, which is in its table, to the sealed set of its point's runs, or takes it out before it is erased there.
enum class Change : std::uint8_t { kAdded, kErased };
void change_runs(Database& database, std::int64_t run, Change change);
/// Whether the rows are those that were sealed, or there are neither rows nor a checksum.
bool intact(Database& database, Part part, std::int64_t id = 0);
/// Whether a run is as it was written, and that of this point, repetition and record: an index by which it was found can
/// be damaged too.
bool intact_run(Database& database, std::int64_t run, std::int64_t point, std::int64_t repetition,
                std::string_view record);

/// The id of a text that points share.
std::int64_t document_id(std::string_view text);
/// The ids of the documents that have the text of their id.
std::set<std::int64_t> intact_documents(Database& database);

}  // namespace hearsay::analysis
