#include "models/privacy/accountants/step.hpp"

#include <algorithm>

#include "models/privacy/accountants/amplification.hpp"
#include "models/privacy/accountants/require.hpp"

namespace hearsay::models {

Step pure_step(double epsilon, double q) {
  const Step step{.kind = StepKind::kPure, .epsilon = epsilon, .sampling_rate = q};
  check(step);
  return step;
}

Step laplace_step(double epsilon, double q) {
  const Step step{.kind = StepKind::kLaplace, .epsilon = epsilon, .sampling_rate = q};
  check(step);
  return step;
}

Step gaussian_step(double noise_multiplier, double q) {
  const Step step{.kind = StepKind::kGaussian, .noise_multiplier = noise_multiplier, .sampling_rate = q};
  check(step);
  return step;
}

Step calibrated_gaussian_step(double noise_multiplier, double epsilon, double delta) {
  require_positive(epsilon, "epsilon");
  const Step step{
      .kind = StepKind::kGaussian, .epsilon = epsilon, .delta = delta, .noise_multiplier = noise_multiplier};
  check(step);
  return step;
}

Step exponential_norm_step(double epsilon, int dimension, double q) {
  const Step step{
      .kind = StepKind::kExponentialNorm, .epsilon = epsilon, .sampling_rate = q, .dimension = dimension};
  check(step);
  return step;
}

void check(const Step& step) {
  require_rate(step.sampling_rate);
  if (step.dimension < 1) {
    throw std::invalid_argument(
        fmt::format("the dimension of a step must be at least 1, got {}", step.dimension));
  }
  if (step.kind != StepKind::kGaussian) {
    require_positive(step.epsilon, "epsilon");
    return;
  }
  require_positive(step.noise_multiplier, "the noise multiplier");
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
  if (step.kind == StepKind::kGaussian) {
    throw std::invalid_argument(fmt::format(
        "{} composes pure epsilon-differentially private steps and a Gaussian step is not one: use "
        "zcdp, rdp or pld",
        accountant));
  }
  return amplified_epsilon(step.epsilon, step.sampling_rate);
}

}  // namespace hearsay::models
