#pragma once
// The inverse problem: given a total budget (epsilon, delta) over T releases, how private must each be?
//
// Every accountant's total rises with the epsilon of each step and falls with its noise: the answer is where the
// total crosses the budget. Found by root bracketing, to 1e-12 relative or better (pld: 1e-9, finer than its grid);
// of the two neighbouring numbers the one that keeps the budget is returned.
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

#include "models/privacy/accountants/accountant.hpp"
#include "models/privacy/accountants/theorems/gaussian.hpp"

namespace hearsay::models {

/// The planned releases exceed the budget, whatever the noise.
class BudgetError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// The largest step for which `steps` of them keep total (epsilon, options.delta). `shape` gives the kind, the
/// sampling rate and the dimension, and is kept in all else. What is solved for:
///   pure, Laplace, exponential_norm   its epsilon
///   Gaussian with zcdp, rdp, pld      its noise multiplier
///   Gaussian with basic, kairouz      its epsilon at shape.delta, the delta of one step; the noise multiplier
///                                     follows by `calibration`; with basic the deltas must add up to at most
///                                     options.delta
/// Throws BudgetError where no strength keeps the budget, std::invalid_argument unless epsilon > 0 and steps >= 1,
/// and as the accountant does. Below 50 ms for T up to 1e5, pld below 2 s for T up to 1e4.
Step step_for_budget(double epsilon, std::int64_t steps, const Step& shape, const AccountantOptions& options,
                     GaussianCalibration calibration = GaussianCalibration::kAnalytic);

/// The epsilon of that step for pure releases: the budget's split over `steps` equal ones.
double epsilon_per_step(double epsilon, std::int64_t steps, const AccountantOptions& options);

/// The largest factor c for which pure releases of c * weights[k] keep the budget: it turns a schedule, which fixes
/// proportions, into epsilons under an accountant other than basic. Weights must be positive. kairouz_exact refuses
/// unequal ones.
double factor_for_budget(double epsilon, std::span<const double> weights, const AccountantOptions& options);
/// The same of releases of a given form with strengths c * weights[k]: what is solved for above, the inverse of the
/// noise multiplier in place of the multiplier.
double factor_for_budget(double epsilon, std::span<const double> weights, const Step& shape,
                         const AccountantOptions& options);
/// The release of that form and strength.
Step step_of_strength(const Step& shape, double strength, const AccountantOptions& options,
                      GaussianCalibration calibration = GaussianCalibration::kAnalytic);

/// Delta of one Gaussian release under basic and kairouz, which compose stated guarantees: `given`, or an
/// equal share of options.delta (basic), or of its half (kairouz). 0 under the other accountants.
double step_delta(std::optional<double> given, std::int64_t steps, const AccountantOptions& options);

}  // namespace hearsay::models
