#pragma once
// The terminal, processor and signals of this machine.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>

namespace hearsay::scenarios {

/// Characters in a line of the terminal: COLUMNS, or those of an open file, by default standard output; 0 if it is no
/// terminal.
std::size_t terminal_width(int descriptor = 1);
/// System, release and processor.
std::string host();
/// The processor's name as the kernel gives it; "unknown" if it does not.
std::string processor_name();

/// During its lifetime, SIGINT and SIGTERM set a flag, which runs look at. If it still exists kGrace later, because a
/// computation does not look at the flag, the process ends with exit code 130, as it does at a second signal. Only one at
/// a time.
class InterruptGuard {
 public:
  static constexpr std::chrono::milliseconds kGrace{400};

  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  static const std::atomic<bool>& flag();
  /// Of a process that has more to do than this study, and is never ended, however long the study takes to stop: what is
  /// called at an interrupt, by the signal handler. Null: the process is the study's own.
  static void embed(void (*interrupted)());

 private:
  using Handler = void (*)(int);
  Handler interrupt_, terminate_;  // before
  std::jthread watch_;
};

}  // namespace hearsay::scenarios
