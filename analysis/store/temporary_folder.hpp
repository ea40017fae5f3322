#pragma once
// Where unfinished files are written: a folder ".hearsay-<16 random digits>.tmp" inside the one that they are for. It
// contains a marker, hearsay.lock, which its process keeps locked (flock). Only its own process removes it, or one that
// has got the lock of its marker, which the first has released by ending, in whatever namespace it ran. Without marker
// only an empty one is removed, and where locks do not work none.
#include <filesystem>
#include <string>

namespace hearsay::analysis {

class TemporaryFolder {
 public:
  /// Makes one in `folder`, which must exist, after it has removed those that ended processes have left there. Throws
  /// OutputError, with `target` as the file that cannot be written.
  TemporaryFolder(const std::filesystem::path& folder, const std::filesystem::path& target);
  /// Removes it with the files that it contains. So do SIGINT, SIGTERM and SIGHUP, where nothing else handles them.
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  bool take_lock();
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace hearsay::analysis
