#pragma once
// A product of matrices whose factors are read where they lie. Eigen's general product first copies both into the order
// of its kernel, which for the ten or so rows of a mini-batch takes as long as the product itself.
#include <Eigen/Core>

namespace hearsay::models {

/// Where the entry (i, j) of a matrix lies: at i row + j column.
struct EntryStrides {
  Eigen::Index row, column;
};

/// C = A B, or C += A B with `add`. A is m x k; B, k x n, and C, m x n, lie row after row. C must not overlap A or B. The
/// terms of an entry are added in the order of k.
template <bool add>
void row_product(const double* a, EntryStrides strides, const double* b, double* c, Eigen::Index m,
                 Eigen::Index k, Eigen::Index n);

}  // namespace hearsay::models
