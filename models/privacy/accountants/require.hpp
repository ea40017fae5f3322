#pragma once
// Checks of arguments: one line that says what was expected and what was found.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hearsay::models {

inline void require_positive(double value, std::string_view what) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw std::invalid_argument(fmt::format("{} must be a positive finite number, got {}", what, value));
  }
}

/// A probability of failure that a theorem divides by: 0 < delta < 1.
inline void require_delta(double delta) {
  if (!(delta > 0 && delta < 1)) {
    throw std::invalid_argument(fmt::format("delta must lie strictly between 0 and 1, got {}", delta));
  }
}

inline void require_rate(double q) {
  if (!(q > 0 && q <= 1)) {
    throw std::invalid_argument(fmt::format("the sampling rate must lie in (0, 1], got {}", q));
  }
}

inline void require_count(std::int64_t steps) {
  if (steps < 0)
    throw std::invalid_argument(fmt::format("the number of steps must not be negative, got {}", steps));
}

/// An epsilon at which a delta is asked for: zero is allowed.
inline void require_epsilon_at(double epsilon) {
  if (!(epsilon >= 0) || !std::isfinite(epsilon)) {
    throw std::invalid_argument(
        fmt::format("epsilon must be a finite number that is not negative, got {}", epsilon));
  }
}

}  // namespace hearsay::models
