#include "scenarios/execution/machine.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "scenarios/terminal/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// Signal handlers can only use statics.
std::atomic<bool> interrupt_flag = false;
std::atomic<void (*)()> embedder = nullptr;
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<void (*)()>::is_always_lock_free);

extern "C" void on_signal(int signal) {
  interrupt_flag = true;
  if (auto* const interrupted = embedder.load()) return interrupted();
  std::signal(signal, SIG_DFL);
}

}  // namespace

std::size_t terminal_width(int descriptor) {
  const char* columns = std::getenv("COLUMNS");
  if (columns != nullptr && std::atoi(columns) > 0) return static_cast<std::size_t>(std::atoi(columns));
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string host() {
  utsname name{};
  return ::uname(&name) == 0 ? fmt::format("{} {} {}", name.sysname, name.release, name.machine) : "unknown";
}

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
  }
  return "unknown";
}

InterruptGuard::InterruptGuard()
    : interrupt_((interrupt_flag = false, std::signal(SIGINT, on_signal))),
      terminate_(std::signal(SIGTERM, on_signal)) {
  if (embedder != nullptr) return;
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
  std::signal(SIGINT, interrupt_);
  std::signal(SIGTERM, terminate_);
}

void InterruptGuard::embed(void (*interrupted)()) {
  embedder = interrupted;
}

const std::atomic<bool>& InterruptGuard::flag() {
  return interrupt_flag;
}

}  // namespace hearsay::scenarios
