#include "models/privacy/accountants/theorems/closed_forms.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "models/privacy/accountants/numerics.hpp"

namespace hearsay::models {

namespace {

// The (e_t, d_t) of one step, sampling included.
BasicTotal basic_step(const Step& step) {
  if (step.law().pure) return {pure_epsilon(step, "basic"), 0};
  if (step.epsilon == 0) {
    throw std::invalid_argument(
        "basic and kairouz: expected a Gaussian step with the (epsilon, delta) it was calibrated to, found "
        "none; state them, or use zcdp, rdp or pld");
  }
  if (step.sampling_rate < 1) {
    throw std::invalid_argument("basic and kairouz do not amplify a sampled Gaussian step: use rdp or pld");
  }
  return {step.epsilon, step.delta};
}

struct KairouzSums {
  double epsilon = 0;       // sum e_t
  double delta = 0;         // sum d_t
  double drift = 0;         // D
  double square = 0;        // V
  double log_survival = 0;  // sum ln(1 - d_t)
};

KairouzSums kairouz_sums(std::span<const StepRun> runs) {
  KairouzSums s;
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

KairouzTerms terms_of(const KairouzSums& s, double delta) {
  const double root = std::sqrt(s.square);
  return {s.epsilon, s.drift + root * std::sqrt(2 * std::log(std::numbers::e + root / delta)),
          s.drift + root * std::sqrt(-2 * std::log(delta))};
}

struct ZcdpSums {
  double rho = 0;
  double epsilon = 0;  // infinite once a step is not pure
};

ZcdpSums zcdp_sums(std::span<const StepRun> runs) {
  ZcdpSums s;
  for (const StepRun& run : canonical(runs)) {
    const auto count = static_cast<double>(run.count);
    s.rho += count * zcdp_rho(run.step);
    s.epsilon += run.step.law().pure ? count * pure_epsilon(run.step, "zcdp")
                                     : std::numeric_limits<double>::infinity();
  }
  return s;
}

}  // namespace

BasicTotal basic_total(std::span<const StepRun> runs) {
  BasicTotal total;
  for (const StepRun& run : canonical(runs)) {
    const BasicTotal one = basic_step(run.step);
    total.epsilon += static_cast<double>(run.count) * one.epsilon;
    total.delta += static_cast<double>(run.count) * one.delta;
  }
  return total;
}

double KairouzTerms::smallest() const {
  return std::min({sum, with_e, with_log_delta});
}

KairouzTerms kairouz_terms(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const KairouzSums s = kairouz_sums(runs);
  if (s.delta > 0)
    throw std::invalid_argument("the terms of kairouz: expected steps without a delta, found a Gaussian one");
  return terms_of(s, delta);
}

double kairouz_epsilon(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const KairouzSums s = kairouz_sums(runs);
  if (s.delta == 0) return terms_of(s, delta).smallest();
  // (a) holds by basic composition with the sum of the deltas; (b) and (c) need a remainder of delta.
  const double left = -std::expm1(std::log1p(-delta) - s.log_survival);
  if (left > 0) return terms_of(s, left).smallest();
  if (s.delta <= delta * (1 + 1e-12)) return s.epsilon;
  throw std::invalid_argument(fmt::format(
      "the deltas of the steps add up to {}, which exceeds the total delta {}: raise it, or calibrate the "
      "steps to a smaller one",
      s.delta, delta));
}

double kairouz_delta(std::span<const StepRun> runs, double epsilon) {
  require_epsilon_at(epsilon);
  const KairouzSums s = kairouz_sums(runs);
  if (epsilon >= s.epsilon) return std::min(1.0, s.delta);
  if (epsilon <= s.drift) return 1;
  // (epsilon - D)^2 = 2 V ln(x), with x = 1/d in (c) and x = e + sqrt(V)/d in (b).
  const double log_x = (epsilon - s.drift) * (epsilon - s.drift) / (2 * s.square);
  double d = std::exp(-log_x);
  if (log_x > 1) d = std::min(d, std::sqrt(s.square) * std::exp(-log_x) / -std::expm1(1 - log_x));
  return s.delta == 0 ? d : -std::expm1(std::log1p(-std::min(d, 1.0)) + s.log_survival);
}

double zcdp_rho(const Step& step) {
  if (step.law().pure) return step.law().rho(pure_epsilon(step, "zcdp"));
  if (step.sampling_rate < 1) {
    throw std::invalid_argument("zcdp does not amplify a sampled Gaussian step: use rdp or pld");
  }
  return step.law().rho(step.noise_multiplier);
}

double zcdp_epsilon(std::span<const StepRun> runs, double delta) {
  require_delta(delta);
  const ZcdpSums s = zcdp_sums(runs);
  return std::min(s.epsilon, s.rho + 2 * std::sqrt(-s.rho * std::log(delta)));
}

double zcdp_delta(std::span<const StepRun> runs, double epsilon) {
  require_epsilon_at(epsilon);
  const ZcdpSums s = zcdp_sums(runs);
  if (epsilon >= s.epsilon) return 0;
  if (epsilon <= s.rho) return 1;
  return std::exp(-(epsilon - s.rho) * (epsilon - s.rho) / (4 * s.rho));
}

}  // namespace hearsay::models
