#pragma once
// Invariants, checked in every build: a simulator that continues after one is broken prints plausible numbers.
#include <stdexcept>
#include <string>

namespace hearsay::sim {

/// A broken invariant: a defect of the program, never of its input.
struct InvariantError : std::logic_error {
  using std::logic_error::logic_error;
};

inline void check(bool holds, const char* what) {
  if (!holds) [[unlikely]]
    throw InvariantError(what);
}

}  // namespace hearsay::sim
