#pragma once
// Mechanisms: they draw noise; composition and budgets are elsewhere. A mechanism is a record here and, unless its
// releases are of a kind that accountants know, a row of kStepLaws (accountants/step_kind.hpp).
//
//   none              x
//   laplace           x + w, w_j independent with density exp(-|w|/b)/(2b)               b = Delta_1/epsilon
//   gaussian          x + w, w_j independent N(0, s^2)                                   s = z Delta_2
//   exponential_norm  x + w, density of w in R^d proportional to exp(-beta norm_2(w)):   1/beta = Delta_2/epsilon
//                     a Gamma(d, 1/beta) radius times a uniform direction
//
// Delta_1 and Delta_2 are the sensitivities: sup norm_1(x - x') and sup norm_2(x - x') over neighbouring
// data. laplace and exponential_norm make one release epsilon-differentially private; the noise multiplier z
// of gaussian is set by the accountant or, if that composes stated guarantees, by a calibration.
//
// Source: Dwork, McSherry, Nissim, Smith 2006; Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 1; gaussian.hpp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "models/algebra/norm.hpp"
#include "models/privacy/accountants/step.hpp"
#include "sim/check.hpp"
#include "sim/random/random.hpp"
#include "sim/random/words_ahead.hpp"

namespace hearsay::models {

// A record: name and help; the norm of the sensitivity and the kind of a release as accountants see it; its options;
//   add_noise(x, scale, s)   x += noise of that scale, drawn from s, without allocation. Noise is symmetric about 0; that
//                            of scale -b is the negative of that of scale b, bit by bit
//   energy(d, scale)         E norm_2(noise)^2 in R^d

struct NoNoise {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "No noise; no privacy guarantee.";
  static constexpr Norm kNorm = Norm::kL1;
  static constexpr StepKind kStep = StepKind::kPure;
  void describe(sim::Visitor&) {}
  static void add_noise(std::span<double>, double, sim::Stream&) {
    sim::check(false, "a pure step names no noise");
  }
  static double energy(double, double) { return 0; }
};

/// The words that the ziggurats of so many normal or exponential numbers take, but for one time in 20.
inline std::size_t words_for(std::size_t numbers) {
  return numbers + numbers / 32 + 1;
}

/// Coordinates are independent. One word of the stream gives the signs of 64, the others the exponential magnitudes.
struct Laplace {
  static constexpr std::string_view kName = "laplace";
  static constexpr std::string_view kHelp =
      "Independent Laplace noise on every coordinate, with scale L1 sensitivity / epsilon.";
  static constexpr Norm kNorm = Norm::kL1;
  static constexpr StepKind kStep = StepKind::kLaplace;
  void describe(sim::Visitor&) {}
  static void add_noise(std::span<double> x, double scale, sim::Stream& s) {
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
        x[j] += std::bit_cast<double>(std::bit_cast<std::uint64_t>(scale * magnitudes[j]) ^ minus);
      }
    }
  }
  static double energy(double d, double scale) { return 2 * d * scale * scale; }
};

struct Gaussian {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kHelp =
      "Independent normal noise on every coordinate, proportional to the L2 sensitivity; requires delta.";
  static constexpr Norm kNorm = Norm::kL2;
  static constexpr StepKind kStep = StepKind::kGaussian;
  GaussianCalibration calibration = GaussianCalibration::kAnalytic;
  std::optional<double> delta_step;
  void describe(sim::Visitor& v) {
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
  static void add_noise(std::span<double> x, double scale, sim::Stream& s) {
    boost::random::normal_distribution<double> standard;
    sim::WordsAhead words(s, words_for(x.size()));
    for (double& value : x) value += scale * standard(words);
  }
  static double energy(double d, double scale) { return d * scale * scale; }
};

/// The radius is drawn first; the direction is that of a normal vector, which is drawn twice: first for its length.
struct ExponentialNorm {
  static constexpr std::string_view kName = "exponential_norm";
  static constexpr std::string_view kHelp =
      "Noise with density proportional to exp(-beta norm_2), beta = epsilon / L2 sensitivity.";
  static constexpr Norm kNorm = Norm::kL2;
  static constexpr StepKind kStep = StepKind::kExponentialNorm;
  void describe(sim::Visitor&) {}
  static void add_noise(std::span<double> x, double scale, sim::Stream& s) {
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
  static double energy(double d, double scale) { return d * (d + 1) * scale * scale; }
};

/// A scenario without privacy says "none"; there is no default.
using Mechanism = std::variant<NoNoise, Laplace, Gaussian, ExponentialNorm>;

/// Calls f(record) for every mechanism, with default options.
template <class F>
void for_each_mechanism(const F& f) {
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    (f(std::variant_alternative_t<k, Mechanism>{}), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Mechanism>>());
}

inline bool is_private(const Mechanism& m) {
  return !std::holds_alternative<NoNoise>(m);
}
/// The norm of the sensitivity.
inline Norm norm_of(const Mechanism& m) {
  return std::visit([](const auto& record) { return record.kNorm; }, m);
}
inline std::string_view name_of(const Mechanism& m) {
  return std::visit([](const auto& record) { return record.kName; }, m);
}
inline const StepLaw& law_of(const Mechanism& m) {
  return law_of(std::visit([](const auto& record) { return record.kStep; }, m));
}
/// How a release that is not pure is calibrated to (epsilon, delta), and its delta if that is given.
inline Gaussian calibration_of(const Mechanism& m) {
  const auto* gaussian = std::get_if<Gaussian>(&m);
  return gaussian != nullptr ? *gaussian : Gaussian{};
}

/// One release in R^dimension as accountants see it, without its strength.
inline Step shape_of(const Mechanism& m, int dimension) {
  return {.kind = law_of(m).kind, .dimension = law_of(m).scalar ? 1 : dimension};
}

/// b, s or 1/beta above for a release that costs `step`. `sensitivity`: in the norm of the step's kind.
inline double noise_scale(double sensitivity, const Step& step) {
  return step.law().pure ? sensitivity / step.epsilon : sensitivity * step.noise_multiplier;
}
/// x += noise of that scale, of the kind of the step, drawn from `s`. A pure step names no noise.
inline void add_noise(StepKind kind, std::span<double> x, double scale, sim::Stream& s) {
  for_each_mechanism([&](const auto& record) {
    if (record.kStep == kind) record.add_noise(x, scale, s);
  });
}

/// E norm_2(noise)^2 of such noise on d numbers; 0 of a pure step.
inline double noise_energy(StepKind kind, double d, double scale) {
  double energy = 0;
  for_each_mechanism([&](const auto& record) {
    if (record.kStep == kind) energy = record.energy(d, scale);
  });
  return energy;
}

}  // namespace hearsay::models
