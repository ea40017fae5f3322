#include "tests/models/privacy/noise_laws.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/normal.hpp>
#include <numeric>

#include "tests/support/statistics.hpp"

namespace hearsay::test {

namespace {

using namespace hearsay::test;

class Faults {
 public:
  void require(bool holds, const std::string& name) {
    if (!holds) names_.push_back(name);
  }
  /// The value is in neither tail of probability kAlpha/2.
  template <class Law>
  void in_law(const Law& law, double value, const std::string& name) {
    require(cdf(law, value) >= kAlpha / 2 && cdf(complement(law, value)) >= kAlpha / 2, name);
  }
  template <class Cdf>
  void distance(const std::vector<double>& sample, const Cdf& cdf, const std::string& name) {
    require(test::ks_distance(sample, cdf) <= test::dkw_threshold(sample.size()), name);
  }
  /// Independent fair coins a_k and b_k agree half the time.
  void coins(const std::vector<bool>& a, const std::vector<bool>& b, const std::string& name) {
    std::uint64_t agree = 0;
    for (std::size_t k = 0; k < a.size(); ++k) agree += a[k] == b[k] ? 1 : 0;
    require(binomial_plausible(agree, a.size(), 0.5), name);
  }
  std::vector<std::string> take() { return std::move(names_); }

 private:
  std::vector<std::string> names_;
};

std::vector<bool> without_first(const std::vector<bool>& v, std::size_t count) {
  return {v.begin() + static_cast<std::ptrdiff_t>(count), v.end()};
}
std::vector<bool> without_last(const std::vector<bool>& v, std::size_t count) {
  return {v.begin(), v.end() - static_cast<std::ptrdiff_t>(count)};
}

// Coordinates that are independent, symmetric and have |x| > median half the time.
void check_coordinates(const Sample& sample, double median, Faults& faults) {
  std::vector<bool> positive, large;
  for (const double x : sample.values) {
    positive.push_back(x > 0);
    large.push_back(std::abs(x) > median);
  }
  std::uint64_t heads = 0;
  for (const bool p : positive) heads += p ? 1 : 0;
  faults.require(binomial_plausible(heads, positive.size(), 0.5), "signs fair");
  faults.coins(positive, large, "sign and magnitude");
  if (positive.size() == 1) return;
  faults.coins(without_last(positive, 1), without_first(positive, 1), "signs, lag 1");
  faults.coins(without_last(large, 1), without_first(large, 1), "magnitudes, lag 1");
  if (sample.releases() == 1) return;
  const std::size_t lag = sample.length;
  faults.coins(without_last(positive, lag), without_first(positive, lag), "signs, next release");
  faults.coins(without_last(large, lag), without_first(large, lag), "magnitudes, next release");
}

// P(Gamma(shape) <= x) for a whole shape: 1 - exp(-x) sum_{k < shape} x^k / k!.
double erlang_cdf(std::size_t shape, double x) {
  if (x <= 0) return 0;
  double term = std::exp(-x), tail = term;
  for (std::size_t k = 1; k < shape; ++k) tail += term *= x / static_cast<double>(k);
  return 1 - tail;
}

double direction_cdf(std::size_t length, double u) {
  if (u <= -1) return 0;
  if (u >= 1) return 1;
  if (length == 2) return 0.5 + std::asin(u) / std::acos(-1.0);
  if (length == 3) return (u + 1) / 2;
  const double half = static_cast<double>(length - 1) / 2;
  return cdf(boost::math::beta_distribution<double>(half, half), (u + 1) / 2);
}

}  // namespace

Sample draw(const Sampler& sampler, std::size_t length, std::size_t releases) {
  Sample sample{.length = length};
  sample.values.assign(length * releases, 0.0);
  for (std::size_t k = 0; k < releases; ++k) {
    sampler(std::span(sample.values).subspan(k * length, length), static_cast<std::uint32_t>(k));
  }
  return sample;
}

std::vector<std::string> laplace_faults(const Sample& sample, double scale) {
  Faults faults;
  double sum = 0;
  for (const double x : sample.values) sum += std::abs(x);
  const auto n = static_cast<double>(sample.values.size());
  faults.in_law(boost::math::gamma_distribution<double>(n, scale), sum, "sum of magnitudes");
  faults.distance(
      sample.values, [&](double x) { return x < 0 ? std::exp(x / scale) / 2 : 1 - std::exp(-x / scale) / 2; },
      "law");
  check_coordinates(sample, scale * std::log(2.0), faults);
  return faults.take();
}

std::vector<std::string> gaussian_faults(const Sample& sample, double scale) {
  Faults faults;
  double energy = 0;
  for (const double x : sample.values) energy += (x / scale) * (x / scale);
  const auto n = static_cast<double>(sample.values.size());
  faults.in_law(boost::math::chi_squared_distribution<double>(n), energy, "energy");
  faults.distance(
      sample.values, [&](double x) { return std::erfc(-x / scale / std::sqrt(2.0)) / 2; }, "law");
  const double median = quantile(boost::math::normal_distribution<double>(), 0.75);
  check_coordinates(sample, scale * median, faults);
  return faults.take();
}

std::vector<std::string> exponential_norm_faults(const Sample& sample, double scale) {
  Faults faults;
  const std::size_t d = sample.length, n = sample.releases();
  const auto shape = static_cast<double>(d);
  std::vector<double> radius, along_axis, along_diagonal;
  for (std::size_t k = 0; k < n; ++k) {
    const std::span<const double> z = sample[k];
    radius.push_back(std::sqrt(std::inner_product(z.begin(), z.end(), z.begin(), 0.0)));
    along_axis.push_back(z[0] / radius.back());
    along_diagonal.push_back(std::accumulate(z.begin(), z.end(), 0.0) / std::sqrt(shape) / radius.back());
  }
  const double sum = std::accumulate(radius.begin(), radius.end(), 0.0);
  faults.in_law(boost::math::gamma_distribution<double>(static_cast<double>(n) * shape, scale), sum,
                "sum of radii");
  faults.distance(
      radius, [&](double r) { return erlang_cdf(d, r / scale); }, "radius");
  if (d > 1) {
    const auto cdf = [d](double u) { return direction_cdf(d, u); };
    faults.distance(along_axis, cdf, "direction along an axis");
    faults.distance(along_diagonal, cdf, "direction along the diagonal");
  }
  const double median = scale * quantile(boost::math::gamma_distribution<double>(shape), 0.5);
  std::vector<bool> right, far;
  for (std::size_t k = 0; k < n; ++k) {
    right.push_back(along_axis[k] > 0);
    far.push_back(radius[k] > median);
  }
  faults.coins(right, far, "radius and direction");
  faults.coins(without_last(right, 1), without_first(right, 1), "direction, next release");
  faults.coins(without_last(far, 1), without_first(far, 1), "radius, next release");
  return faults.take();
}

}  // namespace hearsay::test
