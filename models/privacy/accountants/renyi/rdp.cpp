#include "models/privacy/accountants/renyi/rdp.hpp"

#include <algorithm>
#include <limits>

#include "models/privacy/accountants/numerics.hpp"

namespace hearsay::models {

namespace {

constexpr double kNothing = -std::numeric_limits<double>::infinity();

// ln(e^x + sign e^y); the sum must be positive.
double log_add(double x, double y, double sign) {
  if (y == kNothing) return x;
  if (x < y) return y + std::log1p(sign * std::exp(x - y));  // the series starts positive
  return x + std::log1p(sign * std::exp(y - x));
}

double whole_order(double z, double q, double order) {
  double log_sum = kNothing;
  double log_binomial = 0;
  for (double k = 0; k <= order; ++k) {
    const double term =
        log_binomial + k * std::log(q) + (order - k) * std::log1p(-q) + (k * k - k) / (2 * z * z);
    log_sum = log_add(std::max(log_sum, term), std::min(log_sum, term), 1);
    log_binomial += std::log((order - k) / (k + 1));
  }
  return log_sum;
}

double any_order(double z, double q, double order, bool bound) {
  constexpr double kLast = -30;
  constexpr int kMaxTerms = 100'000;
  const double z0 = z * z * std::log(1 / q - 1) + 0.5;
  const double log_q = std::log(q), log_rest = std::log1p(-q);
  double below = kNothing, above = kNothing;  // the integral on either side of z0
  double log_binomial = 0, sign = 1;          // of C(a, i)
  for (int n = 0; n < kMaxTerms; ++n) {
    const double i = n, j = order - i;
    const double term_below =
        log_binomial + i * log_q + j * log_rest + (i * i - i) / (2 * z * z) + log_normal_tail((i - z0) / z);
    const double term_above =
        log_binomial + j * log_q + i * log_rest + (j * j - j) / (2 * z * z) + log_normal_tail((z0 - j) / z);
    below = log_add(below, term_below, sign);
    above = log_add(above, term_above, sign);
    if (std::max(term_below, term_above) < kLast) break;
    log_binomial += std::log(std::abs(j) / (i + 1));
    if (j < 0 && !bound) sign = -sign;
  }
  return log_add(std::max(below, above), std::min(below, above), 1);
}

// The plain sum of the epsilons; infinite once a step is not pure.
double plain_sum(std::span<const StepRun> runs) {
  double sum = 0;
  for (const StepRun& run : runs) {
    if (!run.step.law().pure) return std::numeric_limits<double>::infinity();
    sum += static_cast<double>(run.count) * pure_epsilon(run.step, "rdp");
  }
  return sum;
}

}  // namespace

double sampled_gaussian_log_moment(double z, double q, double order, bool bound) {
  return order == std::floor(order) ? whole_order(z, q, order) : any_order(z, q, order, bound);
}

double renyi_divergence(const Step& step, double order, Adjacency adjacency, bool bound) {
  check(step);
  require(order > 1 && std::isfinite(order), "Renyi order", "a finite number above 1", order);
  const double q = step.sampling_rate;
  if (q == 1) return step.law().renyi(step.parameter(), order);
  if (step.law().pure) return law_of(StepKind::kPure).renyi(amplified_epsilon(step.epsilon, q), order);
  if (adjacency == Adjacency::kReplaceOne) {
    throw std::invalid_argument(
        "rdp: expected adjacency add_remove for a sampled Gaussian step, found replace_one");
  }
  return step.law().sampled_log_moment(step.parameter(), q, order, bound) / (order - 1);
}

const std::vector<double>& renyi_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> all;
    for (int i = 1; i < 100; ++i) all.push_back(1 + i / 10.0);
    for (int i = 11; i < 64; ++i) all.push_back(i);
    for (const int i : {128, 256, 512, 1024}) all.push_back(i);
    return all;
  }();
  return orders;
}

std::vector<double> renyi_curve(std::span<const StepRun> runs, Adjacency adjacency) {
  const std::vector<StepRun> merged = canonical(runs);
  std::vector<double> curve;
  for (const double order : renyi_orders()) {
    double& sum = curve.emplace_back(0);
    for (const StepRun& run : merged)
      sum += static_cast<double>(run.count) * renyi_divergence(run.step, order, adjacency, true);
  }
  curve.push_back(plain_sum(merged));
  return curve;
}

double renyi_epsilon(std::span<const double> curve, double delta) {
  double least = curve.back();
  const double log_delta = std::log(delta);
  for (std::size_t k = 0; k + 1 < curve.size() && delta > 0; ++k) {
    const double r = curve[k], a = renyi_orders()[k];
    least = std::min(least, r + std::log1p(-1 / a) - (log_delta + std::log(a)) / (a - 1));
  }
  return std::max(0.0, least);
}

double rdp_epsilon(std::span<const StepRun> runs, double delta, Adjacency adjacency) {
  require_delta(delta);
  return renyi_epsilon(renyi_curve(runs, adjacency), delta);
}

double rdp_delta(std::span<const StepRun> runs, double epsilon, Adjacency adjacency) {
  require_epsilon_at(epsilon);
  const std::vector<double> curve = renyi_curve(runs, adjacency);
  if (epsilon >= curve.back()) return 0;
  double least = 0;
  for (std::size_t k = 0; k + 1 < curve.size(); ++k) {
    const double r = curve[k], a = renyi_orders()[k];
    least = std::min(least, (a - 1) * (r - epsilon + std::log1p(-1 / a)) - std::log(a));
  }
  return std::exp(least);
}

}  // namespace hearsay::models
