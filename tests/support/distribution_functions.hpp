#pragma once
// Closed forms of the distributions of options, to test draws against. With distribution function
// F, mean m and the size-biased distribution function B(x) = int_0^x t dF(t) / m, the residual life in
// equilibrium has distribution function int_0^x (1 - F(t)) dt / m = x (1 - F(x)) / m + B(x) (Cox, Renewal
// Theory, 1962, 5.1).
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "sim/laws/distribution.hpp"

namespace hearsay::test {

struct KnownLaw {
  std::string name;
  sim::Distribution law;
  double mean;
  std::function<double(double)> cdf;          ///< F
  std::function<double(double)> size_biased;  ///< B

  double residual(double x) const { return x <= 0 ? 0 : x * (1 - cdf(x)) / mean + size_biased(x); }
};

inline double gamma_cdf(double shape, double scale, double x) {
  return x <= 0 ? 0 : boost::math::cdf(boost::math::gamma_distribution<double>(shape, scale), x);
}
inline double lognormal_cdf(double mu, double sigma, double x) {
  return x <= 0 ? 0 : boost::math::cdf(boost::math::normal_distribution<double>(mu, sigma), std::log(x));
}
inline double pareto_cdf(double min, double alpha, double x) {
  return x <= min ? 0 : 1 - std::pow(min / x, alpha);
}

/// One distribution of each type, with finite mean.
inline std::vector<KnownLaw> known_laws() {
  const auto step = [](double x) { return x < 3 ? 0.0 : 1.0; };
  const auto ramp = [](double lower, double upper) {
    return [=](double x) { return x <= lower ? 0 : x >= upper ? 1 : (x - lower) / (upper - lower); };
  };
  return {
      {"constant", 3.0, 3, step, step},
      {"uniform from 0", sim::Uniform{0, 4}, 2, ramp(0, 4),
       [](double x) { return x <= 0   ? 0
                             : x >= 4 ? 1
                                      : x * x / 16; }},
      {"uniform", sim::Uniform{1, 5}, 3, ramp(1, 5),
       [](double x) { return x <= 1   ? 0
                             : x >= 5 ? 1
                                      : (x * x - 1) / 24; }},
      {"exponential", sim::Exponential{2.5}, 2.5, [](double x) { return gamma_cdf(1, 2.5, x); },
       [](double x) { return gamma_cdf(2, 2.5, x); }},
      {"lognormal", sim::Lognormal{2, 0.8}, 2 * std::exp(0.32),
       [](double x) { return lognormal_cdf(std::log(2.0), 0.8, x); },
       [](double x) { return lognormal_cdf(std::log(2.0) + 0.64, 0.8, x); }},
      {"gamma of shape above 1", sim::Gamma{3, 2}, 2, [](double x) { return gamma_cdf(3, 2.0 / 3, x); },
       [](double x) { return gamma_cdf(4, 2.0 / 3, x); }},
      {"gamma of shape below 1", sim::Gamma{0.5, 2}, 2, [](double x) { return gamma_cdf(0.5, 4, x); },
       [](double x) { return gamma_cdf(1.5, 4, x); }},
      {"mixture", sim::Mixture{{{3, sim::Exponential{1}}, {1, sim::Uniform{2, 6}}}}, 7.0 / 4,
       [](double x) {
         const double line = x <= 2 ? 0 : x >= 6 ? 1 : (x - 2) / 4;
         return (3 * gamma_cdf(1, 1, x) + line) / 4;
       },
       [](double x) {
         const double biased = x <= 2 ? 0 : x >= 6 ? 1 : (x * x - 4) / 32;
         return (3 * gamma_cdf(2, 1, x) + 4 * biased) / 7;
       }},
      {"pareto", sim::Pareto{1.5, 2.5}, 2.5, [](double x) { return pareto_cdf(1.5, 2.5, x); },
       [](double x) { return pareto_cdf(1.5, 1.5, x); }},
  };
}

}  // namespace hearsay::test
