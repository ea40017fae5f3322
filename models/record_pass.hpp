#pragma once
// One pass over an owner's records that sums their gradients, in blocks that stay in the first-level cache:
// the scores of a block are one matrix-vector product, the weighted sum of its records another.
#include <Eigen/Core>

#include <algorithm>

#include "models/data/data_set.hpp"

namespace hearsay::models {

inline constexpr Eigen::Index kRecordBlock = 64;

/// out = sum_k w_k x_k over the records of a shard. `weigh(block, targets, first)` turns the scores theta . x_k of
/// records first, first + 1, ... into their w_k, in place. Allocates nothing. O(n_i p): about 1 ns per record and
/// feature at p = 10, 0.3 at p = 100.
template <class Weigh>
void sum_weighted(const Shard& shard, const Eigen::Ref<const Eigen::VectorXd>& theta,
                  Eigen::Ref<Eigen::VectorXd> out, Weigh&& weigh) {
  constexpr Eigen::Index kBlock = kRecordBlock;
  Eigen::Matrix<double, kBlock, 1> weights;
  out.setZero();
  const Eigen::Index n = shard.target.size();
  for (Eigen::Index first = 0; first < n; first += kBlock) {
    const Eigen::Index count = std::min(kBlock, n - first);
    const auto block = shard.features.middleRows(first, count);
    weights.head(count).noalias() = block * theta;
    weigh(weights.head(count), shard.target.segment(first, count), first);
    out.noalias() += block.transpose() * weights.head(count);
  }
}

/// The same with w_k = weight(s_k, y_k, k), one record at a time.
template <class Weight>
void sum_gradients(const Shard& shard, const Eigen::Ref<const Eigen::VectorXd>& theta,
                   Eigen::Ref<Eigen::VectorXd> out, Weight&& weight) {
  sum_weighted(shard, theta, out, [&](auto block, const auto& targets, Eigen::Index first) {
    for (Eigen::Index k = 0; k < block.size(); ++k) block[k] = weight(block[k], targets[k], first + k);
  });
}

}  // namespace hearsay::models
