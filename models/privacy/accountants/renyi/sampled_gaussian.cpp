#include "models/privacy/accountants/renyi/sampled_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/privacy/accountants/normal_tail.hpp"

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

double any_order(double z, double q, double order, bool alternating) {
  constexpr double kLast = -30;
  constexpr int kMostTerms = 100'000;
  const double z0 = z * z * std::log(1 / q - 1) + 0.5;
  const double log_q = std::log(q), log_rest = std::log1p(-q);
  double below = kNothing, above = kNothing;  // the integral on either side of z0
  double log_binomial = 0, sign = 1;          // of C(a, i)
  for (int n = 0; n < kMostTerms; ++n) {
    const double i = n, j = order - i;
    const double term_below =
        log_binomial + i * log_q + j * log_rest + (i * i - i) / (2 * z * z) + log_normal_tail((i - z0) / z);
    const double term_above =
        log_binomial + j * log_q + i * log_rest + (j * j - j) / (2 * z * z) + log_normal_tail((z0 - j) / z);
    below = log_add(below, term_below, sign);
    above = log_add(above, term_above, sign);
    if (std::max(term_below, term_above) < kLast) break;
    log_binomial += std::log(std::abs(j) / (i + 1));
    if (j < 0 && alternating) sign = -sign;
  }
  return log_add(std::max(below, above), std::min(below, above), 1);
}

}  // namespace

double sampled_gaussian_log_moment(double noise_multiplier, double q, double order) {
  if (order == std::floor(order)) return whole_order(noise_multiplier, q, order);
  return any_order(noise_multiplier, q, order, true);
}

double sampled_gaussian_log_moment_bound(double noise_multiplier, double q, double order) {
  if (order == std::floor(order)) return whole_order(noise_multiplier, q, order);
  return any_order(noise_multiplier, q, order, false);
}

}  // namespace hearsay::models
