#pragma once
// A part of an owner's records.
#include <span>

#include "models/data/data_set.hpp"

namespace hearsay::models {

/// The rows of a shard with these numbers, in their order: as many records as `rows`, which must be rows of it.
inline Shard records_of(const Shard& shard, std::span<const Eigen::Index> rows) {
  const auto count = static_cast<Eigen::Index>(rows.size());
  Shard some{Records(count, shard.features.cols()), Eigen::VectorXd(count)};
  for (Eigen::Index k = 0; k < count; ++k) {
    some.features.row(k) = shard.features.row(rows[static_cast<std::size_t>(k)]);
    some.target[k] = shard.target[rows[static_cast<std::size_t>(k)]];
  }
  return some;
}

}  // namespace hearsay::models
