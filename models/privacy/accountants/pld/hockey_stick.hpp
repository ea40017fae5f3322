#pragma once
// Exact delta(epsilon) of single releases: the hockey-stick divergence of the pair (P, Q) that dominates one,
//   delta(epsilon) = E_P[(1 - e^(epsilon - L))+],   L = ln dP/dQ.
//   pure      randomised response            -expm1(epsilon - e)/(1 + e^-e), 0 <= epsilon <= e
//   Laplace   Lap(0, b), and shifted by e b  -expm1((epsilon - e)/2), 0 <= epsilon <= e
//   Gaussian  N(0, z^2) and N(1, z^2)        gaussian.hpp, mu = 1/z
//
// Poisson sampling at rate q under add_remove: P = (1-q) Q + q P_0 when the record is removed, with
//   delta(epsilon) = q delta_0(ln(1 + (e^epsilon - 1)/q)),
// and P and Q exchanged when it is added.
//
// Below epsilon = 0, where delta(epsilon) tends to 1 - e^epsilon, what counts is the excess
//   E(epsilon) = delta(epsilon) - max(0, 1 - e^epsilon);
// exchanging P and Q turns it into e^epsilon E(-epsilon).
//
// Source: Kairouz, Oh, Viswanath 2015; Balle and Wang 2018; Zhu, Dong, Wang 2022.
#include "models/privacy/accountants/step.hpp"

namespace hearsay::models {

class HockeyStick {
 public:
  enum class Direction { kRemove, kAdd };

  /// Throws std::invalid_argument for exponential_norm in d > 1, whose loss is not that of a scalar, and for
  /// a sampled Gaussian step under replace_one. Other sampled steps under replace_one count as pure ones of
  /// amplified epsilon.
  HockeyStick(const Step& step, Adjacency adjacency);

  /// E(epsilon), any sign, any size; relative error of about 1e-12 also where E is tiny. Non-negative.
  double excess(double epsilon, Direction direction) const;

  bool symmetric() const { return sampling_rate_ == 1; }  ///< the same in both directions
  /// The largest loss, infinite for Gaussian noise (up to e^epsilon <= 1 - q on the other side).
  double largest_loss() const;

 private:
  double base_excess(double epsilon) const;

  StepKind kind_;
  double parameter_;  // epsilon, or mu for Gaussian noise
  double sampling_rate_;
};

}  // namespace hearsay::models
