#pragma once
// A distribution, for latencies and every other random option: Weibull's of shape k and mean m,
//
//   P(X > x) = exp(-(x/scale)^k),   scale = m/Gamma(1 + 1/k)
//
// X = scale E^(1/k) with E exponential of mean 1. The density x f(x)/m is that of scale G^(1/k) with G gamma of shape
// 1 + 1/k and scale 1.
#include <cmath>
#include <limits>

#include "sim/options/describe.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

struct Weibull {
  static constexpr std::string_view kName = "weibull";
  static constexpr std::string_view kHelp =
      "Weibull with the given shape and mean; heavy tails below shape 1.";
  static constexpr std::string_view kExample = R"({"type": "weibull", "shape": 0.7, "mean": "20 ms"})";
  double shape = 1, average = 1;

  void describe(Visitor& v) {
    v(shape, {.name = "shape", .help = "Shape k.", .min = 0.05, .required = true});
    v(average, {.name = "mean", .help = "Mean.", .unit = "=", .min = 0, .open_min = true, .required = true});
  }
  double scale() const { return average / std::tgamma(1 + 1 / shape); }
  double sample(Stream& s) const { return scale() * std::pow(exponential(s), 1 / shape); }
  double sample_size_biased(Stream& s) const {
    return scale() * std::pow(gamma(s, 1 + 1 / shape), 1 / shape);
  }
  double mean() const { return average; }
  double lower() const { return 0; }
  double upper() const { return std::numeric_limits<double>::infinity(); }
};

}  // namespace hearsay::sim
