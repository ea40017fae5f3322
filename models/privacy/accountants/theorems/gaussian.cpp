#include "models/privacy/accountants/theorems/gaussian.hpp"

#include <limits>

#include "models/privacy/accountants/numerics.hpp"

namespace hearsay::models {

namespace {

// ln delta(epsilon). With a = epsilon/mu - mu/2 and b = a + mu, e^epsilon phi(b) = phi(a), so that for a >= 0
// delta = phi(a) (R(a) - R(b)).
double log_delta(double epsilon, double mu) {
  const double a = epsilon / mu - mu / 2;
  const double b = epsilon / mu + mu / 2;
  if (a >= 0) return log_normal_density(a) + std::log(mills_gap(a, mu));
  if (epsilon == 0) return std::log(std::erf(mu / std::sqrt(8.0)));
  return std::log(normal_tail(a) - std::exp(log_normal_density(a)) * mills_ratio(b));
}

}  // namespace

double gaussian_delta(double epsilon, double mu) {
  require_epsilon_at(epsilon);
  require_positive(mu, "mu");
  return std::exp(log_delta(epsilon, mu));
}

double gaussian_epsilon(double delta, double mu) {
  if (mu == 0) return 0;  // whatever delta is
  require_delta(delta);
  require_positive(mu, "mu");
  const double target = std::log(delta);
  if (log_delta(0, mu) <= target) return 0;
  const auto excess = [&](double epsilon) { return target - log_delta(epsilon, mu); };
  return greatest_below(excess, mu * std::sqrt(2 * std::log(1 / delta)) + mu * mu / 2, 0).above;
}

double gaussian_noise_multiplier(double epsilon, double delta, GaussianCalibration calibration) {
  require_positive(epsilon, "epsilon");
  require_delta(delta);
  switch (calibration) {
    case GaussianCalibration::kPaper:
      return std::sqrt(2 * std::log(2 / delta)) / epsilon;
    case GaussianCalibration::kClassic:
      require(epsilon <= 1, "epsilon", "at most 1 with calibration classic (otherwise use analytic)",
              epsilon);
      return std::sqrt(2 * std::log(1.25 / delta)) / epsilon;
    case GaussianCalibration::kAnalytic: {
      const double target = std::log(delta);
      const auto excess = [&](double mu) { return log_delta(epsilon, mu) - target; };
      return 1 / greatest_below(excess, epsilon / std::sqrt(2 * std::log(2 / delta)), 0).below;
    }
  }
  throw std::logic_error("unknown Gaussian calibration");
}

}  // namespace hearsay::models
