#pragma once
// The memory, processor and signals of this machine.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

namespace hearsay::scenarios {

struct Plan;

/// Bytes of memory that this process can use: of the machine, or of its control group if that has less.
std::uint64_t memory_of_machine();
/// Bytes that it uses now, and its maximum.
std::uint64_t memory_in_use();
std::uint64_t peak_memory();
/// Characters in a line of the terminal: COLUMNS, or that of standard output; 0 if it is no terminal.
std::size_t terminal_width();
/// System, release and processor.
std::string host();

/// Estimate of the bytes that a study needs for its points, its runs and the data in memory at a time; without networks
/// and models.
double estimate_memory(const Plan& plan, unsigned threads);
/// Throws RefusedError if that is more than the machine has.
void refuse_if_too_large(const Plan& plan, unsigned threads);

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

 private:
  std::jthread watch_;
};

}  // namespace hearsay::scenarios
