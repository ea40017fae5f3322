#include "models/privacy/accountants/theorems/zcdp.hpp"

#include <algorithm>
#include <limits>

#include "models/privacy/accountants/require.hpp"

namespace hearsay::models {

namespace {

struct Sums {
  double rho = 0;
  double epsilon = 0;  // infinite once a step is not pure
};

Sums sums_of(std::span<const StepRun> runs) {
  Sums s;
  for (const StepRun& run : canonical(runs)) {
    const auto count = static_cast<double>(run.count);
    s.rho += count * zcdp_rho(run.step);
    s.epsilon += run.step.kind == StepKind::kGaussian ? std::numeric_limits<double>::infinity()
                                                      : count * pure_epsilon(run.step, "zcdp");
  }
  return s;
}

}  // namespace

double zcdp_rho(const Step& step) {
  if (step.kind != StepKind::kGaussian) {
    const double epsilon = pure_epsilon(step, "zcdp");
    return epsilon * epsilon / 2;
  }
  if (step.sampling_rate < 1) {
    throw std::invalid_argument("zcdp does not amplify a sampled Gaussian step: use rdp or pld");
  }
  return 1 / (2 * step.noise_multiplier * step.noise_multiplier);
}

double zcdp_rho(std::span<const StepRun> runs) {
  return sums_of(runs).rho;
}

double zcdp_epsilon(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const Sums s = sums_of(runs);
  return std::min(s.epsilon, s.rho + 2 * std::sqrt(-s.rho * std::log(delta)));
}

double zcdp_delta(std::span<const StepRun> runs, double epsilon) {
  require_epsilon_at(epsilon);
  const Sums s = sums_of(runs);
  if (epsilon >= s.epsilon) return 0;
  if (epsilon <= s.rho) return 1;
  return std::exp(-(epsilon - s.rho) * (epsilon - s.rho) / (4 * s.rho));
}

}  // namespace hearsay::models
