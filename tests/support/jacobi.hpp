#pragma once
// Reference decompositions by one-sided Jacobi rotations of the matrix; compiled once.
#include <Eigen/Core>

namespace hearsay::test {

/// The proximal operator of `threshold` times the nuclear norm: singular values move towards 0 by `threshold`.
Eigen::MatrixXd soft_threshold(const Eigen::MatrixXd& m, double threshold);

/// An orthonormal basis of the columns of m; no more columns than rows.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& m);

}  // namespace hearsay::test
