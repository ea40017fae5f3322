#pragma once
// Parts of an owner's records.
#include <span>

#include "models/data/data_set.hpp"
#include "models/data/draw.hpp"

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

/// Removes round(fraction * n) of the n records of a shard, at most all but one, at random, and returns them.
inline Shard hold_out(Shard& shard, double fraction, sim::Stream stream) {
  const auto size = static_cast<std::size_t>(shard.target.size());
  const std::vector<char> held = choose_test(size, fraction, std::move(stream));
  std::vector<Eigen::Index> kept, out;
  for (std::size_t k = 0; k < size; ++k) (held[k] ? out : kept).push_back(static_cast<Eigen::Index>(k));
  Shard held_out = records_of(shard, out);
  shard = records_of(shard, kept);
  return held_out;
}

}  // namespace hearsay::models
