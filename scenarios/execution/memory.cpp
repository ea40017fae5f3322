#include "scenarios/execution/memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "models/data/data_facts.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/point_fit.hpp"
#include "scenarios/study/scenario.hpp"
#include "sim/topology/expected_links.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::uint64_t kNoMemoryLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t number_in(const std::filesystem::path& file) {
  std::uint64_t number = 0;
  return std::ifstream(file) >> number && number > 0 ? number : kNoMemoryLimit;
}

// The smallest limit of a control group and those around it. Inside a container the group's path may not be there, and the
// limit is that of the root.
std::uint64_t group_limit(const std::filesystem::path& root, const std::string& group, const char* file) {
  std::uint64_t smallest = number_in(root / file);
  std::filesystem::path folder = root;
  for (const auto& step : std::filesystem::path(group).relative_path()) {
    folder /= step;
    smallest = std::min(smallest, number_in(folder / file));
  }
  return smallest;
}

// Of version 1 or 2 of control groups.
std::uint64_t memory_of_group() {
  std::uint64_t smallest = kNoMemoryLimit;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controller = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (controller.empty()) smallest = std::min(smallest, group_limit("/sys/fs/cgroup", path, "memory.max"));
    if (controller == "memory")
      smallest = std::min(smallest, group_limit("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return smallest;
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

std::uint64_t peak_memory() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

std::string byte_text(double bytes) {
  return bytes >= 1e9 ? fmt::format("{:.3g} GB", bytes / 1e9) : fmt::format("{:.3g} MB", bytes / 1e6);
}

sim::Error out_of_memory(const std::string& part) {
  return {sim::Error::Kind::kOutOfMemory, part,
          fmt::format("out of memory while the {} was made; this process can use {}",
                      part.substr(part.rfind('/') + 1), byte_text(static_cast<double>(memory_of_machine())))};
}

namespace {

// Bytes that RLIMIT_DATA counts.
std::uint64_t data_in_use() {
  std::uint64_t pages = 0;  // the sixth number
  std::ifstream numbers("/proc/self/statm");
  for (int k = 0; k < 6; ++k) numbers >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryLimit::MemoryLimit(unsigned processes) {
  constexpr std::uint64_t kMinLeft = 64 << 20, kReserve = 64;  // bytes; one part of so many is left free
  ::getrlimit(RLIMIT_DATA, &before_);
  const std::uint64_t data = data_in_use(), all = memory_of_machine(), left = memory_left() / processes,
                      reserve = all / kReserve;
  if (data > all) return;  // sanitizers map more than there is
  const rlimit limit{
      std::min<rlim_t>(before_.rlim_cur, data + std::max(kMinLeft, left - std::min(left, reserve))),
      before_.rlim_max};
  ::setrlimit(RLIMIT_DATA, &limit);
}

bool MemoryLimit::near() const {
  const std::uint64_t limit = memory_of_limit(RLIMIT_DATA);
  return data_in_use() > limit / 2;
}

MemoryLimit::~MemoryLimit() {
  ::setrlimit(RLIMIT_DATA, &before_);
}

PointMemory least_memory(const Scenario& s) {
  constexpr double kNumber = sizeof(double), kLink = 16;  // both ends, and as drawn
  const auto data = models::size_of(s.data.kind(), sim::Streams(s.seed, 0));
  if (!data) return {.data = file_bytes(s)};
  return {.data = kNumber * (data->records + data->test_records) * (data->features + 1),
          .network = kLink * sim::expected_links(s.network.topology, data->owners),
          .models = kNumber * data->owners * parameters_of(s.model, *data)};
}

std::size_t largest_point(const Plan& plan, unsigned processes) {
  std::size_t largest = 0;
  PointMemory most;
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const PointMemory need = least_memory(*plan.points[p].scenario);
    if (need.total() > most.total()) largest = p, most = need;
  }
  const double there = static_cast<double>(memory_of_machine()) / processes;
  if (most.total() <= there) return largest;
  const std::pair<double, const char*> parts[]{
      {most.data, "data"}, {most.network, "network"}, {most.models, "models"}};
  throw RefusedError(fmt::format(
      "{}: expected a study that needs at most {} of memory{}, found one that needs about {}: reduce its {}",
      plan.file, byte_text(there),
      processes == 1 ? "" : fmt::format(" in each of {} processes of this machine", processes),
      byte_text(most.total()), std::ranges::max(parts).second));
}

}  // namespace hearsay::scenarios
