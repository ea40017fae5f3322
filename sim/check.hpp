#pragma once
// Errors. Invariants are checked in every build: after a violation, a run would give plausible but wrong numbers.
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace hearsay::sim {

/// A violated invariant: a defect of the program, not of its input.
struct InvariantError : std::logic_error {
  using std::logic_error::logic_error;
};

/// An error whose message, for the user, is given by a format string and its arguments.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
  template <class First, class... Rest>
  UserError(fmt::format_string<First, Rest...> message, First&& first, Rest&&... rest)
      : std::runtime_error(fmt::format(message, std::forward<First>(first), std::forward<Rest>(rest)...)) {}
};

/// A run that reaches a limit of the program (listed in docs/reproducibility.md) and fails, instead of going on with
/// numbers that have wrapped.
struct LimitError : UserError {
  using UserError::UserError;
};

/// Largest number that counters of a run reach. The one above it means "none".
inline constexpr std::uint32_t kLargestNumber = std::numeric_limits<std::uint32_t>::max() - 1;

/// The number `steps` after `last`. `what` is counted, in the plural. Throws LimitError above kLargestNumber.
inline std::uint32_t next_number(std::uint64_t last, const char* what, std::uint64_t steps = 1) {
  if (last + steps > kLargestNumber) [[unlikely]]
    throw LimitError("expected at most {} {} in one run; make the run shorter", kLargestNumber, what);
  return static_cast<std::uint32_t>(last + steps);
}

inline void check(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    throw InvariantError(what);
}

}  // namespace hearsay::sim
