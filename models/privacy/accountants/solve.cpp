#include "models/privacy/accountants/solve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>

namespace hearsay::models {

namespace {
constexpr double kFurthest = 1e15;
constexpr double kLastBit = 1e-15;
constexpr double kSmallest = 1e-300;
constexpr double kInfinite = 1e300;  // interpolation needs finite values
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
  // The evaluated points nearest to the crossing, on either side: the solver may return an interval whose
  // ends it has not judged by the sign that counts here, that of the constraint.
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

}  // namespace hearsay::models
