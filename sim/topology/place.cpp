#include "sim/topology/place.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/check.hpp"

namespace hearsay::sim {

double distance(const Place& a, const Place& b) {
  check(a.geographic == b.geographic, "a place on the Earth and one in a plane have no distance");
  if (!a.geographic) return std::hypot(a.x - b.x, a.y - b.y);
  constexpr double kRadian = std::numbers::pi / 180;
  const double across = std::sin((a.x - b.x) * kRadian / 2), along = std::sin((a.y - b.y) * kRadian / 2);
  const double h = along * along + std::cos(a.y * kRadian) * std::cos(b.y * kRadian) * across * across;
  return 2 * kEarthRadius * std::asin(std::sqrt(std::min(1.0, h)));
}

}  // namespace hearsay::sim
