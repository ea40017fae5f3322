#include "models/privacy/mechanisms/mechanism.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include "sim/check.hpp"
#include "sim/random/random.hpp"

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

void add_laplace(std::span<double> x, double scale, sim::Stream& s) {
  boost::random::exponential_distribution<double> magnitude;
  std::uint64_t signs = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (j % 64 == 0) signs = s();
    // The sign is set as a bit: a branch would be mispredicted half the time.
    const std::uint64_t minus = (~signs & 1) << 63;
    x[j] += std::bit_cast<double>(std::bit_cast<std::uint64_t>(scale * magnitude(s)) | minus);
    signs >>= 1;
  }
}

void add_gaussian(std::span<double> x, double scale, sim::Stream& s) {
  boost::random::normal_distribution<double> standard;
  for (double& value : x) value += scale * standard(s);
}

void add_exponential_norm(std::span<double> x, double scale, sim::Stream& s) {
  if (x.empty()) return;
  const double radius = scale * sim::gamma(s, static_cast<double>(x.size()));
  boost::random::normal_distribution<double> standard;
  for (;;) {
    sim::Stream ahead = s;
    double square = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double z = standard(ahead);
      square += z * z;
    }
    if (!(square > 0)) {  // no direction
      s = ahead;
      continue;
    }
    const double factor = radius / std::sqrt(square);
    for (double& value : x) value += factor * standard(s);
    return;
  }
}

}  // namespace hearsay::models
