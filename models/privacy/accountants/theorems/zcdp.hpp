#pragma once
// Zero-concentrated differential privacy. A release is rho-zCDP when its Renyi divergence of every order
// a > 1 is at most rho a. The rho of releases add up, and (epsilon, delta)-differential privacy follows with
//   epsilon = rho + 2 sqrt(rho ln(1/delta)),   delta = exp(-(epsilon - rho)^2/(4 rho)) for epsilon >= rho.
// A pure epsilon step has rho = epsilon^2/2, a Gaussian one with noise multiplier z has 1/(2 z^2). Where
// every step is pure the plain sum of the epsilons holds as well, and the lesser counts.
//
// Source: Bun and Steinke 2016, Propositions 1.3, 1.4 and 1.6, Lemma 1.8.
#include <span>

#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

/// The rho of one step; a sampled pure step counts with its amplified epsilon.
/// Throws std::invalid_argument for a sampled Gaussian step: zCDP has no amplification.
double zcdp_rho(const Step& step);

/// Sum of the rho. O(r log r) in the runs.
double zcdp_rho(std::span<const StepRun> runs);

/// Finite for epsilon in [1e-9, 50], T up to 1e7, delta in [1e-300, 0.5]. Throws std::invalid_argument unless
/// 0 < delta < 1.
double zcdp_epsilon(std::span<const StepRun> runs, double delta);

/// The least delta that the conversion gives at `epsilon`; 1 where it gives none.
double zcdp_delta(std::span<const StepRun> runs, double epsilon);

}  // namespace hearsay::models
