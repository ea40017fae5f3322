#pragma once
// Composition in closed form: basic, kairouz, zcdp.
//
// basic: releases that are (e_t, d_t)-differentially private are together (sum e_t, sum d_t)-differentially
// private, also when chosen adaptively.
// Source: Dwork, Kenthapadi, McSherry, Mironov, Naor 2006; Dwork and Roth 2014, Theorem 3.16.
//
// kairouz: releases that are e_t-differentially private, t = 1..T, are together (epsilon, d)-differentially
// private for every d in (0, 1), epsilon the minimum of
//   (a)  sum e_t
//   (b)  D + sqrt(2 V ln(e + sqrt(V)/d))
//   (c)  D + sqrt(2 V ln(1/d))
// with the drift D = sum e_t (e^e_t - 1)/(e^e_t + 1) = sum e_t tanh(e_t/2), and V = sum e_t^2. The drift
// is outside the root; (b) and (c) may exceed (a).
// Releases that are (e_t, d_t)-private cost delta = 1 - (1 - d) prod (1 - d_t).
// Source: Kairouz, Oh, Viswanath 2015, Theorem 3.5; Bellet, Guerraoui, Taziki, Tommasi 2018,
// "Personalized and Private Peer-to-Peer Machine Learning", Theorem 1 and Remark 4.
//
// zcdp: a release is rho-zCDP when its Renyi divergence of every order a > 1 is at most rho a. The rho of
// releases add up, and (epsilon, delta)-differential privacy follows with
//   epsilon = rho + 2 sqrt(rho ln(1/delta)),   delta = exp(-(epsilon - rho)^2/(4 rho)) for epsilon >= rho.
// A pure epsilon step has rho = epsilon^2/2, a Gaussian one with noise multiplier z has 1/(2 z^2). If every
// step is pure, the plain sum of the epsilons holds as well, and the minimum counts.
// Source: Bun and Steinke 2016, Propositions 1.3, 1.4 and 1.6, Lemma 1.8.
//
// All are O(r log r) in the runs; kairouz and zcdp are finite for epsilon in [1e-9, 50], T up to 1e7, delta in
// [1e-300, 0.5], and throw std::invalid_argument unless 0 < delta < 1.
#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

struct BasicTotal {
  double epsilon = 0, delta = 0;
};

/// The totals; (0, 0) for no steps. A Gaussian step counts with the (epsilon, delta) it was calibrated to.
/// Throws std::invalid_argument for a Gaussian step that has none, or that is sampled.
BasicTotal basic_total(std::span<const StepRun> runs);

struct KairouzTerms {
  double sum = 0;             ///< (a)
  double with_e = 0;          ///< (b)
  double with_log_delta = 0;  ///< (c)
  double smallest() const;
};

/// (a), (b) and (c) at `delta`, which is d: no step may have a delta.
KairouzTerms kairouz_terms(std::span<const StepRun> runs, double delta);

/// The total epsilon at total `delta`, the deltas of the steps included: (a) alone if nothing remains for d.
/// Throws std::invalid_argument when the deltas of the steps exceed `delta`.
double kairouz_epsilon(std::span<const StepRun> runs, double delta);

/// The minimum total delta at total `epsilon`, by inverting (b) and (c) in closed form; 1 if no d < 1 gives it.
double kairouz_delta(std::span<const StepRun> runs, double epsilon);

/// The rho of one step; a sampled pure step counts with its amplified epsilon.
/// Throws std::invalid_argument for a sampled Gaussian step: zCDP has no amplification.
double zcdp_rho(const Step& step);

double zcdp_epsilon(std::span<const StepRun> runs, double delta);

/// The minimum delta that the conversion gives at `epsilon`; 1 where it gives none.
double zcdp_delta(std::span<const StepRun> runs, double epsilon);

// Optimal composition of T equal releases, each e-differentially private. The loss of the worst mechanism,
// randomised response, is (T - 2l) e with probability C(T, l) e^((T-l) e)/(1 + e^e)^T, hence
//   delta(epsilon) = sum_l C(T, l) max(0, e^((T-l) e) - e^(epsilon + l e)) / (1 + e^e)^T,
// and epsilon(delta) is its continuous inverse, not the smallest point of the grid (T - 2i) e.
// Holds for any adaptive choice of pure mechanisms, sampled ones through their amplified epsilon; no smaller
// bound uses e and T alone.
//
// Source: Kairouz, Oh, Viswanath 2015, Theorem 3.3; Murtagh and Vadhan 2016.

/// The minimum epsilon >= 0; 0 for T = 0. Relative error below 1e-9 for T up to 1e5; O(sqrt(T) + 1/e) terms, at
/// most T, all positive, scaled by delta, so that nothing cancels or underflows. Throws std::invalid_argument
/// unless 0 < delta < 1 and all steps have the same epsilon; and for Gaussian steps.
double kairouz_exact_epsilon(std::span<const StepRun> runs, double delta);

/// The minimum delta at `epsilon` >= 0; 0 from T e on.
double kairouz_exact_delta(std::span<const StepRun> runs, double epsilon);

}  // namespace hearsay::models
