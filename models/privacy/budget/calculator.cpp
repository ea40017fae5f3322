#include "models/privacy/budget/calculator.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/privacy/accountants/budget.hpp"
#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/budget/release_schedule.hpp"

namespace hearsay::models {

namespace {

// A release of the given epsilon; a Gaussian one has the noise of its calibration and, by default, the delta of
// half an equal share, so that all accountants compose the same noise.
Step given_step(const CostQuestion& q, Step shape) {
  shape.epsilon = *q.epsilon_step;
  if (shape.law().pure) return shape;
  const auto [calibration, delta_step] = calibration_of(q.mechanism);
  shape.delta = delta_step.value_or(q.delta / (2 * static_cast<double>(q.steps)));
  shape.noise_multiplier = shape.law().calibrated(shape.epsilon, shape.delta, calibration);
  return shape;
}

// The noise multiplier of a node of the tree, and what the whole costs.
void ask_tree(const CostQuestion& q, const AccountantOptions& options, CostAnswer& answer) {
  const double sensitivity_squared = tree_sensitivity_squared(*q.tree, q.tree->rounds);
  const double z = q.noise ? *q.noise : tree_noise_for_budget(*q.epsilon, sensitivity_squared, options);
  answer.step = gaussian_step(z);
  answer.total = total_guarantee(Releases(tree_step(sensitivity_squared, z), 1), options);
}

// Releases that are not running sums.
void ask_steps(const CostQuestion& q, const AccountantOptions& options, CostAnswer& answer) {
  Step shape = planned_step(q.mechanism, q.dimension, static_cast<std::uint64_t>(q.steps), options);
  shape.sampling_rate = q.sampling_rate;
  if (q.epsilon) {
    answer.step =
        step_for_budget(*q.epsilon, q.steps, shape, options, calibration_of(q.mechanism).calibration);
  } else {
    answer.step = q.noise ? gaussian_step(*q.noise, q.sampling_rate) : given_step(q, shape);
  }
  answer.total = total_guarantee(Releases(answer.step, q.steps), options);
}

}  // namespace

void require_valid(const CostQuestion& q) {
  if (!is_private(q.mechanism))
    throw std::invalid_argument("mechanism \"none\" provides no privacy guarantee; choose another one");
  if (q.epsilon.has_value() + q.epsilon_step.has_value() + q.noise.has_value() != 1) {
    throw std::invalid_argument(
        "expected one of the total epsilon, the epsilon of a step and a noise multiplier, found several or "
        "none");
  }
  if (q.epsilon) require_epsilon(*q.epsilon, "epsilon");
  if (q.epsilon_step) require_epsilon(*q.epsilon_step, "epsilon of a step");
  if (q.noise) require_positive(*q.noise, "noise multiplier");
  constexpr double kMaxSensitivity = 1e100;
  if (q.sensitivity)
    require(*q.sensitivity >= 1 / kMaxSensitivity && *q.sensitivity <= kMaxSensitivity, "sensitivity",
            "a number from 1e-100 to 1e100", *q.sensitivity);
  require(q.delta >= 0 && q.delta < 1, "delta", "a number in [0, 1)", q.delta);
  require(q.steps >= 1, "steps", "at least 1", q.steps);
  require(q.dimension >= 1, "dimension", "at least 1", q.dimension);
  require_rate(q.sampling_rate);
  const bool pure = law_of(q.mechanism).pure;
  if (pure && q.noise)
    throw std::invalid_argument("a noise multiplier requires mechanism gaussian; give the epsilon of a step");
  if (q.tree && (pure || q.epsilon_step || q.sampling_rate < 1)) {
    throw std::invalid_argument(
        "a tree requires mechanism gaussian without sampling, and the total epsilon or a noise multiplier");
  }
  if (pure) return;
  require_delta(q.delta);
  if (const auto given = calibration_of(q.mechanism).delta_step) require_delta(*given);
}

CostAnswer cost_under(Accountant accountant, const CostQuestion& q) {
  require_valid(q);
  CostAnswer answer;
  answer.accountant = accountant;
  const AccountantOptions options{accountant, q.delta, q.adjacency};
  try {
    q.tree ? ask_tree(q, options, answer) : ask_steps(q, options, answer);
    if (beyond_proof(calibration_of(q.mechanism).calibration, accountant, answer.step.epsilon))
      answer.warning = fmt::format("calibration: {}", kPaperProof);
    answer.noise_scale = noise_scale(q.sensitivity.value_or(1), answer.step);
    if (!std::isfinite(answer.total.epsilon))
      answer.refusal = fmt::format("{}: the total epsilon is too large to be computed", name_of(accountant));
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
  for (std::size_t a = 0; a < sim::kChoices<Accountant>.size(); ++a)
    answers.push_back(cost_under(static_cast<Accountant>(a), question));
  return answers;
}

}  // namespace hearsay::models
