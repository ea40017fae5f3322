#include "analysis/theory/sync_moments.hpp"

#include "sim/check.hpp"

namespace hearsay::analysis {

double SyncMoments::psi(std::uint64_t k) const {
  sim::check(k >= 2, "the expected fitness is known from the second iteration on");
  double sum = 0;
  for (const double e : epsilon) sum += 1 / (e * e);
  const double scale = bound * horizon / records;
  return 4 * p * scale * scale * sum / (static_cast<double>(k - 1) * hessian * f_star);
}

}  // namespace hearsay::analysis
