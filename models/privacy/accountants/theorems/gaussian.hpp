#pragma once
// Gaussian noise of standard deviation s per coordinate on a value of L2 sensitivity Delta_2; z = s/Delta_2
// is the noise multiplier and mu = 1/z. T releases with multipliers z_t together are exactly one release with
// mu^2 = sum 1/z_t^2.
//
// Exact trade-off:  delta(epsilon) = P(Z > epsilon/mu - mu/2) - e^epsilon P(Z > epsilon/mu + mu/2)
//
// Calibrations of z to (epsilon, delta):
//   paper     sqrt(2 ln(2/delta)) / epsilon      Bellet et al. 2018, Remark 4; not proved for epsilon > 1
//   classic   sqrt(2 ln(1.25/delta)) / epsilon   Dwork and Roth 2014, Theorem A.1; epsilon <= 1 only
//   analytic  the minimum z with delta(epsilon) <= delta      Balle and Wang 2018, Theorems 8 and 9
#include "sim/options/describe.hpp"

namespace hearsay::models {

enum class GaussianCalibration { kPaper, kClassic, kAnalytic };
constexpr auto choices_of(GaussianCalibration) {
  return std::to_array<sim::Choice>({
      {"paper", "sqrt(2 ln(2/delta))/epsilon, as in personalized peer-to-peer learning, Remark 4."},
      {"classic", "sqrt(2 ln(1.25/delta))/epsilon; epsilon at most 1."},
      {"analytic", "The minimum noise for (epsilon, delta): Balle and Wang 2018."},
  });
}

/// delta(epsilon) for mu > 0, epsilon >= 0, exact to about 1e-12 relative also far in the tail; 0 where it
/// underflows.
double gaussian_delta(double epsilon, double mu);
/// The smallest epsilon >= 0 with delta(epsilon) <= delta, for 0 < delta < 1 and mu >= 0.
double gaussian_epsilon(double delta, double mu);

/// The noise multiplier z of the calibration. Throws std::invalid_argument unless epsilon > 0 and 0 < delta <
/// 1, and for `classic` with epsilon > 1.
double gaussian_noise_multiplier(double epsilon, double delta, GaussianCalibration calibration);

}  // namespace hearsay::models
