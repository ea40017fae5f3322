#pragma once
// The files that a scenario can read: only those under a few folders, links followed.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace hearsay::scenarios {

/// Folders that a scenario can read files from, besides its own: --data-dir and --allow-path.
using Folders = std::vector<std::filesystem::path>;

/// Their canonical paths, each once, without those that do not exist; an empty one is the current folder.
Folders real_folders(const Folders& folders);

/// Whether a canonical path is one of these real_folders(), or lies below one.
bool lies_under(const std::filesystem::path& path, const Folders& roots);

/// Finds the file `written`, relative to `home` (the folder of the file that names it), then to each of `folders`.
/// The file must lie under one of them after links are followed. Returns its canonical path; throws
/// std::runtime_error. The message does not depend on whether a file outside the folders exists.
std::filesystem::path find_input(const std::string& written, const std::filesystem::path& home,
                                 const Folders& folders);

/// The text of a regular file of at most `max_bytes`; a folder, FIFO or device is refused without opening it. Throws
/// std::runtime_error.
std::string read_text_file(const std::filesystem::path& path, std::size_t max_bytes);

}  // namespace hearsay::scenarios
