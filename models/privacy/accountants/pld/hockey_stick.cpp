#include "models/privacy/accountants/pld/hockey_stick.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "models/privacy/accountants/amplification.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"

namespace hearsay::models {

HockeyStick::HockeyStick(const Step& step, Adjacency adjacency)
    : kind_(step.kind), parameter_(step.epsilon), sampling_rate_(step.sampling_rate) {
  check(step);
  if (kind_ == StepKind::kExponentialNorm) {
    if (step.dimension > 1) {
      throw std::invalid_argument(
          "pld knows no privacy loss of exponential_norm in more than one dimension: use kairouz_exact or "
          "kairouz, or "
          "state the step as a pure one");
    }
    kind_ = StepKind::kLaplace;
  }
  if (kind_ == StepKind::kGaussian) parameter_ = 1 / step.noise_multiplier;
  if (sampling_rate_ == 1 || adjacency == Adjacency::kAddRemove) return;
  if (kind_ == StepKind::kGaussian) {
    throw std::invalid_argument(
        "pld needs adjacency add_remove for a sampled Gaussian step, got replace_one");
  }
  kind_ = StepKind::kPure;
  parameter_ = amplified_epsilon(step.epsilon, step.sampling_rate);
  sampling_rate_ = 1;
}

// The pairs of unsampled releases are their own mirror images.
double HockeyStick::base_excess(double epsilon) const {
  if (epsilon < 0) return std::exp(epsilon) * base_excess(-epsilon);
  switch (kind_) {
    case StepKind::kPure:
      return epsilon >= parameter_ ? 0 : -std::expm1(epsilon - parameter_) / (1 + std::exp(-parameter_));
    case StepKind::kLaplace:
      return epsilon >= parameter_ ? 0 : -std::expm1((epsilon - parameter_) / 2);
    case StepKind::kGaussian:
      return gaussian_delta(epsilon, parameter_);
    case StepKind::kExponentialNorm:
      break;  // is Laplace in one dimension, and refused in more
  }
  throw std::logic_error("a step without a hockey-stick divergence");
}

double HockeyStick::excess(double epsilon, Direction direction) const {
  if (sampling_rate_ == 1) return base_excess(epsilon);
  if (direction == Direction::kAdd) return std::exp(epsilon) * excess(-epsilon, Direction::kRemove);
  constexpr double kLarge = 50;  // beyond it e^epsilon - 1 is e^epsilon, and must not overflow
  if (epsilon > kLarge) return sampling_rate_ * base_excess(epsilon - std::log(sampling_rate_));
  const double growth = std::expm1(epsilon) / sampling_rate_;
  return growth <= -1 ? 0 : sampling_rate_ * base_excess(std::log1p(growth));
}

double HockeyStick::largest_loss() const {
  if (kind_ == StepKind::kGaussian) return std::numeric_limits<double>::infinity();
  return amplified_epsilon(parameter_, sampling_rate_);
}

}  // namespace hearsay::models
