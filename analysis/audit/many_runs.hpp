#pragma once
// What many runs certify about epsilon: a test of one data set D0 against its neighbour D1.
//
// Scores of independent runs with either data set; a rule guesses D1 where a score is on one side of a threshold. With the
// rates fpr = P(guess D1 | D0) and fnr = P(guess D0 | D1), every (epsilon, delta) private mechanism has (Kairouz, Oh and
// Viswanath 2015, Theorem 2.1)
//
//   1 - fnr <= e^epsilon fpr + delta,   1 - fpr <= e^epsilon fnr + delta
//
// so that upper bounds of both rates, which hold together with probability 1 - failure, certify
//
//   epsilon >= max(ln((1 - fnr - delta)/fpr), ln((1 - fpr - delta)/fnr))
//
// The threshold and the side are chosen on the first half of the runs, and the errors counted on the second; bounds are those
// of Clopper and Pearson 1934, at failure/2 each.
//
// A mechanism that is mu-Gaussian private (Dong, Roth and Su 2022), as Gaussian releases with mu^2 = sum (Delta/sigma)^2 are,
// has
//
//   Phi^-1(1 - fpr) - Phi^-1(fnr) <= mu
//
// and the same bounds certify mu (Nasr et al., "Tight Auditing of Differentially Private Machine Learning", 2023). A
// certified mu above a stated one refutes it, whatever the mechanism is; the epsilon at delta of a certified mu is a lower
// bound for a mechanism whose trade-off is Gaussian. This needs far fewer runs where delta is small, because the events that
// attain (epsilon, delta) are nearly as rare as delta. Of 1e5 runs of a Gaussian release with epsilon 1 at delta 1e-5 the best
// threshold certifies about 0.53 for any mechanism, and equal rates 0.91 for a Gaussian one.
#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay::analysis {

/// What is certified: epsilon of any mechanism, or mu and epsilon of a Gaussian one.
enum class TradeOff : std::uint8_t { kAny, kGaussian };

struct ManyRunsOptions {
  double delta = 0;       ///< in [0, 1); with kGaussian above 0
  double failure = 0.05;  ///< probability, at most, that more is certified than is true
  TradeOff trade_off = TradeOff::kAny;
};

struct ManyRunsCertificate {
  double epsilon = 0;    ///< certified; 0 if nothing is
  double mu = 0;         ///< certified with TradeOff::kGaussian; 0 if nothing is
  double threshold = 0;  ///< of the scores
  bool above = true;     ///< whether scores at or above the threshold are guessed to be of D1, or those below
  std::size_t runs0 = 0, runs1 = 0;                      ///< counted
  std::size_t false_positives = 0, false_negatives = 0;  ///< of them
  double fpr = 1, fnr = 1;                               ///< upper bounds
};

/// The upper bound of a probability after k successes of n: it is below the probability with probability at most alpha.
double clopper_pearson_upper(std::size_t k, std::size_t n, double alpha);

/// Scores of independent runs with D0 and with D1, at least two each and none NaN. O(n log n).
ManyRunsCertificate certify_by_runs(std::span<const double> scores0, std::span<const double> scores1,
                                    const ManyRunsOptions& options);

}  // namespace hearsay::analysis
