#pragma once
// Errors. Invariants are checked in every build: after a violation, a run would give plausible but wrong numbers.
#include <fmt/format.h>

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

inline void check(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    throw InvariantError(what);
}

}  // namespace hearsay::sim
