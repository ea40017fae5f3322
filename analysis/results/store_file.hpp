#pragma once
// The file that a store is in: who may write it, and whether it is one of ours.
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/results/store.hpp"

namespace hearsay::analysis {

/// Makes a folder if it is not there, and keeps other processes from doing the same until it is unlocked: a
/// lock on the folder itself (flock), which leaves no file behind and ends with the process. Throws
/// OutputError. Gives the lock, -1 where the file system has none.
int make_and_lock_folder(const std::filesystem::path& folder);
void unlock_folder(int lock);

/// Makes the tables of a new database, checks those of an old one, and sets how it is written.
void prepare_to_write(Database& database, const std::filesystem::path& folder);
/// Throws OutputError unless it is a store that this program can read.
void check_version(Database& database);

std::string host_name();
/// {"privacy.epsilon":"0.1",...}, in the order of the axes.
std::string labels_text(const std::vector<std::string>& axes, const std::vector<std::string>& labels);
std::string metric_names(const StudyHead& head);

}  // namespace hearsay::analysis
