#pragma once
// Optimal composition of T equal releases, each e-differentially private. The loss of the worst mechanism,
// randomised response, is (T - 2l) e with probability C(T, l) e^((T-l) e)/(1 + e^e)^T, hence
//   delta(epsilon) = sum_l C(T, l) max(0, e^((T-l) e) - e^(epsilon + l e)) / (1 + e^e)^T,
// and epsilon(delta) is its continuous inverse, not the smallest point of the grid (T - 2i) e.
// Holds for any adaptive choice of pure mechanisms, sampled ones through their amplified epsilon; no smaller
// bound uses e and T alone.
//
// Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3; Murtagh and Vadhan 2016.
#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

/// The minimum epsilon >= 0; 0 for T = 0. Relative error below 1e-9 for T up to 1e5; O(sqrt(T) + 1/e) terms, at
/// most T, all positive, scaled by delta, so that nothing cancels or underflows. Throws std::invalid_argument
/// unless 0 < delta < 1 and all steps have the same epsilon; and for Gaussian steps.
double kairouz_exact_epsilon(std::span<const StepRun> runs, double delta);

/// The minimum delta at `epsilon` >= 0; 0 from T e on.
double kairouz_exact_delta(std::span<const StepRun> runs, double epsilon);

}  // namespace hearsay::models
