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
#include <string_view>
#include <utility>

#include "analysis/store/output_file.hpp"

namespace hearsay::analysis {

namespace {

constexpr const char* kMarker = "hearsay.lock";
constexpr std::size_t kDigits = 16;

// The paths of the folders of this process, for its signal handler.
std::array<std::atomic<const char*>, 32> own_folders{};

// Calls only what a signal handler may call.
void remove_flat(const char* path) {
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  struct Entry {  // of the kernel
    std::uint64_t inode, offset;
    unsigned short length;
    unsigned char type;
    char name[1];
  };
  alignas(Entry) char block[4096];
  for (long size; (size = ::syscall(SYS_getdents64, folder, block, sizeof block)) > 0;) {
    for (long at = 0; at < size; at += reinterpret_cast<const Entry*>(block + at)->length)
      ::unlinkat(folder, reinterpret_cast<const Entry*>(block + at)->name, 0);
  }
  ::close(folder);
  ::rmdir(path);
}

extern "C" void end_by_signal(int signal) {
  for (const auto& path : own_folders)
    if (const char* own = path.load()) remove_flat(own);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Replaces one of own_folders; where they are too many, signals leave some behind.
void replace_own(const char* before, const char* now) {
  for (auto& slot : own_folders) {
    const char* expected = before;
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

// The marker last: by it a folder that could not be emptied is known.
void remove_folder(const std::filesystem::path& folder) {
  std::error_code error;
  bool emptied = true;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().filename() != kMarker) emptied &= ::unlink(entry.path().c_str()) == 0;
  if (emptied && ::unlink((folder / kMarker).c_str()) == 0) ::rmdir(folder.c_str());
}

bool is_own_name(std::string_view name) {
  constexpr std::string_view kBegin = ".hearsay-", kEnd = ".tmp";
  if (name.size() != kBegin.size() + kDigits + kEnd.size() || !name.starts_with(kBegin) ||
      !name.ends_with(kEnd))
    return false;
  return name.substr(kBegin.size(), kDigits).find_first_not_of("0123456789abcdef") == name.npos;
}

void remove_abandoned(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!is_own_name(entry.path().filename().string()) ||
        !std::filesystem::is_directory(entry.symlink_status(error)))
      continue;
    const int lock = ::open((entry.path() / kMarker).c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (lock < 0 && errno == ENOENT) ::rmdir(entry.path().c_str());  // if it is empty: nothing is lost
    if (lock < 0) continue;
    if (::flock(lock, LOCK_EX | LOCK_NB) == 0) remove_folder(entry.path());
    ::close(lock);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::filesystem::path& folder, const std::filesystem::path& target) {
  remove_abandoned(folder);
  handle_signals();
  std::random_device random;
  do {
    path_ = folder / fmt::format(".hearsay-{:08x}{:08x}.tmp", random(), random());
    replace_own(nullptr, path_.c_str());
    const bool made = ::mkdir(path_.c_str(), 0700) == 0;
    if (made) lock_ = ::open((path_ / kMarker).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (lock_ >= 0 || (made && errno == ENOENT)) continue;
    const int code = errno;
    replace_own(path_.c_str(), nullptr);
    if (made) ::rmdir(path_.c_str());
    throw OutputError(fmt::format("{}: cannot be written: {}", target.string(), std::strerror(code)));
  } while (!take_lock());
}

// Before it was locked or had its marker, another process can have taken the folder for an abandoned one.
bool TemporaryFolder::take_lock() {
  struct stat marker {};
  const bool taken = ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!taken && ::fstat(lock_, &marker) == 0 && marker.st_nlink > 0) return true;
  replace_own(path_.c_str(), nullptr);
  ::close(std::exchange(lock_, -1));
  return false;
}

TemporaryFolder::~TemporaryFolder() {
  replace_own(path_.c_str(), nullptr);
  remove_folder(path_);
  ::close(lock_);
}

}  // namespace hearsay::analysis
