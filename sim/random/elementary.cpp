#include "sim/random/elementary.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace hearsay::sim {

namespace {

// sum_k coefficient(first + k) x^k, by Horner's rule.
template <std::size_t N>
double series(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (std::size_t k = N - 1; k-- > 0;) sum = sum * x + coefficients[k];
  return sum;
}

// 1/(first + k step)! for k = 0, 1, ..., with alternating signs where step is 2, as in the series of sine and cosine.
template <std::size_t N>
constexpr std::array<double, N> reciprocal_factorials(int first, int step) {
  std::array<double, N> all{};
  double factorial = 1;
  int n = 1;
  for (std::size_t k = 0; k < N; ++k) {
    for (; n <= first + static_cast<int>(k) * step; ++n) factorial *= n;
    all[k] = (step == 2 && k % 2 == 1 ? -1 : 1) / factorial;
  }
  return all;
}

// ln 2 in two parts; the first has 33 bits, so that its product with an exponent is exact.
constexpr double kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;

}  // namespace

// x = k ln 2 + r with |r| <= ln(2)/2; e^r = 1 + r + r^2 (1/2! + r/3! + ...), cut off below 2^-57.
double exponential_of(double x) {
  if (std::isnan(x)) return x;
  if (x > 709.79) return std::numeric_limits<double>::infinity();
  if (x < -745.2) return 0;
  static constexpr auto kTerms = reciprocal_factorials<12>(2, 1);
  const double k = std::nearbyint(x / std::numbers::ln2);
  const double high = x - k * kHigh, low = k * kLow, r = high - low;
  const double rounding = (high - r) - low;  // of r
  return std::ldexp(1 + (r + (r * r * series(kTerms, r) + rounding)), static_cast<int>(k));
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)); with f = m - 1 and s = f/(2 + f), ln m = 2 atanh(s)
// = f - f^2/2 + s (f^2/2 + 2 s^2 (1/3 + s^2/5 + ...)), where the first two terms carry nearly all.
double logarithm_of(double x) {
  static constexpr auto kTerms = [] {
    std::array<double, 11> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = 2.0 / (2.0 * static_cast<double>(k) + 3);
    return all;
  }();
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double k = exponent, f = m - 1, s = f / (2 + f), half = f * f / 2;
  const double rest = s * (half + s * s * series(kTerms, s * s));
  return k * kHigh - ((half - (rest + k * kLow)) - f);
}

// With u = n/2 + r, |r| <= 1/4: tan(pi r), or -1/tan(pi r) for odd n; by the series of sine and cosine on
// [-pi/4, pi/4].
double tangent_of_pi(double u) {
  static constexpr auto kSine = reciprocal_factorials<9>(1, 2), kCosine = reciprocal_factorials<9>(2, 2);
  const double n = std::nearbyint(2 * u), r = std::numbers::pi * (u - n / 2), square = r * r;
  const double sine = r * series(kSine, square), cosine = 1 - square * series(kCosine, square);
  return n == 1 ? -cosine / sine : sine / cosine;
}

double power_of(double x, double y) {
  return exponential_of(y * logarithm_of(x));
}

}  // namespace hearsay::sim
