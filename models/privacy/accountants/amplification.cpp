#include "models/privacy/accountants/amplification.hpp"

#include <cmath>

#include "models/privacy/accountants/require.hpp"

namespace hearsay::models {

namespace {
// Beyond this e^epsilon - 1 and e^epsilon agree to the last bit, and neither must overflow.
constexpr double kLarge = 50;
}  // namespace

double amplified_epsilon(double epsilon, double q) {
  require_positive(epsilon, "epsilon");
  require_rate(q);
  if (q == 1) return epsilon;
  if (epsilon <= kLarge) return std::log1p(q * std::expm1(epsilon));
  return epsilon + std::log(q + (1 - q) * std::exp(-epsilon));
}

double epsilon_before_sampling(double amplified, double q) {
  require_positive(amplified, "epsilon");
  require_rate(q);
  if (q == 1) return amplified;
  if (amplified <= kLarge) return std::log1p(std::expm1(amplified) / q);
  return amplified + std::log((1 - (1 - q) * std::exp(-amplified)) / q);
}

double amplified_turn(double epsilon, double q, Adjacency adjacency) {
  if (adjacency == Adjacency::kAddRemove || q == 1) return amplified_epsilon(epsilon, q);
  const double half = epsilon / 2;
  // Numerator as for add_remove; the denominator is ln(1 - q (1 - e^-e)).
  return amplified_epsilon(half, q) - std::log1p(q * std::expm1(-half));
}

}  // namespace hearsay::models
