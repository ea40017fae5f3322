#pragma once
// One pass over an owner's records that sums their gradients, in blocks that stay in the first-level cache:
// the scores of a block are one matrix-vector product, the weighted sum of its records another.
#include <Eigen/Core>

#include <algorithm>

#include "models/data/data_set.hpp"

namespace hearsay::models {

/// out = sum_k weight(s_k, y_k, k) x_k over the records of a shard, s_k = theta . x_k. Allocates nothing.
/// O(n_i p): about 1 ns per record and feature at p = 10, 0.3 at p = 100.
template <class Weight>
void sum_gradients(const Shard& shard, const Eigen::Ref<const Eigen::VectorXd>& theta,
                   Eigen::Ref<Eigen::VectorXd> out, Weight&& weight) {
  constexpr Eigen::Index kBlock = 64;
  Eigen::Matrix<double, kBlock, 1> weights;
  out.setZero();
  const Eigen::Index n = shard.target.size();
  for (Eigen::Index first = 0; first < n; first += kBlock) {
    const Eigen::Index count = std::min(kBlock, n - first);
    const auto block = shard.features.middleRows(first, count);
    weights.head(count).noalias() = block * theta;
    for (Eigen::Index k = 0; k < count; ++k)
      weights[k] = weight(weights[k], shard.target[first + k], first + k);
    out.noalias() += block.transpose() * weights.head(count);
  }
}

}  // namespace hearsay::models
