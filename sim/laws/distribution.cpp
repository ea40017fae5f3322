#include "sim/laws/distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/random/elementary.hpp"
#include "sim/random/random.hpp"

namespace hearsay::sim {

namespace {

// Gamma of mean shape * scale, with as many draws as Boost.Random's takes for it. For shape > 1 from the tangent of a
// uniform angle, for shape < 1 from an exponential and a power (Ahrens and Dieter, Computer methods for sampling from
// gamma, beta, Poisson and binomial distributions, 1974, algorithms GC and GS).
double gamma_time(Stream& s, double shape, double scale) {
  if (shape == 1) return exponential(s) * scale;
  const double rest = shape - 1;
  if (shape > 1) {
    const double width = std::sqrt(2 * shape - 1);
    while (true) {
      const double y = tangent_of_pi(uniform(s)), x = width * y + rest;
      if (x <= 0) continue;
      if (uniform(s) <= (1 + y * y) * exponential_of(rest * logarithm_of(x / rest) - width * y))
        return x * scale;
    }
  }
  const double below = std::numbers::e / (shape + std::numbers::e);
  while (true) {
    const double u = uniform(s), y = exponential(s);
    const double x = u < below ? exponential_of(-y / shape) : 1 + y;
    if (u < (u < below ? below * exponential_of(-x) : below + (1 - below) * power_of(x, rest)))
      return x * scale;
  }
}

}  // namespace

void Constant::describe(Visitor& v) {
  v(value, {.name = "value", .help = "Value.", .unit = "=", .required = true});
}

void Uniform::describe(Visitor& v) {
  v(min, {.name = "min", .help = "Minimum.", .unit = "="});
  v(max, {.name = "max", .help = "Maximum.", .unit = "=", .required = true});
  v.check(max >= min, "max", "expected at least min ({}), found {}", v.shown(min, "="), v.shown(max, "="));
}
double Uniform::sample(Stream& s) const {
  return uniform(s, min, max);
}
double Uniform::sample_size_biased(Stream& s) const {
  // Inverse of the distribution function (x^2 - min^2)/(max^2 - min^2).
  return std::sqrt(uniform(s, min * min, max * max));
}

void Exponential::describe(Visitor& v) {
  v(average, {.name = "mean", .help = "Mean.", .unit = "=", .min = 0, .required = true});
}
double Exponential::sample(Stream& s) const {
  return exponential(s, average);
}
double Exponential::sample_size_biased(Stream& s) const {
  return average == 0 ? 0 : gamma_time(s, 2, average);
}

void Lognormal::describe(Visitor& v) {
  v(median, {.name = "median", .help = "Median.", .unit = "=", .min = 0, .required = true});
  v(sigma,
    {.name = "sigma", .help = "Standard deviation of the logarithm.", .min = 0, .max = 20, .required = true});
}
double Lognormal::sample(Stream& s) const {
  return median * exponential_of(normal(s, 0, sigma));
}
double Lognormal::sample_size_biased(Stream& s) const {
  return median * exponential_of(normal(s, sigma * sigma, sigma));
}
double Lognormal::mean() const {
  return median * std::exp(sigma * sigma / 2);
}

void Gamma::describe(Visitor& v) {
  v(shape, {.name = "shape", .help = "Shape.", .min = 0, .open_min = true, .required = true});
  v(average, {.name = "mean", .help = "Mean: shape times scale.", .unit = "=", .min = 0, .required = true});
}
double Gamma::sample(Stream& s) const {
  return average == 0 ? 0 : gamma_time(s, shape, average / shape);
}
double Gamma::sample_size_biased(Stream& s) const {
  return average == 0 ? 0 : gamma_time(s, shape + 1, average / shape);
}

void Pareto::describe(Visitor& v) {
  v(min, {.name = "min", .help = "Minimum.", .unit = "=", .min = 0, .required = true});
  v(alpha, {.name = "alpha", .help = "Tail exponent.", .min = 0, .open_min = true, .required = true});
}
double Pareto::sample(Stream& s) const {
  return min == 0 ? 0 : min * power_of(1 - uniform(s), -1 / alpha);
}
double Pareto::sample_size_biased(Stream& s) const {
  return min == 0 ? 0 : min * power_of(1 - uniform(s), -1 / (alpha - 1));
}
double Pareto::mean() const {
  if (min == 0) return 0;
  return alpha > 1 ? alpha * min / (alpha - 1) : std::numeric_limits<double>::infinity();
}

namespace {

double mean_of(const Mixture::Part& part) {
  return std::visit([](const auto& law) { return law.mean(); }, part.law);
}

// A part, with probability proportional to its length.
template <class Length>
const Mixture::Part& pick(const std::vector<Mixture::Part>& parts, Stream& s, Length length) {
  double total = 0;
  for (const Mixture::Part& part : parts) total += length(part);
  double at = uniform(s) * total;
  for (const Mixture::Part& part : parts) {
    at -= length(part);
    if (at < 0) return part;
  }
  return parts.back();
}

}  // namespace

void Mixture::Part::describe(Visitor& v) {
  v(weight, positive("weight", "Weight of the distribution relative to the others."));
  v(law, {.name = "law", .help = "Distribution.", .unit = "=", .required = true});
}
void Mixture::describe(Visitor& v) {
  v(parts, {.name = "parts", .help = "Distributions and their weights.", .required = true});
  v.check(!parts.empty(), "parts", "expected at least one law");
}
double Mixture::sample(Stream& s) const {
  const Part& part = pick(parts, s, [](const Part& p) { return p.weight; });
  return std::visit([&s](const auto& law) { return law.sample(s); }, part.law);
}
double Mixture::sample_size_biased(Stream& s) const {
  // The probability that a fixed instant is in a period of a part is proportional to the time that they cover.
  const Part& part = pick(parts, s, [](const Part& p) { return p.weight * mean_of(p); });
  return std::visit([&s](const auto& law) { return law.sample_size_biased(s); }, part.law);
}
double Mixture::mean() const {
  double total = 0, sum = 0;
  for (const Part& part : parts) {
    total += part.weight;
    sum += part.weight * mean_of(part);
  }
  return parts.empty() ? 0 : sum / total;
}
double Mixture::lower() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const Part& part : parts)
    smallest = std::min(smallest, std::visit([](const auto& law) { return law.lower(); }, part.law));
  return parts.empty() ? 0 : smallest;
}
double Mixture::upper() const {
  double largest = -std::numeric_limits<double>::infinity();
  for (const Part& part : parts)
    largest = std::max(largest, std::visit([](const auto& law) { return law.upper(); }, part.law));
  return parts.empty() ? 0 : largest;
}

void check_range(Visitor& v, const About& about, const Support& support) {
  const auto [lower, upper, attained] = support;
  const bool above = about.open_min && attained ? lower > about.min : lower >= about.min;
  const bool below = about.open_max && attained ? upper < about.max : upper <= about.max;
  const auto text = [&](double x) {
    return std::isfinite(x) ? v.shown(x, about.unit) : fmt::format("{}", x);
  };
  v.check(above && below, about.name, "expected values in {}{}, {}{}, found values in [{}, {}]",
          about.open_min ? '(' : '[', text(about.min), text(about.max), about.open_max ? ')' : ']',
          text(lower), text(upper));
}

void Distribution::check_range(Visitor& v, const About& about) const {
  const auto* mixture = std::get_if<Mixture>(&law_);
  if (mixture == nullptr || !mixture->parts.empty()) sim::check_range(v, about, support());
}

void Distribution::describe_as(Visitor& v, const About& about) {
  v.variant(law_, about);
  check_range(v, about);
}

}  // namespace hearsay::sim
