#pragma once
// A loss: Huber's, for regression with outliers. With the residual r = s - y and a width w,
//
//   r^2 for |r| <= w,   2 w |r| - w^2 beyond
//
// Huber, "Robust estimation of a location parameter" (1964), scaled so that it is the squared loss in the middle. Its
// slope is bounded by 2 w, so that norm_1 of a record's gradient is at most 2 w norm_1(x), whatever y and theta are.
#include <algorithm>
#include <cmath>

#include "sim/options/describe.hpp"

namespace hearsay::models {

struct HuberLoss {
  static constexpr std::string_view kName = "huber";
  static constexpr std::string_view kHelp =
      "Squared residual up to a width w, linear beyond; for regression.";
  static constexpr bool kClassifier = false, kQuadratic = false, kTwiceDifferentiable = false,
                        kAttained = true;
  double width = 1;  ///< w, in units of the target
  void describe(sim::Visitor& v) {
    v(width, sim::positive("width", "Largest residual with a quadratic loss, in units of the target."));
  }
  double max_slope() const { return 2 * width; }
  double max_curvature() const { return 2; }
  double value(double s, double y) const {
    const double r = std::abs(s - y);
    return r <= width ? r * r : 2 * width * r - width * width;
  }
  double slope(double s, double y) const { return 2 * std::clamp(s - y, -width, width); }
  double curvature(double s, double y) const { return std::abs(s - y) <= width ? 2 : 0; }
  double error(double s, double y) const { return (s - y) * (s - y); }
  double gradient_l1_bound(double r1, double, double) const { return max_slope() * r1; }
};

}  // namespace hearsay::models
