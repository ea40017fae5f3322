#pragma once
#include <stdexcept>

namespace hearsay::scenarios {

/// A study that is too large for its limits or the machine; what() has the numbers.
struct RefusedError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace hearsay::scenarios
