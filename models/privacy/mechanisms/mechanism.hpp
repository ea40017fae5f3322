#pragma once
// Mechanisms: they draw noise; composition and budgets are elsewhere.
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
#include <optional>
#include <variant>

#include "models/algebra/norm.hpp"
#include "models/privacy/accountants/step.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

struct NoNoise {
  static constexpr std::string_view kName = "none";
  static constexpr std::string_view kHelp = "No noise; no privacy guarantee.";
  static constexpr Norm kNorm = Norm::kL1;
  static constexpr StepKind kStep = StepKind::kPure;
  void describe(sim::Visitor&) {}
};

struct Laplace {
  static constexpr std::string_view kName = "laplace";
  static constexpr std::string_view kHelp =
      "Independent Laplace noise on every coordinate, with scale L1 sensitivity / epsilon.";
  static constexpr Norm kNorm = Norm::kL1;
  static constexpr StepKind kStep = StepKind::kLaplace;
  void describe(sim::Visitor&) {}
};

struct Gaussian {
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kHelp =
      "Independent normal noise on every coordinate, proportional to the L2 sensitivity; requires delta.";
  static constexpr Norm kNorm = Norm::kL2;
  static constexpr StepKind kStep = StepKind::kGaussian;
  GaussianCalibration calibration = GaussianCalibration::kAnalytic;
  std::optional<double> delta_step;
  void describe(sim::Visitor& v);
};

struct ExponentialNorm {
  static constexpr std::string_view kName = "exponential_norm";
  static constexpr std::string_view kHelp =
      "Noise with density proportional to exp(-beta norm_2), beta = epsilon / L2 sensitivity.";
  static constexpr Norm kNorm = Norm::kL2;
  static constexpr StepKind kStep = StepKind::kExponentialNorm;
  void describe(sim::Visitor&) {}
};

/// A scenario without privacy says "none"; there is no default.
using Mechanism = std::variant<NoNoise, Laplace, Gaussian, ExponentialNorm>;

inline bool is_private(const Mechanism& m) {
  return !std::holds_alternative<NoNoise>(m);
}
/// The norm of the sensitivity.
inline Norm norm_of(const Mechanism& m) {
  return std::visit([](const auto& kind) { return kind.kNorm; }, m);
}
inline std::string_view name_of(const Mechanism& m) {
  return std::visit([](const auto& kind) { return kind.kName; }, m);
}

inline GaussianCalibration calibration_of(const Mechanism& m) {
  const auto* gaussian = std::get_if<Gaussian>(&m);
  return gaussian != nullptr ? gaussian->calibration : GaussianCalibration::kAnalytic;
}

/// One release in R^dimension as accountants see it, without its strength.
Step shape_of(const Mechanism& mechanism, int dimension);

/// b, s or 1/beta above for a release that costs `step`. `sensitivity`: in the norm of the step's kind.
double noise_scale(double sensitivity, const Step& step);
/// x += noise of that scale (>= 0), of the kind of the step, drawn from `s`. A pure step names no noise. No
/// allocation.
void add_noise(StepKind kind, std::span<double> x, double scale, sim::Stream& s);

/// x += w with independent Laplace(0, scale) coordinates. One word of `s` gives the signs of 64 coordinates,
/// the rest the exponential magnitudes.
void add_laplace(std::span<double> x, double scale, sim::Stream& s);
/// x += w with independent N(0, scale^2) coordinates.
void add_gaussian(std::span<double> x, double scale, sim::Stream& s);
/// x += w with density proportional to exp(-norm_2(w)/scale). The radius is drawn first; the direction is
/// that of a normal vector, which is drawn twice: first for its length.
void add_exponential_norm(std::span<double> x, double scale, sim::Stream& s);

}  // namespace hearsay::models
