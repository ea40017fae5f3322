#include "scenarios/runner/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "scenarios/runner/machine.hpp"
#include "scenarios/runner/memory.hpp"
#include "scenarios/runner/terminal.hpp"

namespace hearsay::scenarios {

namespace {

// "1.2k", "34M".
std::string short_number(double x) {
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  int unit = 0;
  while (std::abs(x) >= 1000 && unit < 4) {
    x /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g}{}", x, kUnits[unit]);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

Progress::Place Progress::standard_error() {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  return {stderr, terminal, std::chrono::milliseconds(terminal ? 200 : 10'000)};
}

Progress::Progress(bool wanted, std::uint64_t to_run, std::uint64_t all, Place place)
    : wanted_(wanted && to_run > 0), place_(place), to_run_(to_run), all_(all) {
  if (wanted_) thread_ = std::thread([this] { work(); });
}

Progress::~Progress() {
  stop();
}

void Progress::finished(const analysis::RunResult& run) {
  ++done_;
  events_ += run.events;
  simulated_ = simulated_ + run.time;
}

void Progress::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
  if (place_.terminal) show(line() + "\n");
}

void Progress::work() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, place_.pause, [this] { return stopping_; })) {
    show(line() + (place_.terminal ? "" : "\n"));
  }
}

void Progress::show(const std::string& text) const {
  if (place_.terminal) std::fputc('\r', place_.file);
  put(place_.file, text);
  std::fflush(place_.file);
}

std::string Progress::line() const {
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const auto done = static_cast<double>(done_);
  const auto all = static_cast<double>(to_run_);
  return fmt::format("{:3.0f} %  {} of {} runs, {} events/s, {} simulated s/s, {} left, {} MB  ",
                     100 * done / all, all_ - to_run_ + done_, all_,
                     short_number(static_cast<double>(events_) / elapsed), short_number(simulated_ / elapsed),
                     duration(elapsed / done * (all - done)), memory_in_use() / 1'000'000);
}

}  // namespace hearsay::scenarios
