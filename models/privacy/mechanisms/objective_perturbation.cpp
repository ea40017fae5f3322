#include "models/privacy/mechanisms/objective_perturbation.hpp"

#include <cmath>

namespace hearsay::models {

ObjectiveNoise objective_noise(double epsilon, double records, double strong_convexity, double curvature) {
  // 1 + 2 r + r^2 = (1 + r)^2
  const double left = epsilon - 2 * std::log1p(curvature / (records * strong_convexity));
  if (left > 0) return {2 / left, 0};
  return {4 / epsilon, curvature / (records * std::expm1(epsilon / 4)) - strong_convexity};
}

}  // namespace hearsay::models
