#include "models/privacy/accountants/budget.hpp"

#include <limits>
#include <numeric>

#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/accountants/pld/pld.hpp"

namespace hearsay::models {

namespace {

// Where the total crosses the budget, from below.
double greatest_within(const std::function<double(double)>& excess, double guess, double epsilon,
                       const AccountantOptions& options) {
  try {
    return greatest_below(excess, guess, options.accountant == Accountant::kPld ? 1e-9 : 0).below;
  } catch (const NoCrossing&) {
    throw BudgetError(fmt::format(
        "no noise gives a total epsilon of {} at delta {} with {}: choose another budget or accountant",
        epsilon, options.delta, name_of(options.accountant)));
  }
}

bool by_stated_guarantee(const Step& shape, const AccountantOptions& options) {
  return !shape.law().pure && composes_stated_guarantees(options.accountant);
}

// `shape` with strength x: the epsilon of the step, or the inverse of its noise multiplier.
Step with_strength(Step shape, double x, const AccountantOptions& options) {
  if (!shape.law().pure && !by_stated_guarantee(shape, options)) {
    shape.noise_multiplier = 1 / x;
    shape.epsilon = shape.delta = 0;
  } else {
    shape.epsilon = x;
    if (!shape.law().pure) shape.noise_multiplier = 1;  // unused in a stated guarantee
  }
  return shape;
}

// Of releases that may be far too strong.
double total_epsilon(const Releases& releases, const AccountantOptions& options) {
  const bool beyond = options.accountant == Accountant::kPld && pld_loss(releases) > kPldMostLoss;
  return beyond ? std::numeric_limits<double>::infinity() : total_guarantee(releases, options).epsilon;
}

void require_budget(double epsilon, const AccountantOptions& options) {
  require_positive(epsilon, "total epsilon");
  if (options.accountant == Accountant::kPld)
    require(epsilon <= kPldMostEpsilon, "pld",
            fmt::format("a total epsilon of at most {:g}", kPldMostEpsilon), epsilon);
}

void require_deltas_within(const Step& shape, std::int64_t steps, const AccountantOptions& options) {
  require_delta(shape.delta);
  const auto count = static_cast<double>(steps);
  const bool basic = options.accountant == Accountant::kBasic;
  const double sum = basic ? count * shape.delta : -std::expm1(count * std::log1p(-shape.delta));
  if (sum > options.delta * (1 + 1e-12)) {
    throw BudgetError(fmt::format(
        "the deltas of {} steps add up to {}, which exceeds the total delta {}: calibrate the steps to at "
        "most {}",
        steps, sum, options.delta,
        basic ? options.delta / count : -std::expm1(std::log1p(-options.delta) / count)));
  }
}

}  // namespace

Step step_for_budget(double epsilon, std::int64_t steps, const Step& shape, const AccountantOptions& options,
                     GaussianCalibration calibration) {
  require_budget(epsilon, options);
  require(steps >= 1, "steps of a budget", "at least 1", steps);
  if (by_stated_guarantee(shape, options)) require_deltas_within(shape, steps, options);
  const auto excess = [&](double x) {
    const Releases releases(with_strength(shape, x, options), steps);
    return total_epsilon(releases, options) - epsilon;
  };
  const auto count = static_cast<double>(steps);
  const double guess =
      options.accountant == Accountant::kBasic ? epsilon / count : epsilon / std::sqrt(count) / 2;
  return step_of_strength(shape, greatest_within(excess, guess, epsilon, options), options, calibration);
}

double factor_for_budget(double epsilon, std::span<const double> weights, const Step& shape,
                         const AccountantOptions& options) {
  require_budget(epsilon, options);
  require(!weights.empty(), "weights of a budget", "at least 1", "none");
  for (const double weight : weights) require_positive(weight, "weight of a step");
  if (by_stated_guarantee(shape, options)) {
    require_deltas_within(shape, static_cast<std::int64_t>(weights.size()), options);
  }
  const auto excess = [&](double factor) {
    Releases releases;
    releases.reserve(weights.size());
    for (const double weight : weights) releases.add(with_strength(shape, factor * weight, options));
    return total_epsilon(releases, options) - epsilon;
  };
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  return greatest_within(excess, epsilon / sum, epsilon, options);
}

Step step_of_strength(const Step& shape, double strength, const AccountantOptions& options,
                      GaussianCalibration calibration) {
  Step step = with_strength(shape, strength, options);
  if (by_stated_guarantee(shape, options))
    step.noise_multiplier = shape.law().calibrated(step.epsilon, step.delta, calibration);
  return step;
}

double step_delta(std::optional<double> given, std::int64_t steps, const AccountantOptions& options) {
  if (!composes_stated_guarantees(options.accountant)) return 0;
  if (given) return *given;
  const double share = options.delta / static_cast<double>(steps);
  return options.accountant == Accountant::kBasic ? share : share / 2;
}

}  // namespace hearsay::models
