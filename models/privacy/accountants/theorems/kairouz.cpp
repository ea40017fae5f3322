#include "models/privacy/accountants/theorems/kairouz.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "models/privacy/accountants/theorems/basic.hpp"
#include "models/privacy/accountants/require.hpp"

namespace hearsay::models {

namespace {

struct Sums {
  double epsilon = 0;       // sum e_t
  double delta = 0;         // sum d_t
  double drift = 0;         // D
  double square = 0;        // V
  double log_survival = 0;  // sum ln(1 - d_t)
};

Sums sums_of(std::span<const StepRun> runs) {
  Sums s;
  for (const StepRun& run : canonical(runs)) {
    const BasicTotal one = basic_step(run.step);
    const auto count = static_cast<double>(run.count);
    s.epsilon += count * one.epsilon;
    s.delta += count * one.delta;
    s.drift += count * one.epsilon * std::tanh(one.epsilon / 2);
    s.square += count * one.epsilon * one.epsilon;
    s.log_survival += count * std::log1p(-one.delta);
  }
  return s;
}

KairouzTerms terms_of(const Sums& s, double delta) {
  const double root = std::sqrt(s.square);
  return {s.epsilon, s.drift + root * std::sqrt(2 * std::log(std::numbers::e + root / delta)),
          s.drift + root * std::sqrt(-2 * std::log(delta))};
}

}  // namespace

double KairouzTerms::least() const {
  return std::min({sum, with_e, with_log_delta});
}

KairouzTerms kairouz_terms(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const Sums s = sums_of(runs);
  if (s.delta > 0)
    throw std::invalid_argument("the three terms of kairouz are those of steps without a delta");
  return terms_of(s, delta);
}

double kairouz_epsilon(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const Sums s = sums_of(runs);
  if (s.delta == 0) return terms_of(s, delta).least();
  // (a) holds by basic composition with the sum of the deltas; (b) and (c) need something left of delta.
  const double left = -std::expm1(std::log1p(-delta) - s.log_survival);
  if (left > 0) return terms_of(s, left).least();
  if (s.delta <= delta * (1 + 1e-12)) return s.epsilon;
  throw std::invalid_argument(fmt::format(
      "the steps' own deltas add up to {}, which exceeds the total delta {}: raise it, or calibrate the "
      "steps to a smaller one",
      s.delta, delta));
}

double kairouz_delta(std::span<const StepRun> runs, double epsilon) {
  require_epsilon_at(epsilon);
  const Sums s = sums_of(runs);
  if (epsilon >= s.epsilon) return std::min(1.0, s.delta);
  if (epsilon <= s.drift) return 1;
  // (epsilon - D)^2 = 2 V ln(x), with x = 1/d in (c) and x = e + sqrt(V)/d in (b).
  const double log_x = (epsilon - s.drift) * (epsilon - s.drift) / (2 * s.square);
  double d = std::exp(-log_x);
  if (log_x > 1) d = std::min(d, std::sqrt(s.square) * std::exp(-log_x) / -std::expm1(1 - log_x));
  return s.delta == 0 ? d : -std::expm1(std::log1p(-std::min(d, 1.0)) + s.log_survival);
}

}  // namespace hearsay::models
