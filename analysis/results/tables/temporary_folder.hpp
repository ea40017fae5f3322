#pragma once
// Where unfinished files are written: a folder ".hearsay-<16 random digits>.tmp" inside the one that they are for. In it
// lies a marker, hearsay.lock, which its process keeps locked (flock). A folder of such a name is removed only by its own
// process, or with the lock of its marker held, which the process that made it has released by ending, on whatever
// machine and in whatever namespace it ran. Without a marker, or where locks do not work, nothing is removed.
#include <filesystem>
#include <string>

namespace hearsay::analysis {

class TemporaryFolder {
 public:
  /// Makes one in `folder`, which must exist, after it has removed those that ended processes have left there. Throws
  /// OutputError, with `target` as the file that cannot be written.
  TemporaryFolder(const std::filesystem::path& folder, const std::filesystem::path& target);
  /// Removes it with all that it contains. SIGINT, SIGTERM and SIGHUP, where nothing else handles them, remove it too.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace hearsay::analysis
