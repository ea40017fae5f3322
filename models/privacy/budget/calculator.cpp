#include "models/privacy/budget/calculator.hpp"

#include <stdexcept>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/accountants/require.hpp"

namespace hearsay::models {

namespace {

void require_sense(const CostQuestion& q) {
  if (!is_private(q.mechanism)) throw std::invalid_argument("mechanism none has no privacy to reckon with");
  if (q.epsilon.has_value() == q.epsilon_step.has_value())
    throw std::invalid_argument("give either the total epsilon or that of a step");
  if (q.epsilon) require_positive(*q.epsilon, "epsilon");
  if (q.epsilon_step) require_positive(*q.epsilon_step, "epsilon of a step");
  if (q.sensitivity) require_positive(*q.sensitivity, "sensitivity");
  if (!(q.delta >= 0 && q.delta < 1))
    throw std::invalid_argument(fmt::format("delta must lie in [0, 1), got {}", q.delta));
  if (q.steps < 1) throw std::invalid_argument(fmt::format("steps must be at least 1, got {}", q.steps));
  if (q.dimension < 1)
    throw std::invalid_argument(fmt::format("dimension must be at least 1, got {}", q.dimension));
  require_rate(q.sampling_rate);
  const auto* gaussian = std::get_if<Gaussian>(&q.mechanism);
  if (gaussian == nullptr) return;
  require_delta(q.delta);
  if (gaussian->delta_step) require_delta(*gaussian->delta_step);
}

// A release of the given epsilon; a Gaussian one has the noise of its calibration, and the delta of half an
// equal share unless it is told, so that every accountant is asked about the same noise.
Step given_step(const CostQuestion& q, Step shape) {
  shape.epsilon = *q.epsilon_step;
  if (const auto* gaussian = std::get_if<Gaussian>(&q.mechanism)) {
    shape.delta = gaussian->delta_step.value_or(q.delta / (2 * static_cast<double>(q.steps)));
    shape.noise_multiplier = gaussian_noise_multiplier(shape.epsilon, shape.delta, gaussian->calibration);
  }
  return shape;
}

Step allowed_step(const CostQuestion& q, Step shape, const AccountantOptions& options) {
  const auto* gaussian = std::get_if<Gaussian>(&q.mechanism);
  if (gaussian != nullptr) shape.delta = step_delta(gaussian->delta_step, q.steps, options);
  return step_for_budget(*q.epsilon, q.steps, shape, options,
                         gaussian != nullptr ? gaussian->calibration : GaussianCalibration::kAnalytic);
}

}  // namespace

CostAnswer cost_under(Accountant accountant, const CostQuestion& q) {
  require_sense(q);
  CostAnswer answer;
  answer.accountant = accountant;
  const AccountantOptions options{accountant, q.delta, q.adjacency};
  Step shape = shape_of(q.mechanism, q.dimension);
  shape.sampling_rate = q.sampling_rate;
  try {
    answer.step = q.epsilon ? allowed_step(q, shape, options) : given_step(q, shape);
    answer.total = total_guarantee(Releases(answer.step, q.steps), options);
    answer.noise_scale = noise_scale(q.mechanism, q.sensitivity.value_or(1), answer.step);
  } catch (const BudgetError& e) {
    answer.refusal = e.what();
    answer.over_budget = true;
  } catch (const std::invalid_argument& e) {
    answer.refusal = e.what();
  }
  return answer;
}

std::vector<CostAnswer> cost(const CostQuestion& question) {
  std::vector<CostAnswer> answers;
  for (std::size_t a = 0; a < sim::Choices<Accountant>::kValues.size(); ++a)
    answers.push_back(cost_under(static_cast<Accountant>(a), question));
  return answers;
}

}  // namespace hearsay::models
