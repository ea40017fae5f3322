#include "models/privacy/accountants/theorems/closed_forms.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>

#include "models/privacy/accountants/numerics.hpp"
#include "models/privacy/accountants/pld/privacy_loss.hpp"

namespace hearsay::models {

namespace {

// Terms below e^-kNegligible of the sum are left out.
constexpr long double kNegligible = 50;

// The number l of unlucky responses among T, Binomial(T, 1/(1 + e^epsilon_0)).
class Responses {
 public:
  Responses(double epsilon_0, std::int64_t steps) : epsilon_(epsilon_0), steps_(steps) {}

  // Long double: at T = 1e5 the three logarithms are of the order of 1e6 and nearly cancel.
  long double log_probability(std::int64_t l) const {
    using boost::math::lgamma;
    const long double t = static_cast<long double>(steps_), k = static_cast<long double>(l);
    return lgamma(t + 1) - lgamma(k + 1) - lgamma(t - k + 1) - k * epsilon_ -
           t * std::log1p(std::exp(-epsilon_));
  }
  // p(l + 1)/p(l)
  double ratio(std::int64_t l) const {
    return static_cast<double>(steps_ - l) / static_cast<double>(l + 1) *
           std::exp(-static_cast<double>(epsilon_));
  }
  std::int64_t mode() const {
    return static_cast<std::int64_t>((static_cast<long double>(steps_) + 1) / (1 + std::exp(epsilon_)));
  }
  // The smallest l whose probability is not negligible relative to `log_scale`; log_probability rises up to the mode.
  std::int64_t first_above(long double log_scale) const {
    std::int64_t low = 0, high = mode();
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (log_probability(middle) < log_scale) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  long double epsilon_;
  std::int64_t steps_;
};

// The common epsilon of the steps and their number; 0 for none.
std::pair<double, std::int64_t> equal_steps(std::span<const StepRun> runs) {
  double epsilon = 0;
  std::int64_t steps = 0;
  for (const StepRun& run : canonical(runs)) {
    const double one = pure_epsilon(run.step, "kairouz_exact");
    if (steps > 0 && one != epsilon) {
      throw std::invalid_argument(fmt::format(
          "kairouz_exact: expected equal steps, found epsilon {} and {}; use kairouz or pld", epsilon, one));
    }
    epsilon = one;
    steps += run.count;
  }
  return {epsilon, steps};
}

}  // namespace

double kairouz_exact_epsilon(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const auto [epsilon_0, steps] = equal_steps(runs);
  if (steps == 0) return 0;
  const Responses responses(epsilon_0, steps);
  const long double log_delta = std::log(static_cast<long double>(delta));
  std::int64_t l = responses.first_above(log_delta - kNegligible - std::log(static_cast<long double>(steps)));
  double probability = static_cast<double>(std::exp(responses.log_probability(l) - log_delta));
  LossLadder ladder(2 * epsilon_0, 0);  // in units of delta
  for (; 2 * l <= steps; ++l) {
    ladder.step_down(probability);
    if (ladder.delta_at_next() >= 1) {
      return std::max(0.0, static_cast<double>(steps - 2 * l) * epsilon_0 - ladder.distance_to(1));
    }
    probability *= responses.ratio(l);
  }
  return 0;
}

double kairouz_exact_delta(std::span<const StepRun> runs, double epsilon) {
  require_epsilon_at(epsilon);
  const auto [epsilon_0, steps] = equal_steps(runs);
  if (epsilon >= static_cast<double>(steps) * epsilon_0) return 0;
  const Responses responses(epsilon_0, steps);
  const auto loss = [e = epsilon_0, t = steps](std::int64_t l) { return static_cast<double>(t - 2 * l) * e; };
  auto last = static_cast<std::int64_t>((static_cast<double>(steps) - epsilon / epsilon_0) / 2);
  while (last > 0 && loss(last) <= epsilon) --last;
  // The largest term lies at or below the mode or the last one; sum in both directions while the terms count.
  const std::int64_t start = std::min(last, responses.mode());
  const long double log_scale = responses.log_probability(start);
  const auto share = [&](std::int64_t l) { return -std::expm1(epsilon - loss(l)); };
  double sum = 0, probability = 1;
  for (std::int64_t l = start; l >= 0; --l) {
    sum += probability * share(l);
    if (l > 0) probability /= responses.ratio(l - 1);
    if (probability < 1e-22 * sum) break;
  }
  probability = 1;
  for (std::int64_t l = start; l < last && probability > 1e-22 * sum; ++l) {
    probability *= responses.ratio(l);
    sum += probability * share(l + 1);
  }
  return static_cast<double>(std::exp(log_scale) * static_cast<long double>(sum));
}

}  // namespace hearsay::models
