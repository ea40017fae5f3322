#include "analysis/results/tables/temporary_folder.hpp"

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

#include "analysis/results/tables/output_file.hpp"

namespace hearsay::analysis {

namespace {

constexpr const char* kMarker = "hearsay.lock";
constexpr std::size_t kDigits = 16;
constexpr std::string_view kMarkerText =
    "This folder holds unfinished files of hearsay. If no process has locked this file, it can be removed.\n";

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

// A descriptor of the marker with its lock; -1 if there is none or a process has it.
int take_lock(const std::filesystem::path& marker) {
  const int file = ::open(marker.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return -1;
  std::array<char, kMarkerText.size() + 1> text{};
  const bool ours = ::read(file, text.data(), text.size()) == static_cast<::ssize_t>(kMarkerText.size()) &&
                    std::string_view(text.data(), kMarkerText.size()) == kMarkerText;
  if (ours && ::flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  ::close(file);
  return -1;
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
    const int lock = take_lock(entry.path() / kMarker);
    if (lock < 0) continue;
    std::filesystem::remove_all(entry.path(), error);
    ::close(lock);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::filesystem::path& folder, const std::filesystem::path& target) {
  remove_abandoned(folder);
  bool made = false;
  const auto require = [&](bool done) {
    if (done) return;
    const int code = errno;
    replace_own(path_.c_str(), nullptr);
    if (lock_ >= 0) ::close(lock_);
    if (made) remove_flat(path_.c_str());
    throw OutputError(fmt::format("{}: cannot be written: {}", target.string(), std::strerror(code)));
  };
  std::random_device random;
  path_ = folder / fmt::format(".hearsay-{:08x}{:08x}.tmp", random(), random());
  replace_own(nullptr, path_.c_str());
  handle_signals();
  require(made = ::mkdir(path_.c_str(), 0700) == 0);
  lock_ = ::open((path_ / kMarker).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  require(lock_ >= 0);
  // The lock first: by its text others know the marker. Without locks it has none, and nobody removes the folder.
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) {
    errno = ENOSPC;  // of a write that is too short
    require(::write(lock_, kMarkerText.data(), kMarkerText.size()) ==
            static_cast<::ssize_t>(kMarkerText.size()));
  }
}

TemporaryFolder::~TemporaryFolder() {
  replace_own(path_.c_str(), nullptr);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  ::close(lock_);
}

}  // namespace hearsay::analysis
