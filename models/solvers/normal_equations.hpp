#pragma once
#include <Eigen/Core>

namespace hearsay::models {

/// A solution x of h x = rhs for symmetric positive semidefinite h (p x p, lower triangle read). Scaled to
/// unit diagonal; LDL^T with one step of refinement, or where that is near singular the complete orthogonal
/// decomposition, whose solution is the least-squares one of least norm in the scaled coordinates. O(p^3).
Eigen::VectorXd solve_positive(const Eigen::MatrixXd& h, const Eigen::VectorXd& rhs);

}  // namespace hearsay::models
