#pragma once
// Privacy losses: of single releases, on a grid, and their moments.
//
// Exact delta(epsilon) of single releases: the hockey-stick divergence of the pair (P, Q) that dominates one,
//   delta(epsilon) = E_P[(1 - e^(epsilon - L))+],   L = ln dP/dQ,   for every kind in step_kind.hpp.
//
// Poisson sampling at rate q under add_remove: P = (1-q) Q + q P_0 when the record is removed, with
//   delta(epsilon) = q delta_0(ln(1 + (e^epsilon - 1)/q)),
// and P and Q exchanged when it is added.
//
// Below epsilon = 0, where delta(epsilon) tends to 1 - e^epsilon, the relevant part is the excess
//   E(epsilon) = delta(epsilon) - max(0, 1 - e^epsilon);
// exchanging P and Q turns it into e^epsilon E(-epsilon).
//
// Source: Kairouz, Oh, Viswanath 2015; Balle and Wang 2018; Zhu, Dong, Wang 2022.
#include <cmath>

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

  const StepLaw* law_;
  double parameter_;
  double sampling_rate_;
};

/// The relevant part of a loss: outside, the excess is at most the cut.
struct LossRange {
  double lowest = 0, highest = 0;  ///< lowest < 0 < highest
};
LossRange loss_range(const HockeyStick& stick, HockeyStick::Direction direction, double cut);

/// P(L = losses[j]) of a discrete loss that dominates the exact one and agrees with its delta(epsilon) at
/// `losses`, which ascend and contain 0. `never` receives the probability of an infinite loss. Masses that
/// are zero in exact arithmetic come out as rounding errors of either sign, of the order of 1e-16/spacing.
std::vector<double> connect_the_dots(const HockeyStick& stick, HockeyStick::Direction direction,
                                     const std::vector<double>& losses, double& never);

/// A discrete loss, and how often it is incurred.
struct DiscreteLoss {
  std::vector<double> losses, masses;
  std::int64_t count = 1;
};

/// The dominating loss on some 450 points, dense around 0: for planning.
DiscreteLoss coarse_loss(const HockeyStick& stick, HockeyStick::Direction direction, const LossRange& range,
                         std::int64_t count);

/// K(theta) = ln E e^(theta sum L), and its derivatives: mean and variance of the sum under the tilted law.
struct Cumulants {
  double log_moment = 0, mean = 0, variance = 0;
};
Cumulants cumulants(const std::vector<DiscreteLoss>& losses, double theta);

/// delta(epsilon) of a discrete privacy loss, computed from the largest loss downwards.
///
/// With atoms of probability p_j at losses L_j = j h, and s in [0, h],
///   delta(L_j - s) = G_j + (1 - e^-s) H_j,   H_j = sum_{i >= j} p_i e^-(L_i - L_j),   G_j = delta(L_j):
/// every term is positive, so that nothing cancels.
class LossLadder {
 public:
  /// `never`: probability of an infinite loss, which adds to every delta.
  LossLadder(double spacing, double never)
      : fall_(std::exp(-spacing)), rise_(-std::expm1(-spacing)), delta_(never) {}

  /// Takes the atom of the next lower rung, the first one at the largest loss.
  void step_down(double probability) {
    delta_ += rise_ * held_;
    held_ = fall_ * held_ + probability;
  }

  double delta() const { return delta_; }                          ///< at the loss of the last atom taken
  double delta_at_next() const { return delta_ + rise_ * held_; }  ///< one spacing below it
  double delta_below(double s) const { return delta_ - std::expm1(-s) * held_; }
  /// s with delta_below(s) = target; delta() <= target <= delta_at_next().
  double distance_to(double target) const { return -std::log1p((delta_ - target) / held_); }

 private:
  double fall_, rise_;
  double delta_;
  double held_ = 0;
};

}  // namespace hearsay::models
