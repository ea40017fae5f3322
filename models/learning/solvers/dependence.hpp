#pragma once
// Linear dependence among features.
#include <Eigen/Core>

#include <vector>

namespace hearsay::models {

/// Of the columns of a matrix X, the first that is a linear combination of those before it, after the columns of that
/// combination; empty if the columns are linearly independent. `gram` = X^T X (p x p). Columns are compared at equal
/// length: one is dependent if the sine of its angle to the span of those before it is below 1e-6, or if it is 0.
/// O(p^3).
std::vector<Eigen::Index> dependent_columns(const Eigen::MatrixXd& gram);

}  // namespace hearsay::models
