#include "models/privacy/accountants/theorems/basic.hpp"

#include <stdexcept>

namespace hearsay::models {

BasicTotal basic_step(const Step& step) {
  if (step.kind != StepKind::kGaussian) return {pure_epsilon(step, "basic"), 0};
  if (step.epsilon == 0) {
    throw std::invalid_argument(
        "a Gaussian step must state the (epsilon, delta) it was calibrated to for basic and kairouz: state "
        "them, or "
        "use zcdp, rdp or pld");
  }
  if (step.sampling_rate < 1) {
    throw std::invalid_argument("basic and kairouz do not amplify a sampled Gaussian step: use rdp or pld");
  }
  return {step.epsilon, step.delta};
}

BasicTotal basic_total(std::span<const StepRun> runs) {
  BasicTotal total;
  for (const StepRun& run : canonical(runs)) {
    const BasicTotal one = basic_step(run.step);
    total.epsilon += static_cast<double>(run.count) * one.epsilon;
    total.delta += static_cast<double>(run.count) * one.delta;
  }
  return total;
}

}  // namespace hearsay::models
