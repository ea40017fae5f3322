#pragma once
// The inverse problem: given a total budget (epsilon, delta) over T releases, how private must each be?
//
// Every accountant's total rises with the epsilon of each step and falls with its noise: the answer is where the
// total crosses the budget. Found by root bracketing, to 1e-12 relative or better (pld: 1e-9, finer than its grid);
// of the two neighbouring numbers the one that keeps the budget is returned.
#include <stdexcept>
#include <string_view>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"
#include "sim/check.hpp"

namespace hearsay::models {

/// Whether steps enter a composition by their stated (epsilon, delta), for which a calibration finds the noise.
constexpr bool composes_stated_guarantees(Accountant accountant) {
  return accountant == Accountant::kBasic || accountant == Accountant::kKairouz;
}

/// Whether the noise of a release of so much epsilon is that of a calibration which is not proved for it.
constexpr bool beyond_proof(GaussianCalibration calibration, Accountant accountant, double epsilon) {
  return calibration == GaussianCalibration::kPaper && composes_stated_guarantees(accountant) && epsilon > 1;
}
inline constexpr std::string_view kPaperProof =
    "paper is proved for an epsilon of at most 1, beyond which the true one can be greater; use analytic";

/// The planned releases exceed the budget, whatever the noise.
struct BudgetError : sim::Error {
  explicit BudgetError(const std::string& message) : Error(Kind::kOverBudget, {}, message) {}
};

/// The largest step for which `steps` of them keep total (epsilon, options.delta). `shape` gives the kind, the
/// sampling rate and the dimension. The unknown is:
///   pure, Laplace, exponential_norm   its epsilon
///   Gaussian with zcdp, rdp, pld      its noise multiplier
///   Gaussian with basic, kairouz      its epsilon at shape.delta, the delta of one step; the noise multiplier
///                                     follows by `calibration`; with basic the deltas must add up to at most
///                                     options.delta
/// Throws BudgetError where no strength keeps the budget, std::invalid_argument unless epsilon > 0 and steps >= 1,
/// and as the accountant does. Below 50 ms for T up to 1e5, pld below 2 s for T up to 1e4.
Step step_for_budget(double epsilon, std::int64_t steps, const Step& shape, const AccountantOptions& options,
                     GaussianCalibration calibration = GaussianCalibration::kAnalytic);

/// The largest factor c for which releases of `shape` with strengths c * weights[k] keep the budget: it turns a
/// schedule, which gives proportions, into steps under any accountant. The strength is the unknown above, the
/// inverse of a noise multiplier. Weights must be positive. kairouz_exact refuses unequal ones.
double factor_for_budget(double epsilon, std::span<const double> weights, const Step& shape,
                         const AccountantOptions& options);
/// The release of that shape and strength.
Step step_of_strength(const Step& shape, double strength, const AccountantOptions& options,
                      GaussianCalibration calibration = GaussianCalibration::kAnalytic);

/// Delta of one Gaussian release under basic and kairouz, which compose stated guarantees: `given`, or an
/// equal share of options.delta (basic), or of its half (kairouz). 0 under the other accountants.
double step_delta(std::optional<double> given, std::int64_t steps, const AccountantOptions& options);

}  // namespace hearsay::models
