#pragma once
// Tests of noise against its law. Each check fails with probability at most test::kAlpha if the law holds;
// the names of the failed checks are returned, so that tests can show that they detect wrong samplers.
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hearsay::test {

/// Adds the noise of release `number` to a vector of zeros.
using Sampler = std::function<void(std::span<double> x, std::uint32_t number)>;

/// Releases one after another, each `length` numbers.
struct Sample {
  std::size_t length = 0;
  std::vector<double> values{};

  std::size_t releases() const { return values.size() / length; }
  std::span<const double> operator[](std::size_t k) const {
    return std::span(values).subspan(k * length, length);
  }
};
Sample draw(const Sampler& sampler, std::size_t length, std::size_t releases);

/// Independent Laplace(0, scale): the sum of |x| is Gamma; Kolmogorov-Smirnov; signs fair, independent of the
/// magnitudes, and of those next to them in a vector and in the next release.
std::vector<std::string> laplace_faults(const Sample& sample, double scale);
/// Independent N(0, scale^2): the energy is chi-squared; the rest as above.
std::vector<std::string> gaussian_faults(const Sample& sample, double scale);
/// Density proportional to exp(-norm_2/scale): the sum of the radii is Gamma; Kolmogorov-Smirnov of the
/// radius, Gamma(d), and of the direction u along an axis and along the diagonal, (u + 1)/2 being
/// Beta((d-1)/2, (d-1)/2); radius and direction independent; both independent of the next release.
std::vector<std::string> exponential_norm_faults(const Sample& sample, double scale);

}  // namespace hearsay::test
