#pragma once
#include <Eigen/Core>

namespace hearsay::models {

/// A matrix with one column for each owner, task or edge, by its number.
class Columns : public Eigen::MatrixXd {
 public:
  Columns() = default;
  /// n columns of p zeros.
  Columns(Eigen::Index p, std::size_t n) : Matrix(Zero(p, static_cast<Eigen::Index>(n))) {}
  using Matrix::operator=;

  ColXpr operator[](std::size_t i) { return col(static_cast<Eigen::Index>(i)); }
  ConstColXpr operator[](std::size_t i) const { return col(static_cast<Eigen::Index>(i)); }
};

}  // namespace hearsay::models
