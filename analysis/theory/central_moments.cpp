#include "analysis/theory/central_moments.hpp"

#include <cmath>

namespace hearsay::analysis {

namespace {

// a, h and n_i eps.
double step(const CentralSetting& s) {
  return s.rho / (s.horizon * s.horizon * s.sigma);
}
double hessian(const CentralSetting& s) {
  return (s.hessian_min + s.hessian_max) / 2;
}
double noise_divisor(const CentralSetting& s) {
  return s.records / s.owners() * std::sqrt(s.owners() / s.inverse_squares());
}

}  // namespace

double expected_psi(const CentralSetting& s, std::uint64_t k) {
  struct Moments {
    double a, b, c, d;
  };
  const double step_size = step(s), h = hessian(s), shrink = 1 - step_size * h, n = s.owners();
  const double scale = noise_divisor(s);
  const double variance = 8 * s.bound * s.bound * s.horizon * s.horizon / (scale * scale);
  const auto after = [&](Moments m, double v) {
    for (std::uint64_t i = 0; i < k; ++i) {
      const double bar = (m.a + m.b + 2 * m.c) / 4, cross = (m.c + m.d) / 2;
      m = {bar, (shrink * shrink * bar + step_size * step_size * v) / n + (1 - 1 / n) * m.b,
           shrink * bar / n + (1 - 1 / n) * cross, 2 / n * shrink * cross + (1 - 2 / n) * m.d};
    }
    return m.a;
  };
  return s.psi_start * after({1, 1, 1, 1}, 0) +
         s.dimension * h / (2 * s.f_star) * after({0, 0, 0, 0}, variance);
}

double stationary_noise(const CentralSetting& s) {
  const double n = s.owners(), x = step(s) * hessian(s), scale = noise_divisor(s);
  return 4 * s.dimension * s.rho * s.bound * s.bound * (1 + n * x) /
         (s.sigma * scale * scale * s.f_star * (2 * (n + 1) + (2 * n + 1) * x - n * x * x));
}

}  // namespace hearsay::analysis
