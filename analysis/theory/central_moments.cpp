#include "analysis/theory/central_moments.hpp"

#include "sim/check.hpp"

namespace hearsay::analysis {

double CentralMoments::psi(std::uint64_t k) const {
  struct Moments {
    double a, b, c, d;
  };
  const double step_size = step(), shrink = 1 - step_size * hessian, n = owners;
  const double scale = records * epsilon;
  const double variance = 8 * bound * bound * horizon * horizon / (scale * scale);
  const auto after = [&](Moments m, double v) {
    for (std::uint64_t i = 0; i < k; ++i) {
      const double bar = (m.a + m.b + 2 * m.c) / 4, cross = (m.c + m.d) / 2;
      m = {bar, (shrink * shrink * bar + step_size * step_size * v) / n + (1 - 1 / n) * m.b,
           shrink * bar / n + (1 - 1 / n) * cross, 2 / n * shrink * cross + (1 - 2 / n) * m.d};
    }
    return m.a;
  };
  return psi_start * after({1, 1, 1, 1}, 0) + p * hessian / (2 * f_star) * after({0, 0, 0, 0}, variance);
}

double CentralMoments::stationary_noise() const {
  const double n = owners, x = step() * hessian, scale = records * epsilon;
  return 4 * p * rho * bound * bound * (1 + n * x) /
         (sigma * scale * scale * f_star * (2 * (n + 1) + (2 * n + 1) * x - n * x * x));
}

double SyncMoments::psi(std::uint64_t k) const {
  sim::check(k >= 2, "the expected fitness is known from the second iteration on");
  double sum = 0;
  for (const double e : epsilon) sum += 1 / (e * e);
  const double scale = bound * horizon / records;
  return 4 * p * scale * scale * sum / (static_cast<double>(k - 1) * hessian * f_star);
}

}  // namespace hearsay::analysis
