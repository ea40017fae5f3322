#pragma once
// The best of a random number K of trials, as tuning returns it. A trial draws one candidate, runs it with noise of its own
// and gives it a score; only the trial with the best score is returned. K is drawn from the truncated negative binomial
// distribution of eta > -1 and 0 < gamma < 1, with k = 1, 2, ...:
//   P(1) = eta (1 - gamma)/(gamma^-eta - 1),  P(k + 1) = P(k) (1 - gamma)(k + eta)/(k + 1)
//   E K  = eta (1 - gamma)/(gamma (1 - gamma^eta))
// and the limits where eta = 0: P(1) = (1 - gamma)/ln(1/gamma), E K = (1/gamma - 1)/ln(1/gamma). That is the logarithmic
// distribution; eta = 1 is the geometric one. If a trial has Renyi divergences R(a) and R(b), then for all a and b the
// result has at most
//   R'(a) = R(a) + (1 + eta) ((1 - 1/b) R(b) + ln(1/gamma)/b) + ln(E K)/(a - 1).
// With a = b = infinity: (2 + eta) epsilon, if a trial is purely private.
//
// Source: Papernot and Steinke 2022, "Hyperparameter Tuning with Renyi Differential Privacy", Definition 1 and Theorem 2.
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::models {

struct TrialCount {
  double eta = 1, gamma = 0.1;
  /// That of a mean above 1. Throws std::invalid_argument unless there is a gamma above 1e-304.
  static TrialCount of_mean(double eta, double mean);
  double mean() const;
  /// P(1).
  double once() const;
  /// The smallest k with P(1) + ... + P(k) > u, for u in [0, 1). O(k).
  std::uint64_t quantile(double u) const;
};

/// R' from R, each at renyi_orders() and infinity, at the best b of these and 1.
std::vector<double> best_of_trials(std::span<const double> curve, const TrialCount& trials);

}  // namespace hearsay::models
