#pragma once
// delta(epsilon) of a discrete privacy loss, walked from the largest loss downwards.
//
// With atoms of probability p_j at losses L_j = j h, and s in [0, h],
//   delta(L_j - s) = G_j + (1 - e^-s) H_j,   H_j = sum_{i >= j} p_i e^-(L_i - L_j),   G_j = delta(L_j):
// every term is positive, so that nothing cancels.
#include <cmath>

namespace hearsay::models {

class LossLadder {
 public:
  /// `never`: probability of an infinite loss, which no epsilon makes up for.
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
