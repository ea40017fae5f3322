#pragma once
// The progress of a study: a line that is updated in place on a terminal, else a line every ten seconds.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include "analysis/store/study.hpp"

namespace hearsay::scenarios {

class Team;

/// None, text for people, or a line of JSON every second.
enum class ProgressStyle : std::uint8_t { kNone, kLine, kJson };

class Progress {
 public:
  struct Place {
    std::FILE* file;
    bool terminal;
    std::chrono::milliseconds pause;  ///< between lines
  };
  /// Standard error: every 0.2 s on a terminal, else every 10 s.
  static Place standard_error();

  /// `to_run` of `all` runs are to be made, by the ranks of a team if it is not null, which has had the plan since
  /// `handed`.
  Progress(ProgressStyle style, std::uint64_t to_run, std::uint64_t all, Place place = standard_error(),
           const Team* team = nullptr,
           std::chrono::steady_clock::time_point handed = std::chrono::steady_clock::now());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void finished(const analysis::RunResult& run);
  /// Prints the final line of the terminal, or of JSON.
  void stop();
  /// A line for each rank of the team: host, threads, runs, runs/s, and the share of the time of its threads that runs and
  /// the assembling of points took; empty without a team.
  std::string ranks() const;

 private:
  void work();
  void show(const std::string& text) const;
  std::string line();
  std::string json() const;

  ProgressStyle style_;
  Place place_;
  const Team* team_;
  std::uint64_t to_run_, all_;
  std::chrono::steady_clock::time_point handed_;  // ranks are busy before runs begin: they assemble points
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> done_ = 0, events_ = 0;
  std::atomic<double> simulated_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::size_t shown_ = 0;  // characters of the line on the terminal
  std::thread thread_;
};

}  // namespace hearsay::scenarios
