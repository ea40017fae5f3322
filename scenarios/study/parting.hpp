#pragma once
// Where the branches of a run part.
#include <cstdint>
#include <limits>
#include <string>

#include "sim/time.hpp"

namespace hearsay::scenarios {

/// Before the first event at a time, or after the event that completes an iteration.
struct Parting {
  static constexpr std::uint64_t kNoIteration = std::numeric_limits<std::uint64_t>::max();

  sim::Time time = sim::kNever;  ///< s; kNever: at the iteration
  std::uint64_t iteration = kNoIteration;

  bool by_time() const { return time < sim::kNever; }
  /// "12 s", "iteration 500".
  std::string text() const;
};

/// Of an event of a branch that happens when branches part at an iteration, until that time is known, s.
inline constexpr sim::Time kAtParting = std::numeric_limits<sim::Time>::denorm_min();

}  // namespace hearsay::scenarios
