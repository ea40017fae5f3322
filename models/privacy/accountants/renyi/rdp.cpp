#include "models/privacy/accountants/renyi/rdp.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <limits>

#include "models/privacy/accountants/amplification.hpp"
#include "models/privacy/accountants/require.hpp"
#include "models/privacy/accountants/renyi/sampled_gaussian.hpp"

namespace hearsay::models {

namespace {

// Above it e^-x is lost beside e^x; below it nothing overflows.
constexpr double kLarge = 50;

// e^x - 1 - x
double exp_remainder(double x) {
  if (std::abs(x) > 1e-2) return std::expm1(x) - x;
  return x * x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6))));
}

// ln(p e^x + (1 - p) e^-x) with x = (a - 1) e, p = 1/(1 + e^-e): p e^x + (1 - p) e^-x - 1 = 2 sinh^2(x/2) +
// tanh(e/2) sinh x.
double pure_log_moment(double epsilon, double order) {
  const double x = (order - 1) * epsilon;
  if (x > kLarge) return x - std::log1p(std::exp(-epsilon));
  return std::log1p(2 * std::sinh(x / 2) * std::sinh(x / 2) + std::tanh(epsilon / 2) * std::sinh(x));
}

// ln(a/(2a - 1) e^((a-1) e) + (a - 1)/(2a - 1) e^(-a e)); the terms linear in e cancel exactly and are left
// out.
double laplace_log_moment(double epsilon, double order) {
  const double up = (order - 1) * epsilon, down = -order * epsilon;
  if (up > kLarge) return up + std::log(order / (2 * order - 1));
  return std::log1p((order * exp_remainder(up) + (order - 1) * exp_remainder(down)) / (2 * order - 1));
}

using LogMoment = double (*)(double noise_multiplier, double q, double order);

double divergence_of(const Step& step, double order, Adjacency adjacency, LogMoment sampled_gaussian) {
  check(step);
  if (!(order > 1) || !std::isfinite(order)) {
    throw std::invalid_argument(
        fmt::format("a Renyi order must be finite and greater than 1, got {}", order));
  }
  const double q = step.sampling_rate;
  switch (step.kind) {
    case StepKind::kLaplace:
      if (q == 1) return laplace_log_moment(step.epsilon, order) / (order - 1);
      break;
    case StepKind::kGaussian:
      if (q == 1) return order / (2 * step.noise_multiplier * step.noise_multiplier);
      if (adjacency == Adjacency::kReplaceOne) {
        throw std::invalid_argument(
            "rdp needs adjacency add_remove for a sampled Gaussian step, got replace_one");
      }
      return sampled_gaussian(step.noise_multiplier, q, order) / (order - 1);
    case StepKind::kPure:
    case StepKind::kExponentialNorm:
      break;
  }
  return pure_log_moment(amplified_epsilon(step.epsilon, q), order) / (order - 1);
}

using Divergence = double (*)(const Step&, double, Adjacency);

double total(Divergence divergence, std::span<const StepRun> runs, double order, Adjacency adjacency) {
  double sum = 0;
  for (const StepRun& run : runs) {
    sum += static_cast<double>(run.count) * divergence(run.step, order, adjacency);
  }
  return sum;
}

// The plain sum of the epsilons; infinite once a step is not pure.
double plain_sum(std::span<const StepRun> runs) {
  double sum = 0;
  for (const StepRun& run : runs) {
    if (run.step.kind == StepKind::kGaussian) return std::numeric_limits<double>::infinity();
    sum += static_cast<double>(run.count) * pure_epsilon(run.step, "rdp");
  }
  return sum;
}

double epsilon_of(double divergence, double order, double log_delta) {
  return divergence + std::log1p(-1 / order) - (log_delta + std::log(order)) / (order - 1);
}

double log_delta_of(double divergence, double order, double epsilon) {
  return (order - 1) * (divergence - epsilon + std::log1p(-1 / order)) - std::log(order);
}

}  // namespace

const std::vector<double>& default_renyi_orders() {
  static const std::vector<double> orders = [] {
    std::vector<double> all;
    for (int i = 1; i < 100; ++i) all.push_back(1 + i / 10.0);
    for (int i = 11; i < 64; ++i) all.push_back(i);
    for (const int i : {128, 256, 512, 1024}) all.push_back(i);
    return all;
  }();
  return orders;
}

double renyi_divergence(const Step& step, double order, Adjacency adjacency) {
  return divergence_of(step, order, adjacency, sampled_gaussian_log_moment);
}

double renyi_bound(const Step& step, double order, Adjacency adjacency) {
  return divergence_of(step, order, adjacency, sampled_gaussian_log_moment_bound);
}

double rdp_epsilon(std::span<const StepRun> runs, double delta, Adjacency adjacency,
                   const std::vector<double>& orders) {
  require_delta(delta);
  const std::vector<StepRun> merged = canonical(runs);
  if (merged.empty()) return 0;
  double least = plain_sum(merged);
  for (const double order : orders) {
    least = std::min(least, epsilon_of(total(renyi_bound, merged, order, adjacency), order, std::log(delta)));
  }
  return std::max(0.0, least);
}

double rdp_epsilon_best_order(std::span<const StepRun> runs, double delta, Adjacency adjacency) {
  require_delta(delta);
  const std::vector<StepRun> merged = canonical(runs);
  if (merged.empty()) return 0;
  const auto at = [&](double log_excess) {
    const double order = 1 + std::exp(log_excess);
    return epsilon_of(total(renyi_divergence, merged, order, adjacency), order, std::log(delta));
  };
  constexpr int kBits = 30;
  const auto best = boost::math::tools::brent_find_minima(at, std::log(1e-6), std::log(1e6), kBits);
  return std::max(0.0, std::min(best.second, plain_sum(merged)));
}

double rdp_delta(std::span<const StepRun> runs, double epsilon, Adjacency adjacency,
                 const std::vector<double>& orders) {
  require_epsilon_at(epsilon);
  const std::vector<StepRun> merged = canonical(runs);
  if (epsilon >= plain_sum(merged)) return 0;
  double least = 0;
  for (const double order : orders) {
    least = std::min(least, log_delta_of(total(renyi_bound, merged, order, adjacency), order, epsilon));
  }
  return std::exp(least);
}

}  // namespace hearsay::models
