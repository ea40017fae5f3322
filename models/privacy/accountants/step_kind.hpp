#pragma once
// The kinds of releases that accountants compose: a row of kStepLaws is all that they know of one. Nothing else asks
// which kind a release is of; the noise of a kind is a record in mechanisms/mechanism.hpp.
//
// Parameter x of a release: its epsilon if it is pure, else its noise multiplier z.
//
//            delta(e), e >= 0: hockey-stick divergence of the     (a - 1) R(a): Renyi divergence of order a > 1
//            pair of distributions that dominates one
//   pure     randomised response: -expm1(e - x)/(1 + e^-x)        ln((e^(a x) + e^((1-a) x))/(1 + e^x)), the worst pure one
//   Laplace  Lap(0, b), shifted by x b: -expm1((e - x)/2)         ln(a e^((a-1) x)/(2a - 1) + (a - 1) e^(-a x)/(2a - 1))
//   Gaussian N(0, z^2) and N(1, z^2): gaussian.hpp, mu = 1/z      (a - 1) a/(2 z^2)
// delta(e) = 0 for e >= x of pure ones. exponential_norm counts as a pure step, in one dimension as Laplace.
//
// Source: Kairouz, Oh, Viswanath 2015; Balle and Wang 2018; Mironov 2017, Table II; Bun and Steinke 2016.
#include <array>
#include <cmath>
#include <cstdint>

#include "models/privacy/accountants/theorems/gaussian.hpp"

namespace hearsay::models {

enum class StepKind : std::uint8_t {
  kPure,             ///< any epsilon-differentially private release
  kLaplace,          ///< scalar Laplace noise, epsilon = Delta_1 / b
  kGaussian,         ///< Gaussian noise, noise multiplier z = s / Delta_2
  kExponentialNorm,  ///< density proportional to exp(-beta norm2(z)) in R^d, epsilon = beta Delta_2
};

/// (a - 1) R(a) of one Poisson-sampled Gaussian release under add_remove, or its bound: rdp.hpp.
double sampled_gaussian_log_moment(double z, double q, double order, bool bound);

namespace step_laws {

// Above it e^-x is negligible against e^x; below it nothing overflows.
inline constexpr double kLargeMoment = 50;

inline double pure_delta(double epsilon, double x) {
  return epsilon >= x ? 0 : -std::expm1(epsilon - x) / (1 + std::exp(-x));
}
inline double laplace_delta(double epsilon, double x) {
  return epsilon >= x ? 0 : -std::expm1((epsilon - x) / 2);
}

// ln(p e^y + (1 - p) e^-y) with y = (a - 1) x, p = 1/(1 + e^-x): p e^y + (1 - p) e^-y - 1 = 2 sinh^2(y/2) +
// tanh(x/2) sinh y.
inline double pure_log_moment(double x, double order) {
  const double y = (order - 1) * x;
  if (y > kLargeMoment) return y - std::log1p(std::exp(-x));
  return std::log1p(2 * std::sinh(y / 2) * std::sinh(y / 2) + std::tanh(x / 2) * std::sinh(y));
}

// e^x - 1 - x
inline double exp_remainder(double x) {
  if (std::abs(x) > 1e-2) return std::expm1(x) - x;
  return x * x / 2 * (1 + x / 3 * (1 + x / 4 * (1 + x / 5 * (1 + x / 6))));
}

// The terms linear in x cancel exactly and are omitted.
inline double laplace_log_moment(double x, double order) {
  const double up = (order - 1) * x, down = -order * x;
  if (up > kLargeMoment) return up + std::log(order / (2 * order - 1));
  return std::log1p((order * exp_remainder(up) + (order - 1) * exp_remainder(down)) / (2 * order - 1));
}

}  // namespace step_laws

struct StepLaw {
  StepKind kind;
  /// Epsilon-differentially private by itself, so that sampling amplifies it in closed form; else (epsilon, delta) is
  /// what its noise multiplier was calibrated to.
  bool pure;
  bool scalar;                                ///< its loss is that of one number, whatever the dimension
  double (*delta)(double epsilon, double x);  ///< delta(e) of a scalar, exact
  double (*renyi)(double x, double order);    ///< R(a)
  double (*rho)(double x);                    ///< of zero-concentrated privacy: R(a) <= rho a
  /// The noise multiplier calibrated to (epsilon, delta); (a - 1) R(a) when sampled. Null if pure.
  double (*calibrated)(double epsilon, double delta, GaussianCalibration calibration) = nullptr;
  double (*sampled_log_moment)(double x, double q, double order, bool bound) = nullptr;
};

namespace step_laws {

inline constexpr auto kPureRenyi = [](double x, double order) {
  return pure_log_moment(x, order) / (order - 1);
};
inline constexpr auto kPureRho = [](double x) { return x * x / 2; };

}  // namespace step_laws

/// In the order of the kinds.
inline constexpr std::array kStepLaws{
    StepLaw{StepKind::kPure, true, true, step_laws::pure_delta, step_laws::kPureRenyi, step_laws::kPureRho},
    StepLaw{StepKind::kLaplace, true, true, step_laws::laplace_delta,
            [](double x, double order) { return step_laws::laplace_log_moment(x, order) / (order - 1); },
            step_laws::kPureRho},
    StepLaw{StepKind::kGaussian, false, true,
            [](double epsilon, double z) { return gaussian_delta(epsilon, 1 / z); },
            [](double z, double order) { return order / (2 * z * z); },
            [](double z) { return 1 / (2 * z * z); }, gaussian_noise_multiplier, sampled_gaussian_log_moment},
    StepLaw{StepKind::kExponentialNorm, true, false, step_laws::laplace_delta, step_laws::kPureRenyi,
            step_laws::kPureRho},
};

constexpr const StepLaw& law_of(StepKind kind) {
  return kStepLaws[static_cast<std::size_t>(kind)];
}
static_assert([] {
  for (std::size_t k = 0; k < kStepLaws.size(); ++k)
    if (kStepLaws[k].kind != static_cast<StepKind>(k)) return false;
  return true;
}());

}  // namespace hearsay::models
