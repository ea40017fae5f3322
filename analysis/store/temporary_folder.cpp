#include "analysis/store/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <random>
#include <regex>
#include <utility>

#include "analysis/store/output_file.hpp"

namespace hearsay::analysis {

namespace {

// Those of this process, for its signal handler.
std::array<std::atomic<const TemporaryFolder*>, 32> own_folders{};

// The marker last: by it a folder that could not be emptied is known.
void remove_emptied(const char* folder, const char* marker) {
  if (::rmdir(folder) == 0 || errno == ENOENT) ::unlink(marker);
}

// Calls only what a signal handler may call.
void remove_flat(const char* path, const char* marker) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct Entry {  // of the kernel
    std::uint64_t inode, offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  alignas(Entry) char block[4096];
  for (long size; folder >= 0 && (size = ::syscall(SYS_getdents64, folder, block, sizeof block)) > 0;) {
    for (long at = 0; at < size; at += reinterpret_cast<const Entry*>(block + at)->length)
      ::unlinkat(folder, reinterpret_cast<const Entry*>(block + at)->name, 0);
  }
  ::close(folder);
  remove_emptied(path, marker);
}

extern "C" void end_by_signal(int signal) {
  for (const auto& folder : own_folders)
    if (const TemporaryFolder* own = folder.load()) own->remove();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Replaces one of own_folders; where they are too many, signals leave some behind.
void replace_own(const TemporaryFolder* before, const TemporaryFolder* now) {
  for (auto& slot : own_folders) {
    const TemporaryFolder* expected = before;
    if (slot.compare_exchange_strong(expected, now)) return;
  }
}

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
      std::signal(signal, end_by_signal);
  }
}

void remove_folder(const std::filesystem::path& folder, const std::filesystem::path& marker) {
  std::error_code error;
  if (std::filesystem::is_directory(std::filesystem::symlink_status(folder, error)))
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
      ::unlink(entry.path().c_str());
  remove_emptied(folder.c_str(), marker.c_str());
}

// Before a marker is locked, another process can take it for an abandoned one.
bool take_lock(int marker) {
  struct stat now {};
  const bool taken = ::flock(marker, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  return !taken && ::fstat(marker, &now) == 0 && now.st_nlink > 0;
}

}  // namespace

void remove_abandoned(const std::filesystem::path& folder) {
  static const std::regex kMarker("\\.hearsay-[0-9a-f]{16}\\.lock");
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!std::regex_match(entry.path().filename().string(), kMarker) || entry.file_size(error) != 0) continue;
    const int lock = ::open(entry.path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock < 0) continue;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0)
      remove_folder(std::filesystem::path(entry.path()).replace_extension(".tmp"), entry.path());
    ::close(lock);
  }
}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& folder, const std::filesystem::path& target) {
  remove_abandoned(folder);
  handle_signals();
  std::random_device random;
  do {
    leave();
    path_ = folder / fmt::format(".hearsay-{:08x}{:08x}.tmp", random(), random());
    marker_ = std::filesystem::path(path_).replace_extension(".lock");
    replace_own(nullptr, this);
    lock_ = ::open(marker_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  } while (lock_ >= 0 && !take_lock(lock_));
  if (lock_ >= 0 && ::mkdir(path_.c_str(), 0700) == 0) return;
  const int code = errno;
  if (lock_ >= 0) ::unlink(marker_.c_str());
  leave();
  throw OutputError(fmt::format("{}: cannot be written: {}", target.string(), std::strerror(code)));
}

void TemporaryFolder::leave() {
  replace_own(this, nullptr);
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

void TemporaryFolder::remove() const {
  remove_flat(path_.c_str(), marker_.c_str());
}

TemporaryFolder::~TemporaryFolder() {
  remove_folder(path_, marker_);
  leave();
}

}  // namespace hearsay::analysis
