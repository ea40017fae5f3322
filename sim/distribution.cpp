#include "sim/distribution.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/random.hpp"

namespace hearsay::sim {

void Constant::describe(Visitor& v) {
  v(value, {.name = "value", .help = "The value.", .unit = "=", .required = true});
}

void Uniform::describe(Visitor& v) {
  v(min, {.name = "min", .help = "Least value.", .unit = "="});
  v(max, {.name = "max", .help = "Greatest value.", .unit = "=", .required = true});
  v.check(max >= min, "max", fmt::format("must be at least min ({:g}), got {:g}", min, max));
}
double Uniform::sample(Stream& s) const {
  return uniform(s, min, max);
}
double Uniform::sample_size_biased(Stream& s) const {
  // Density proportional to x on [min, max]: its distribution function (x^2 - min^2)/(max^2 - min^2)
  // inverted.
  return std::sqrt(uniform(s, min * min, max * max));
}

void Exponential::describe(Visitor& v) {
  v(average, {.name = "mean", .help = "Mean.", .unit = "=", .min = 0, .open_min = true, .required = true});
}
double Exponential::sample(Stream& s) const {
  return exponential(s, average);
}
double Exponential::sample_size_biased(Stream& s) const {
  return gamma(s, 2, average);
}

void Lognormal::describe(Visitor& v) {
  v(median, {.name = "median", .help = "Median.", .unit = "=", .min = 0, .open_min = true, .required = true});
  v(sigma,
    {.name = "sigma", .help = "Standard deviation of the logarithm.", .min = 0, .max = 20, .required = true});
}
double Lognormal::sample(Stream& s) const {
  return median * std::exp(normal(s, 0, sigma));
}
double Lognormal::sample_size_biased(Stream& s) const {
  return median * std::exp(normal(s, sigma * sigma, sigma));
}
double Lognormal::mean() const {
  return median * std::exp(sigma * sigma / 2);
}

void Gamma::describe(Visitor& v) {
  v(shape, {.name = "shape", .help = "Shape.", .min = 0, .open_min = true, .required = true});
  v(average, {.name = "mean",
              .help = "Mean: shape times scale.",
              .unit = "=",
              .min = 0,
              .open_min = true,
              .required = true});
}
double Gamma::sample(Stream& s) const {
  return gamma(s, shape, average / shape);
}
double Gamma::sample_size_biased(Stream& s) const {
  return gamma(s, shape + 1, average / shape);
}

void Pareto::describe(Visitor& v) {
  v(min, {.name = "min", .help = "Least value.", .unit = "=", .min = 0, .open_min = true, .required = true});
  v(alpha, {.name = "alpha", .help = "Tail exponent.", .min = 0, .open_min = true, .required = true});
}
double Pareto::sample(Stream& s) const {
  return min * std::pow(1 - uniform(s), -1 / alpha);
}
double Pareto::sample_size_biased(Stream& s) const {
  return min * std::pow(1 - uniform(s), -1 / (alpha - 1));
}
double Pareto::mean() const {
  return alpha > 1 ? alpha * min / (alpha - 1) : std::numeric_limits<double>::infinity();
}

void check_range(Visitor& v, const About& about, const Support& support) {
  const auto [lower, upper, attained] = support;
  const bool above = about.open_min && attained ? lower > about.min : lower >= about.min;
  const bool below = about.open_max && attained ? upper < about.max : upper <= about.max;
  v.check(above && below, about.name,
          fmt::format("every value must lie in {}{:g}, {:g}{}, got values in [{:g}, {:g}]",
                      about.open_min ? '(' : '[', about.min, about.max, about.open_max ? ')' : ']', lower,
                      upper));
}

void Distribution::describe_as(Visitor& v, const About& about) {
  v.variant(law_, about);
  check_range(v, about, support());
}

}  // namespace hearsay::sim
