#pragma once
// Sums of weighted vectors that are kept in registers: adding each to a vector in memory takes twice as long.
#include <Eigen/Core>

namespace hearsay::models {

/// out += w_1 x_1 + w_2 x_2 + ..., added in this order: the same bits as adding one vector after the other. `out` and
/// every x have p numbers and do not overlap; an x must stay where and as it is until finish(). O(p) a vector, no
/// allocation.
class WeightedSum {
 public:
  WeightedSum(double* out, Eigen::Index p) : out_(out), p_(p) {}

  void add(double weight, const double* x) {
    weights_[count_] = weight;
    vectors_[count_++] = x;
    if (count_ == kMost) finish();
  }
  /// To be called last: until then `out` may lack up to kMost of the vectors.
  void finish() {
    Eigen::Index first = 0;
    for (; first + 4 * kFours <= p_; first += 4 * kFours) add_fours<kFours>(first, kFours);
    const Eigen::Index left = (p_ - first) / 4;
    add_fours<kFours - 1>(first, left);
    for (Eigen::Index j = first + 4 * left; j < p_; ++j) {
      for (int k = 0; k < count_; ++k) out_[j] += weights_[k] * vectors_[k][j];
    }
    count_ = 0;
  }

 private:
  using Four = Eigen::Array4d;
  static constexpr int kMost = 64;           // vectors
  static constexpr Eigen::Index kFours = 8;  // registers

  // Of `fours` times four numbers from `first` on; fours <= most.
  template <Eigen::Index most>
  void add_fours(Eigen::Index first, Eigen::Index fours) {
    if constexpr (most > 0) {
      if (fours < most) return add_fours<most - 1>(first, fours);
      Four sums[most];
      for (Eigen::Index i = 0; i < most; ++i) sums[i] = Eigen::Map<const Four>(out_ + first + 4 * i);
      for (int k = 0; k < count_; ++k) {
        const double* const x = vectors_[k] + first;
        for (Eigen::Index i = 0; i < most; ++i) sums[i] += weights_[k] * Eigen::Map<const Four>(x + 4 * i);
      }
      for (Eigen::Index i = 0; i < most; ++i) Eigen::Map<Four>(out_ + first + 4 * i) = sums[i];
    }
  }

  double* out_;
  Eigen::Index p_;
  int count_ = 0;
  double weights_[kMost];
  const double* vectors_[kMost];
};

}  // namespace hearsay::models
