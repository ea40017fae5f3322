#pragma once
// Dense matrix factorisations, compiled once: Eigen's templates for them cost seconds in every source that
// names them. All are Eigen's algorithms, unchanged.
#include <Eigen/Core>

#include <memory>
#include <span>

namespace hearsay::models {

/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix, of which the lower triangle is
/// read. Keeps its memory from one matrix to the next. O(n^3).
class SymmetricEigen {
 public:
  /// Room for n x n matrices.
  explicit SymmetricEigen(Eigen::Index n = 0);
  ~SymmetricEigen();
  SymmetricEigen(SymmetricEigen&&) noexcept;
  SymmetricEigen& operator=(SymmetricEigen&&) noexcept;

  void compute(const Eigen::MatrixXd& m);
  const Eigen::VectorXd& values() const { return *values_; }
  const Eigen::MatrixXd& vectors() const { return *vectors_; }

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
  const Eigen::VectorXd* values_;
  const Eigen::MatrixXd* vectors_;
};

/// Eigenvalues of a symmetric matrix, ascending; cheaper than with the vectors.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& m);
/// The same of the symmetric tridiagonal matrix with this diagonal and off-diagonal, which is one shorter. O(n^2).
Eigen::VectorXd tridiagonal_eigenvalues(std::span<const double> diagonal,
                                        std::span<const double> off_diagonal);
/// Singular values, descending, by one-sided Jacobi rotations: accurate relative to the largest. O(m n^2).
Eigen::VectorXd singular_values(const Eigen::MatrixXd& m);
/// A minimiser of norm_2(a x - b), by QR with column pivoting.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
/// x with m x = b for symmetric m (lower triangle read), by LDL^T.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& m, const Eigen::VectorXd& b);
/// A solution x of h x = rhs for symmetric positive semidefinite h (p x p, lower triangle read). Scaled to
/// unit diagonal; LDL^T with one step of refinement, or where that is near singular the complete orthogonal
/// decomposition, whose solution is the least-squares one of minimum norm in the scaled coordinates. O(p^3).
Eigen::VectorXd solve_positive(const Eigen::MatrixXd& h, const Eigen::VectorXd& rhs);

}  // namespace hearsay::models
