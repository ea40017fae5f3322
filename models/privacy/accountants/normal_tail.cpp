#include "models/privacy/accountants/normal_tail.hpp"

#include <cmath>
#include <numbers>

namespace hearsay::models {

namespace {

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
