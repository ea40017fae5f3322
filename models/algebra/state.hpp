#pragma once
// Matrices in the states of runs.
#include <Eigen/Core>

#include "sim/state/archive.hpp"

namespace cereal {

template <class Archive, class Derived>
void save(Archive& archive, const Eigen::PlainObjectBase<Derived>& matrix) {
  archive(std::int64_t{matrix.rows()}, std::int64_t{matrix.cols()});
  hearsay::sim::raw(archive, matrix.data(), static_cast<std::size_t>(matrix.size()));
}

template <class Archive, class Derived>
void load(Archive& archive, Eigen::PlainObjectBase<Derived>& matrix) {
  std::int64_t rows = 0, columns = 0;
  archive(rows, columns);
  matrix.resize(rows, columns);
  hearsay::sim::raw(archive, matrix.data(), static_cast<std::size_t>(matrix.size()));
}

}  // namespace cereal
