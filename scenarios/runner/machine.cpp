#include "scenarios/runner/machine.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>

#include "scenarios/runner/errors.hpp"
#include "scenarios/runner/plan.hpp"
#include "scenarios/runner/scenario.hpp"
#include "scenarios/runner/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// Signal handlers can only use statics.
std::atomic<bool> interrupt_flag = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  interrupt_flag = true;
  std::signal(signal, SIG_DFL);
}

// Bytes of the data of one problem; 0 if the options do not determine them.
template <class Kind>
double data_bytes(const Kind& kind, std::uint64_t seed) {
  if constexpr (requires(const sim::Streams& streams) {
                  kind.records.size(kind.owners, streams);
                  kind.features;
                }) {
    const std::size_t sampled = std::min<std::size_t>(kind.owners, 1000);
    double records = 0;
    for (std::size_t i = 0; i < sampled; ++i)
      records += static_cast<double>(kind.records.size(i, sim::Streams(seed, 0)));
    records *= static_cast<double>(kind.owners) / static_cast<double>(sampled);
    return records * static_cast<double>(kind.features + 1) * sizeof(double);
  } else if constexpr (requires { kind.path.resolved; }) {
    std::error_code error;
    const auto size = std::filesystem::file_size(kind.path.resolved, error);
    return error ? 0 : 2 * static_cast<double>(size);
  } else {
    return 0;
  }
}

}  // namespace

std::uint64_t memory_of_machine() {
  const auto all = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t group = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> group && group > 0) return std::min(all, group);
  return all;
}

std::uint64_t memory_in_use() {
  std::uint64_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t peak_memory() {
  rusage usage{};
  return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

std::size_t terminal_width() {
  const char* columns = std::getenv("COLUMNS");
  if (columns != nullptr && std::atoi(columns) > 0) return static_cast<std::size_t>(std::atoi(columns));
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string host() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "unknown";
}

double estimate_memory(const Plan& plan, unsigned threads) {
  constexpr double kPoint = 8192;  // options, labels, keys and description of a point
  constexpr double kRun = 32;      // state of a run before it is made
  std::set<std::string> seen;
  double largest = 0;
  for (const PlannedPoint& p : plan.points) {
    if (!seen.insert(p.problem_key).second) continue;
    largest =
        std::max(largest, std::visit([&](const auto& kind) { return data_bytes(kind, p.scenario->seed); },
                                     p.scenario->data.kind()));
  }
  const double held = std::min<double>(static_cast<double>(seen.size()), std::max(8.0, 2.0 * threads));
  return kPoint * static_cast<double>(plan.points.size()) + kRun * static_cast<double>(plan.runs()) +
         largest * held;
}

void refuse_if_too_large(const Plan& plan, unsigned threads) {
  const double needed = estimate_memory(plan, threads);
  const auto there = static_cast<double>(memory_of_machine());
  if (needed <= there) return;
  throw RefusedError(
      fmt::format("{}: {} points, {} runs need about {:.3g} GB of memory, the machine has {:.3g} GB",
                  plan.file, plan.points.size(), plan.runs(), needed / 1e9, there / 1e9));
}

InterruptGuard::InterruptGuard() {
  interrupt_flag = false;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  watch_ = std::jthread([](const std::stop_token& ended) {
    constexpr std::chrono::milliseconds kStep{20};
    std::mutex mutex;
    std::condition_variable_any waiting;
    std::unique_lock lock(mutex);
    // Until `ended`, or for that long.
    const auto wait = [&](std::chrono::milliseconds time) {
      waiting.wait_for(lock, ended, time, [] { return false; });
    };
    while (!ended.stop_requested() && !interrupt_flag) wait(kStep);
    wait(kGrace);
    if (ended.stop_requested()) return;
    print_error("hearsay: interrupted in the middle of a computation; run the same command to resume\n");
    std::_Exit(128 + SIGINT);
  });
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::flag() {
  return interrupt_flag;
}

}  // namespace hearsay::scenarios
