#pragma once
// The proximal operator of the nuclear norm (Ji and Ye, ICML 2009, Theorem 3.1): singular values move towards 0
// by a threshold h,
//   prox(M) = argmin_W (1/2) norm_F(W - M)^2 + h norm_*(W) = sum_i max(s_i - h, 0) u_i v_i^T.
//
// Only the small side is decomposed: with A = M (d x T, T <= d) or M^T. Where A is neither large nor long, as the
// parameters of a few dozen tasks, by rotations that start from the last decomposition (warm_shrinkage.hpp): a server
// shrinks after every arrival, and its matrix changes little in between. Else from the start: with A^T A =
// V diag(s^2) V^T by Eigen's self-adjoint solver,   prox(A) = A F,   F = V diag(max(0, 1 - h/s)) V^T.
//
// Accuracy of the latter. Rounding puts an error E of norm about u s_1^2 into A^T A (s_1 the largest singular value, u the
// unit roundoff). To first order it changes A F by s_i E_ij (f_i - f_j)/(s_i^2 - s_j^2) in the singular bases,
// at most u s_1^2/(2h), near the threshold: relative to norm(M), u s_1/(2h). So the squared condition number does
// no harm beyond s_1/h: what lies far below the threshold is dropped however wrong it is. Up to s_1 = 1e4 h
// that is below 1e-11. Beyond, the matrix is split: with B = A V (exact to u s_1, as a rotation is) the columns of
// s_i >= 1e-4 s_1 are shrunk as they are, and the rest, which are orthogonal to them to 1e-12 s_1 and 1e4 times
// smaller, are decomposed by themselves, with u 1e-8 s_1/(2h). So the result is exact to 1e-11 norm(M) for every
// h; a test compares it with one-sided Jacobi rotations on the matrix itself.
#include <Eigen/Core>

#include <optional>

#include "models/algebra/dense.hpp"
#include "models/learning/solvers/warm_shrinkage.hpp"

namespace hearsay::models {

class SingularShrinkage {
 public:
  SingularShrinkage(Eigen::Index rows, Eigen::Index columns);

  /// Forgets the last matrix: the next result is a function of the next matrix alone.
  void reset();
  /// Decomposes m (rows x columns), which must stay as it is while the result is asked for; h >= 0. O(k^3 + k
  /// rows columns), k the lesser of both. Allocates nothing. Results that start from different earlier matrices differ
  /// by at most 2e-12 norm(m).
  void decompose(const Eigen::MatrixXd& m, double h);
  /// The same of an m that differs from the last one in column j only: O(k^3 + rows columns) where rows >= columns,
  /// the Gram matrix being recomputed in one row and column, so that nothing is lost to rounding over many
  /// changes. Where decompositions start from the last one, the same as decompose.
  void decompose_changed(const Eigen::MatrixXd& m, Eigen::Index j, double h);
  /// Number of singular values above h: the rank of the result.
  Eigen::Index rank() const { return rank_; }
  /// The j-th column of the result. O(k (k + rows + columns)).
  void column(Eigen::Index j, Eigen::Ref<Eigen::VectorXd> out) const;
  /// The result. O(k^3 + k rows columns). Not a number throughout where m is not finite.
  void matrix(Eigen::MatrixXd& out) const;

  /// What the next result depends on; the last one is lost.
  template <class Archive>
  void serialize(Archive& archive) {
    if (warm_) {
      archive(*warm_);
    } else {
      archive(gram_, begun_);
    }
  }

 private:
  void decompose_gram(double h);
  void shrink(double h);
  void shrink_apart(double largest, double h);
  /// F of the small side, where it is asked for as a whole.
  const Eigen::MatrixXd& factor() const;

  bool right_;                         // the small side is that of the columns
  std::optional<WarmShrinkage> warm_;  // the following has no room if it is there
  Eigen::MatrixXd turned_;             // M^T, for warm_, unless right_
  bool finite_ = true;
  const Eigen::MatrixXd* m_ = nullptr;
  Eigen::Index rank_ = 0;
  Eigen::MatrixXd gram_;
  bool begun_ = false;  // whether gram_ is that of the last matrix
  // F = B diag(f) B^T, of whose columns the last rank_ count; B are the eigenvectors of the Gram matrix, or,
  // where the matrix is split, what basis_ holds.
  const Eigen::MatrixXd& basis() const { return split_ ? basis_ : solver_.vectors(); }
  bool split_ = false;
  Eigen::MatrixXd basis_;
  Eigen::VectorXd shrink_;
  mutable Eigen::MatrixXd weighted_, factor_;
  mutable Eigen::VectorXd inner_column_, factor_column_;
  mutable bool factored_ = false;
  SymmetricEigen solver_, inner_;
};

}  // namespace hearsay::models
