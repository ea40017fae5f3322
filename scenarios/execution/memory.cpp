#include "scenarios/execution/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint64_t kNoMemoryLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t number_in(const std::filesystem::path& file) {
  std::uint64_t number = 0;
  return std::ifstream(file) >> number && number > 0 ? number : kNoMemoryLimit;
}

// The least limit of a control group and those around it. Inside a container the group's path may not be there, and the
// limit is that of the root.
std::uint64_t group_limit(const std::filesystem::path& root, const std::string& group, const char* file) {
  std::uint64_t least = number_in(root / file);
  std::filesystem::path folder = root;
  for (const auto& step : std::filesystem::path(group).relative_path()) {
    folder /= step;
    least = std::min(least, number_in(folder / file));
  }
  return least;
}

// Of version 1 or 2 of control groups.
std::uint64_t memory_of_group() {
  std::uint64_t least = kNoMemoryLimit;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controller = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controller.empty()) least = std::min(least, group_limit("/sys/fs/cgroup", path, "memory.max"));
    if (controller == "memory")
      least = std::min(least, group_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

std::uint64_t memory_of_limit(__rlimit_resource_t which) {
  rlimit limit{};
  const bool limited = ::getrlimit(which, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? limit.rlim_cur : kNoMemoryLimit;
}

}  // namespace

std::uint64_t memory_of_machine() {
  const auto all = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min({all, memory_of_group(), memory_of_limit(RLIMIT_AS), memory_of_limit(RLIMIT_DATA)});
}

std::uint64_t memory_in_use() {
  std::uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t memory_left() {
  std::uint64_t available = kNoMemoryLimit;
  std::ifstream info("/proc/meminfo");
  for (std::string name; info >> name; info.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    if (name != "MemAvailable:") continue;
    if (std::uint64_t kilobytes = 0; info >> kilobytes) available = kilobytes * 1024;
    break;
  }
  const std::uint64_t all = memory_of_machine(), used = memory_in_use();
  return std::min(available, all - std::min(all, used));
}

std::size_t room_of_run(std::size_t in_flight) {
  constexpr std::uint64_t kProgram = 16 << 20;             // without runs
  constexpr std::uint64_t kReserve = 64, kShareOfLeft = 32;  // of all memory; the threads of a process grow at a time
  const std::uint64_t left = memory_left();
  if (left < kProgram + memory_of_machine() / kReserve) throw OutOfMemory(static_cast<double>(in_flight));
  return in_flight + left / kShareOfLeft;
}

std::uint64_t peak_memory() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

void refuse_if_too_large(const Plan& plan, const MemoryEstimate& estimate, unsigned threads,
                         unsigned processes) {
  constexpr double kProgram = 20e6;
  const double there = static_cast<double>(memory_of_machine()) / processes;
  if (kProgram + estimate.total() <= there) return;
  std::string remedy = fmt::format("reduce its largest part, {}",
                                   estimate.parts.empty() ? "the program" : estimate.parts.front().name);
  if (threads > 1 && kProgram + estimate_memory(plan, 1).total() <= there) remedy = "run it with -j 1";
  throw RefusedError(fmt::format(
      "{}: expected a study that needs at most {} of memory, found one that needs about {} "
      "on {} {}{}: {}",
      plan.file, byte_text(there), estimate.text(), threads, threads == 1 ? "thread" : "threads",
      processes == 1 ? "" : fmt::format(", in each of {} processes of this machine", processes), remedy));
}

}  // namespace hearsay::scenarios
