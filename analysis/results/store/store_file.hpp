#pragma once
// The file of a store, DIR/results.sqlite: its tables, who may write it, and whether this program can read it.
//
//   info    what was run last: axes, which of them vary together (groups), metrics, record key, the scenario,
//           its folders
//   point   one per combination of options: its key, its owners, what describes it
//   study   the points of the study that was run last, in order: number, point, labels, repetitions
//   record  what runs were asked to record: its key, metrics
//   run     one per (point, repetition, record): its outcome; lost_... by sim::LossReason
//   series  one per (run, metric, agent): a double for each sample
//   sample  one per run: four doubles for each sample: iteration, time_s, vectors, bytes
//   aggregate  in place of series and sample, with record.keep: aggregate. One per (point, record, number of the
//              sample, metric, agent): a double for each repetition, in their order. @repetition: which these are;
//              @iteration, @time_s, @vectors, @bytes: the sample of each; NaN where a run had ended before
//   scalar  numbers of a point (run is NULL) or of a run
//   timing  one per run: wall-clock time, host, order of finishing
//
// Numbers in BLOBs are little-endian doubles.
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/results/store/database.hpp"

namespace hearsay::analysis {

/// DIR/results.sqlite.
std::filesystem::path store_file(const std::filesystem::path& folder);

/// Creates a folder if there is none, and locks it (flock) until unlock_folder() or the end of the process. Throws
/// OutputError if another process has locked it. Returns the lock, -1 where the file system has none.
int make_and_lock_folder(const std::filesystem::path& folder);
void unlock_folder(int lock);

/// Opens the store of a folder to write: creates the tables of a new one, checks an old one. Throws OutputError.
std::unique_ptr<Database> open_to_write(const std::filesystem::path& folder);
/// Opens a store to read; it may be live. Throws OutputError also if there is none.
std::unique_ptr<Database> open_store(const std::filesystem::path& folder);

std::string host_name();
/// ", lost_random, ..." : the columns of the table of runs that count lost messages, each after `separator`.
std::string lost_columns(const char* separator);

}  // namespace hearsay::analysis
