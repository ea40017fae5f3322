#pragma once
// Advanced composition in closed form. Releases that are e_t-differentially private, t = 1..T, are together
// (epsilon, d)-differentially private for every d in (0, 1), epsilon the least of
//   (a)  sum e_t
//   (b)  D + sqrt(2 V ln(e + sqrt(V)/d))
//   (c)  D + sqrt(2 V ln(1/d))
// with the drift D = sum e_t (e^e_t - 1)/(e^e_t + 1) = sum e_t tanh(e_t/2), and V = sum e_t^2. The drift
// stands outside the root; (b) and (c) may exceed (a).
// Releases that are (e_t, d_t)-private cost delta = 1 - (1 - d) prod (1 - d_t).
//
// Source: Kairouz, Oh, Viswanath 2015, Theorem 3.5; Bellet, Guerraoui, Taziki, Tommasi 2018,
// "Personalized and Private Peer-to-Peer Machine Learning", Theorem 1 and Remark 4.
#include <span>

#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

struct KairouzTerms {
  double sum = 0;             ///< (a)
  double with_e = 0;          ///< (b)
  double with_log_delta = 0;  ///< (c)
  double least() const;
};

/// (a), (b) and (c) at `delta`, which is d: no step may have a delta of its own. Finite for epsilon in [1e-9,
/// 50], T up to 1e7, delta in [1e-300, 0.5]. Throws std::invalid_argument unless 0 < delta < 1. O(r log r) in
/// the runs.
KairouzTerms kairouz_terms(std::span<const StepRun> runs, double delta);

/// The total epsilon at total `delta`, that of the steps included: (a) alone where they leave nothing for d.
/// Throws std::invalid_argument when the steps' own deltas exceed `delta`.
double kairouz_epsilon(std::span<const StepRun> runs, double delta);

/// The least total delta at total `epsilon`, by inverting (b) and (c) in closed form; 1 when no d < 1 gives
/// it.
double kairouz_delta(std::span<const StepRun> runs, double epsilon);

}  // namespace hearsay::models
