#include "models/privacy/accountants/numerics.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <numbers>

namespace hearsay::models {

namespace {

constexpr double kFurthest = 1e15;  // of the guess, as a factor
constexpr double kLastBit = 1e-15;
constexpr double kSmallest = 1e-300;
constexpr double kInfinite = 1e300;  // interpolation needs finite values

// Above it the continued fraction needs few terms, below it exp(x^2/2) erfc is exact enough.
constexpr double kFraction = 8;
// Below it R(x) - R(x + width) is an integral over an interval so short that Simpson's rule is exact enough.
constexpr double kNarrow = 5e-3;

// K(x) = 1/(x + 2/(x + 3/(x + ...))), so that R(x) = 1/(x + K(x)).
double fraction(double x) {
  // Converges like exp(-2 x sqrt(2 n)): these many terms leave less than 1e-16.
  const int terms = 8 + static_cast<int>(900 / (x * x));
  double tail = x;
  for (int k = terms; k >= 2; --k) tail = x + k / tail;
  return 1 / tail;
}

// -R'(x) = 1 - x R(x) = K(x) R(x)
double mills_slope(double x) {
  return x < kFraction ? 1 - x * mills_ratio(x) : fraction(x) / (x + fraction(x));
}

}  // namespace

Crossing greatest_below(const std::function<double(double)>& excess, double guess,
                        double relative_tolerance) {
  const auto f = [&excess](double x) { return std::clamp(excess(x), -kInfinite, kInfinite); };
  double below = guess, above = guess;
  double at_below = f(guess), at_above = at_below;
  for (double factor = 1.5; at_above <= 0; factor *= factor) {
    below = above;
    at_below = at_above;
    above *= factor;
    if (above > guess * kFurthest) throw NoCrossing(fmt::format("no solution up to {}", above));
    at_above = f(above);
  }
  for (double factor = 1.5; at_below > 0; factor *= factor) {
    above = below;
    at_above = at_below;
    below /= factor;
    if (below < guess / kFurthest) throw NoCrossing(fmt::format("no solution down to {}", below));
    at_below = f(below);
  }
  const double tolerance = std::max(relative_tolerance, kLastBit);
  // The evaluated points nearest to the crossing, on either side: the solver may return an interval with ends
  // of another sign than that of the constraint.
  Crossing crossing{below, above};
  const auto watched = [&](double x) {
    const double value = f(x);
    if (value <= 0 && x > crossing.below) crossing.below = x;
    if (value > 0 && x < crossing.above) crossing.above = x;
    return value == 0 ? -kSmallest : value;  // a zero would end the search with one side still far off
  };
  std::uintmax_t iterations = 200;
  boost::math::tools::toms748_solve(
      watched, below, above, at_below, at_above,
      [tolerance](double a, double b) {
        return std::abs(b - a) <= tolerance * std::min(std::abs(a), std::abs(b));
      },
      iterations);
  return crossing;
}

double mills_ratio(double x) {
  if (x >= kFraction) return 1 / (x + fraction(x));
  return std::sqrt(std::numbers::pi / 2) * std::exp(x * x / 2) * std::erfc(x / std::numbers::sqrt2);
}

double mills_gap(double x, double width) {
  if (width > kNarrow) return mills_ratio(x) - mills_ratio(x + width);
  return width / 6 * (mills_slope(x) + 4 * mills_slope(x + width / 2) + mills_slope(x + width));
}

double normal_tail(double x) {
  return std::erfc(x / std::numbers::sqrt2) / 2;
}

double log_normal_density(double x) {
  return -x * x / 2 - std::log(2 * std::numbers::pi) / 2;
}

double log_normal_tail(double x) {
  if (x < kFraction) return std::log(normal_tail(x));
  return log_normal_density(x) + std::log(mills_ratio(x));
}

}  // namespace hearsay::models
