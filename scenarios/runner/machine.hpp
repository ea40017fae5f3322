#pragma once
// What the machine has and gives.
#include <atomic>
#include <cstdint>
#include <string>

#include "scenarios/runner/plan.hpp"

namespace hearsay::scenarios {

/// Bytes of memory that this process may use: the machine's, or its control group's if that is less.
std::uint64_t memory_of_machine();
/// Bytes that it uses now, and the most that it has used.
std::uint64_t memory_in_use();
std::uint64_t peak_memory();
/// System, release and processor.
std::string host();

/// About how many bytes a study takes: its points, the data that are held at a time, and a run on each
/// thread. Counts what the options say; networks and models of agents are left out where their number comes
/// from data.
double estimate_memory(const Plan& plan, unsigned threads);
/// Throws RefusedError if that is more than the machine has.
void refuse_if_too_large(const Plan& plan, unsigned threads);

/// While it lives, SIGINT and SIGTERM only raise a flag; the second SIGINT ends the process as ever.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  const std::atomic<bool>& flag() const;
};

}  // namespace hearsay::scenarios
