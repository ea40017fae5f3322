#pragma once
// The file of a store, DIR/results.sqlite: its tables, its lock, its version.
//
//   info    the study that was run last: its head (StudyHead), record key, scenario, folders
//   point   one per combination of options: its key, its owners, the key of its description
//   study   the points of the study that was run last, in order: number, point, labels, repetitions
//   run     one per (point, repetition, key of the recorded metrics): its outcome; lost_... by sim::LossReason; its
//           wall-clock time, host, order of finishing
//   series  the samples of a run (series_rows.hpp)
//   scalar  numbers of a point (run is NULL) or of a run
//   model   one per (run, agent) of a run that keeps its models: a double for each parameter
//   document  texts that points share: lists of owners, networks, names of parameters
//   checksum  one per part that has one (checksum.hpp)
//
// Numbers in BLOBs are little-endian.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/store/database.hpp"

namespace hearsay::analysis {

/// DIR/results.sqlite.
std::filesystem::path store_file(const std::filesystem::path& folder);

/// Creates a folder if there is none and locks it (flock), where the file system has locks. Throws OutputError if
/// another process has locked it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Whether a process has locked a folder; nothing where the file system does not tell. Disturbs no process that locks it
/// at the same time.
std::optional<bool> locked(const std::filesystem::path& folder);

/// Whether the store of a folder contains a study. Throws OutputError if it cannot be read.
bool has_study(const std::filesystem::path& folder);

/// Opens the store of a folder to write: creates the tables of a new one, checks an old one. Throws OutputError.
std::unique_ptr<Database> open_to_write(const std::filesystem::path& folder);
/// Opens a store to read; it may be live. Throws OutputError also if there is none.
std::unique_ptr<Database> open_store(const std::filesystem::path& folder);

/// ", lost_loss, ...": the columns of the table of runs that count lost messages.
std::string lost_columns();

}  // namespace hearsay::analysis
