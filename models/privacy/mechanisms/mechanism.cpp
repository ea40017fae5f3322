#include "models/privacy/mechanisms/mechanism.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <vector>

#include "sim/check.hpp"
#include "sim/random/random.hpp"
#include "sim/random/words_ahead.hpp"

namespace hearsay::models {

void Gaussian::describe(sim::Visitor& v) {
  v(calibration, {.name = "calibration",
                  .help = "Formula that calibrates the noise of one release with the accountants basic and "
                          "kairouz; the others compute the noise directly."});
  v(delta_step, {.name = "delta_step",
                 .help = "Delta of one release with the accountants basic and kairouz; by default delta/T, "
                         "half of that with kairouz.",
                 .min = 0,
                 .max = 1,
                 .open_min = true,
                 .open_max = true});
}

Step shape_of(const Mechanism& mechanism, int dimension) {
  const StepKind kind = std::visit([](const auto& m) { return m.kStep; }, mechanism);
  return {.kind = kind, .dimension = kind == StepKind::kExponentialNorm ? dimension : 1};
}

double noise_scale(double sensitivity, const Step& step) {
  return step.kind == StepKind::kGaussian ? sensitivity * step.noise_multiplier : sensitivity / step.epsilon;
}

void add_noise(StepKind kind, std::span<double> x, double scale, sim::Stream& s) {
  switch (kind) {
    case StepKind::kLaplace:
      return add_laplace(x, scale, s);
    case StepKind::kGaussian:
      return add_gaussian(x, scale, s);
    case StepKind::kExponentialNorm:
      return add_exponential_norm(x, scale, s);
    case StepKind::kPure:
      break;
  }
  sim::check(false, "a pure step names no noise");
}

namespace {

// That the ziggurats of so many normal or exponential numbers take, but for one time in 20.
std::size_t words_for(std::size_t numbers) {
  return numbers + numbers / 32 + 1;
}

}  // namespace

void add_laplace(std::span<double> x, double scale, sim::Stream& s) {
  boost::random::exponential_distribution<double> magnitude;
  sim::WordsAhead words(s, words_for(x.size()) + x.size() / 64);
  // A word has the signs of the next 64 numbers. They are set as bits: a branch would be mispredicted half the time.
  double magnitudes[64];
  for (; !x.empty(); x = x.subspan(std::min(x.size(), std::size(magnitudes)))) {
    const std::uint64_t signs = words();
    const std::size_t count = std::min(x.size(), std::size(magnitudes));
    for (std::size_t j = 0; j < count; ++j) magnitudes[j] = magnitude(words);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint64_t minus = (~signs >> j) << 63;
      x[j] += std::bit_cast<double>(std::bit_cast<std::uint64_t>(scale * magnitudes[j]) | minus);
    }
  }
}

void add_gaussian(std::span<double> x, double scale, sim::Stream& s) {
  boost::random::normal_distribution<double> standard;
  sim::WordsAhead words(s, words_for(x.size()));
  for (double& value : x) value += scale * standard(words);
}

void add_exponential_norm(std::span<double> x, double scale, sim::Stream& s) {
  if (x.empty()) return;
  const double radius = scale * sim::gamma(s, static_cast<double>(x.size()));
  boost::random::normal_distribution<double> standard;
  sim::WordsAhead words(s, words_for(x.size()));
  thread_local std::vector<double> direction;
  direction.resize(x.size());
  double square = 0;
  while (!(square > 0)) {
    for (double& z : direction) {
      z = standard(words);
      square += z * z;
    }
  }
  const double factor = radius / std::sqrt(square);
  for (std::size_t j = 0; j < x.size(); ++j) x[j] += factor * direction[j];
}

}  // namespace hearsay::models
