#pragma once
// Basic composition: releases that are (epsilon_t, delta_t)-differentially private are together
//   (sum_t epsilon_t, sum_t delta_t)-differentially private.
// Assumes nothing about the releases; they may be chosen adaptively.
// Source: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006; Dwork and Roth 2014, Theorem 3.16.
#include <span>

#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

struct BasicTotal {
  double epsilon = 0, delta = 0;
};

/// The totals; (0, 0) for no steps. A Gaussian step counts with the (epsilon, delta) it was calibrated to.
/// Throws std::invalid_argument for a Gaussian step that has none, or that is sampled. O(r log r) in the
/// runs.
BasicTotal basic_total(std::span<const StepRun> runs);

/// The (epsilon_t, delta_t) of one step, sampling included; what it throws is above.
BasicTotal basic_step(const Step& step);

}  // namespace hearsay::models
