#pragma once
#include <filesystem>
#include <vector>

namespace hearsay::scenarios {

/// Folders that a scenario may read files from, besides its own.
struct ReadOptions {
  std::vector<std::filesystem::path> data_dirs;    ///< --data-dir: files are also searched for here
  std::vector<std::filesystem::path> allow_paths;  ///< --allow-path: likewise
};

}  // namespace hearsay::scenarios
