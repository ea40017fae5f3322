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

/// The minimum epsilon >= 0; 0 for T = 0. Relative error below 1e-9 for T up to 1e5; O(sqrt(T) + 1/epsilon_0)
/// terms at most T, all positive, scaled by delta, so that nothing cancels or underflows. Throws
/// std::invalid_argument unless epsilon_0 > 0, T >= 0 and 0 < delta < 1.
double kairouz_exact_epsilon(double epsilon_0, std::int64_t steps, double delta);

/// The minimum delta at `epsilon` >= 0; 0 from T epsilon_0 on.
double kairouz_exact_delta(double epsilon_0, std::int64_t steps, double epsilon);

/// The same of a sequence of steps with equal epsilons. Throws std::invalid_argument otherwise, and for
/// Gaussian steps.
double kairouz_exact_epsilon(std::span<const StepRun> runs, double delta);
double kairouz_exact_delta(std::span<const StepRun> runs, double epsilon);

}  // namespace hearsay::models
