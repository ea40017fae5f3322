#pragma once
// Tests of samples against distributions, with exact or distribution-free bounds: each check below fails with
// probability at most kAlpha if the distribution is right. With fewer than 1000 of them in the tree, all pass with
// probability above 1 - 1e-6 over the choice of seeds; the seeds are fixed.
#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace hearsay::test {

inline constexpr double kAlpha = 1e-9;

/// Mean of numbers and its standard error.
struct Mean {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  double standard_error() const { return std::sqrt((squares / count - mean() * mean()) / (count - 1)); }
};

/// Dvoretzky-Kiefer-Wolfowitz with Massart's constant: P(sup |F_n - F| > t) <= 2 exp(-2 n t^2).
inline double dkw_threshold(std::size_t n, double alpha = kAlpha) {
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(n)));
}

/// Kolmogorov-Smirnov distance of independent draws from the distribution function `cdf`.
template <class Cdf>
double ks_distance(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t k = 0; k < sample.size();) {
    const std::size_t first = k;
    while (k < sample.size() && sample[k] == sample[first]) ++k;
    // At a value and just below it, for distributions with atoms.
    const double below = std::nextafter(sample[first], -std::numeric_limits<double>::infinity());
    distance = std::max({distance, std::abs(cdf(sample[first]) - static_cast<double>(k) / n),
                         std::abs(cdf(below) - static_cast<double>(first) / n)});
  }
  return distance;
}

/// True unless `count` successes of n independent trials of probability p lie in a tail of probability
/// alpha/2.
inline bool binomial_plausible(std::uint64_t count, std::uint64_t n, double p, double alpha = kAlpha) {
  const boost::math::binomial_distribution<double> law(static_cast<double>(n), p);
  const auto k = static_cast<double>(count);
  const bool low = cdf(law, k) >= alpha / 2;
  const bool high = count == 0 || cdf(complement(law, k - 1)) >= alpha / 2;
  return low && high;
}

/// Mean of (u_k - 1/2)(v_k - 1/2); 0 where u_k and v_k are independent and uniform.
inline double centred_product(const std::vector<double>& u, const std::vector<double>& v) {
  double sum = 0;
  for (std::size_t k = 0; k < u.size(); ++k) sum += (u[k] - 0.5) * (v[k] - 0.5);
  return sum / static_cast<double>(u.size());
}

/// Azuma-Hoeffding for a mean of n martingale differences in [-1/4, 1/4], which the terms of centred_product
/// are, also where v is u shifted by one.
inline double centred_product_threshold(std::size_t n, double alpha = kAlpha) {
  return 0.25 * std::sqrt(2 * std::log(2 / alpha) / static_cast<double>(n));
}

}  // namespace hearsay::test
