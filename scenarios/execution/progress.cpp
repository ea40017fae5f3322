#include "scenarios/execution/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/tables/summary.hpp"
#include "scenarios/execution/machine.hpp"
#include "scenarios/execution/memory.hpp"
#include "scenarios/execution/workers/team.hpp"
#include "scenarios/terminal/terminal.hpp"

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

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Progress::Place Progress::standard_error() {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  return {stderr, terminal, std::chrono::milliseconds(terminal ? 200 : 10'000)};
}

Progress::Progress(ProgressStyle style, std::uint64_t to_run, std::uint64_t all, Place place,
                   const Team* team, std::chrono::steady_clock::time_point handed)
    : style_(to_run > 0 ? style : ProgressStyle::kNone),
      place_(place),
      team_(team),
      to_run_(to_run),
      all_(all),
      handed_(handed) {
  if (style_ == ProgressStyle::kJson) place_ = {place.file, false, std::chrono::seconds(1)};
  if (style_ != ProgressStyle::kNone) thread_ = std::thread([this] { work(); });
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
  if (style_ == ProgressStyle::kJson) show(json());
}

std::string Progress::ranks() const {
  if (team_ == nullptr) return {};
  const double elapsed = seconds_since(handed_);
  std::vector<std::vector<std::string>> rows{{"rank", "host", "threads", "runs", "runs/s", "busy"}};
  for (const RankRecord& r : team_->records()) {
    const double share = r.threads > 0 && elapsed > 0 ? r.busy / (r.threads * elapsed) : 0;
    rows.push_back({fmt::format("{}", r.rank), r.host, fmt::format("{}", r.threads),
                    fmt::format("{}", r.runs), fmt::format("{:.3g}", static_cast<double>(r.runs) / elapsed),
                    fmt::format("{:.1f} %", 100 * share)});
  }
  return analysis::align(rows, terminal_width(), 2);
}

void Progress::work() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, place_.pause, [this] { return stopping_; })) {
    show(style_ == ProgressStyle::kJson ? json() : line() + (place_.terminal ? "" : "\n"));
  }
}

void Progress::show(const std::string& text) const {
  if (place_.terminal) std::fputc('\r', place_.file);
  put(place_.file, text);
  std::fflush(place_.file);
}

std::string Progress::line() {
  const double elapsed = seconds_since(begin_);
  const std::uint64_t done = done_, stored = all_ - to_run_ + done;
  const double each = elapsed / static_cast<double>(done);
  std::string text =
      fmt::format("{:3.0f} %  {} of {} runs, {} events/s, {} simulated s/s, {} left, {} MB",
                  100 * static_cast<double>(stored) / static_cast<double>(all_), stored, all_,
                  short_number(static_cast<double>(events_) / elapsed), short_number(simulated_ / elapsed),
                  duration_text(each * static_cast<double>(to_run_ - done)), memory_in_use() / 1'000'000);
  if (!place_.terminal) return text;
  // Covers the line before, and is shorter than the terminal's: a line that wraps would not be overwritten.
  const std::size_t width = terminal_width(::fileno(place_.file)), most = width > 0 ? width - 1 : SIZE_MAX;
  const std::size_t covered = std::exchange(shown_, text.size());
  text.resize(std::min(std::max(text.size(), covered), most), ' ');
  return text;
}

std::string Progress::json() const {
  const double elapsed = seconds_since(begin_);
  const auto done = static_cast<double>(done_);
  nlohmann::ordered_json line{{"runs", all_},
                              {"stored", all_ - to_run_ + done_},
                              {"elapsed_s", elapsed},
                              {"left_s", elapsed / done * (static_cast<double>(to_run_) - done)},
                              {"runs_per_s", done / elapsed},
                              {"events_per_s", static_cast<double>(events_) / elapsed},
                              {"simulated_s_per_s", simulated_ / elapsed},
                              {"memory_bytes", memory_in_use()}};
  if (team_ != nullptr) {
    const double at_work = seconds_since(handed_);
    for (const RankRecord& r : team_->records()) {
      line["ranks"].push_back({{"rank", r.rank},
                               {"host", r.host},
                               {"threads", r.threads},
                               {"runs", r.runs},
                               {"runs_per_s", static_cast<double>(r.runs) / at_work},
                               {"elapsed_s", at_work},
                               {"busy_s", r.busy}});
    }
  }
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace hearsay::scenarios
