#include "models/privacy/accountants/step.hpp"

#include <algorithm>

#include "models/privacy/accountants/numerics.hpp"

namespace hearsay::models {

namespace {

// Beyond this e^epsilon - 1 and e^epsilon agree to the last bit, and neither must overflow.
constexpr double kLargeEpsilon = 50;

Step checked(const Step& step) {
  check(step);
  return step;
}

}  // namespace

Step pure_step(double epsilon, double q) {
  return checked({.kind = StepKind::kPure, .epsilon = epsilon, .sampling_rate = q});
}
Step laplace_step(double epsilon, double q) {
  return checked({.kind = StepKind::kLaplace, .epsilon = epsilon, .sampling_rate = q});
}
Step gaussian_step(double noise_multiplier, double q) {
  return checked({.kind = StepKind::kGaussian, .noise_multiplier = noise_multiplier, .sampling_rate = q});
}
Step calibrated_gaussian_step(double noise_multiplier, double epsilon, double delta) {
  require_positive(epsilon, "epsilon");
  return checked({.kind = StepKind::kGaussian,
                  .epsilon = epsilon,
                  .delta = delta,
                  .noise_multiplier = noise_multiplier});
}
Step exponential_norm_step(double epsilon, int dimension, double q) {
  return checked(
      {.kind = StepKind::kExponentialNorm, .epsilon = epsilon, .sampling_rate = q, .dimension = dimension});
}

void check(const Step& step) {
  require_rate(step.sampling_rate);
  require(step.dimension >= 1, "dimension of a step", "at least 1", step.dimension);
  if (step.law().pure) return require_positive(step.epsilon, "epsilon");
  require_positive(step.noise_multiplier, "noise multiplier");
  if (step.epsilon != 0 || step.delta != 0) {
    require_positive(step.epsilon, "epsilon");
    require_delta(step.delta);
  }
}

std::vector<StepRun> canonical(std::span<const StepRun> runs) {
  std::vector<StepRun> sorted(runs.begin(), runs.end());
  std::sort(sorted.begin(), sorted.end(), [](const StepRun& a, const StepRun& b) { return a.step < b.step; });
  std::vector<StepRun> merged;
  for (const StepRun& run : sorted) {
    require_count(run.count);
    if (run.count == 0) continue;
    if (!merged.empty() && merged.back().step == run.step) {
      merged.back().count += run.count;
    } else {
      check(run.step);
      merged.push_back(run);
    }
  }
  return merged;
}

double pure_epsilon(const Step& step, std::string_view accountant) {
  if (!step.law().pure) {
    throw std::invalid_argument(fmt::format(
        "{}: expected pure epsilon-differentially private steps, found a Gaussian one; use zcdp, rdp or pld",
        accountant));
  }
  return amplified_epsilon(step.epsilon, step.sampling_rate);
}

double epsilon_alone(const Step& step) {
  return step.law().pure ? amplified_epsilon(step.epsilon, step.sampling_rate) : step.epsilon;
}

double amplified_epsilon(double epsilon, double q) {
  require_positive(epsilon, "epsilon");
  require_rate(q);
  if (q == 1) return epsilon;
  if (epsilon <= kLargeEpsilon) return std::log1p(q * std::expm1(epsilon));
  return epsilon + std::log(q + (1 - q) * std::exp(-epsilon));
}

double amplified_turn(double epsilon, double q, Adjacency adjacency) {
  if (adjacency == Adjacency::kAddRemove || q == 1) return amplified_epsilon(epsilon, q);
  const double half = epsilon / 2;
  // Numerator as for add_remove; the denominator is ln(1 - q (1 - e^-e)).
  return amplified_epsilon(half, q) - std::log1p(q * std::expm1(-half));
}

}  // namespace hearsay::models
