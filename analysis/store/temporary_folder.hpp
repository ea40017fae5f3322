#pragma once
// Where unfinished files are written: a folder ".hearsay-<16 random digits>.tmp" inside the one that they are for. Its
// marker, an empty file ".hearsay-<digits>.lock", is there before it and after it, and its process keeps it locked (flock).
// Only that process removes it, or one that has got the lock, which the first has released by ending, in whatever
// namespace it ran. Without marker, or where locks do not work, it stays.
#include <filesystem>
#include <string>

namespace hearsay::analysis {

/// Removes those that ended processes have left in a folder.
void remove_abandoned(const std::filesystem::path& folder);

class TemporaryFolder {
 public:
  /// Makes one in `folder`, which must exist, after remove_abandoned(). Throws OutputError, with `target` as the file that
  /// cannot be written.
  TemporaryFolder(const std::filesystem::path& folder, const std::filesystem::path& target);
  /// Removes it with the files that it contains. So do SIGINT, SIGTERM and SIGHUP, where nothing else handles them.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

  void remove() const;  ///< calls only what a signal handler may call

 private:
  void leave();
  std::filesystem::path path_, marker_;
  int lock_ = -1;
};

}  // namespace hearsay::analysis
