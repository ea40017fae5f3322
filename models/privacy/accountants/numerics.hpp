#pragma once
// What accountants share: checks of arguments, the root of a monotone function, the tail of the normal law.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string_view>

namespace hearsay::models {

/// Throws std::invalid_argument "<what>: expected <expected>, found <found>" unless it holds.
template <class T>
void require(bool holds, std::string_view what, std::string_view expected, const T& found) {
  if (!holds) throw std::invalid_argument(fmt::format("{}: expected {}, found {}", what, expected, found));
}
inline void require_positive(double value, std::string_view what) {
  require(value > 0 && std::isfinite(value), what, "a positive finite number", value);
}
/// The range of budgets. Outside, noise scales and losses leave the range of doubles, and no answer would be useful.
inline constexpr double kMinEpsilon = 1e-9, kMaxEpsilon = 1e15;
inline void require_epsilon(double epsilon, std::string_view what) {
  require(epsilon >= kMinEpsilon && epsilon <= kMaxEpsilon, what,
          fmt::format("a number from {:g} to {:g}", kMinEpsilon, kMaxEpsilon), epsilon);
}
inline void require_delta(double delta) {
  require(delta > 0 && delta < 1, "delta", "a number in (0, 1)", delta);
}
inline void require_rate(double q) {
  require(q > 0 && q <= 1, "sampling rate", "a number in (0, 1]", q);
}
inline void require_count(std::int64_t steps) {
  require(steps >= 0, "number of steps", "a number that is not negative", steps);
}
/// The epsilon at which a delta is computed: zero is allowed.
inline void require_epsilon_at(double epsilon) {
  require(epsilon >= 0 && std::isfinite(epsilon), "epsilon", "a finite number that is not negative", epsilon);
}

/// The constraint holds everywhere, or nowhere.
class NoCrossing : public std::domain_error {
  using std::domain_error::domain_error;
};

/// Neighbouring points, at a relative distance of about 1e-15 or the tolerance: excess(below) <= 0 <
/// excess(above).
struct Crossing {
  double below = 0, above = 0;
};

/// Where an increasing function first exceeds 0 on (0, inf), by Boost.Math's TOMS 748. `guess` > 0 is a point
/// near it; excess may be infinite. A relative tolerance of 0 means the last bit. Throws NoCrossing if there is
/// no sign change within a factor of 1e15 of the guess.
Crossing greatest_below(const std::function<double(double)>& excess, double guess, double relative_tolerance);

// The upper tail of the standard normal law without loss of relative precision, however far out.
//   Mills' ratio  R(x) = P(Z > x)/phi(x),  x >= 0;   1/(x + 1/(x + 2/(x + 3/(x + ...)))).

/// R(x) for x >= 0, decreasing from sqrt(pi/2); relative error below 1e-14.
double mills_ratio(double x);
/// R(x) - R(x + width) for x >= 0, width >= 0, without cancellation; relative error below 1e-11.
double mills_gap(double x, double width);
/// P(Z > x), any x.
double normal_tail(double x);
/// ln P(Z > x), any x; finite where the tail itself underflows.
double log_normal_tail(double x);
/// ln phi(x).
double log_normal_density(double x);

}  // namespace hearsay::models
