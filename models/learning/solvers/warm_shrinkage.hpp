#pragma once
// The proximal operator of the nuclear norm (singular_shrinkage.hpp) for a sequence of matrices M (r x k, k <= r),
// each similar to the last. One-sided Jacobi rotations make the columns of A = M V orthogonal; they start from the V of
// the last matrix. With s the norms of the columns,
//
//   prox(M) = A F V^T,   F = diag(max(0, 1 - h/s)).
//
// Not all columns need be orthogonal. Let E hold the products of different columns, C_pq = E_pq/(s_p s_q).
//   s_p, s_q > h     A V^T = M contributes without error, and h times the polar factor of A, that is A F with
//                    F_pq = h C_pq/(s_p + s_q), has an error of second order, h norm(C)^2
//   s_p > h >= s_q   an A' with A'^T A' = diag(s^2) differs from A by E_pq/(s_p + s_q), and prox is 1-Lipschitz
//   both <= h        nothing, as long as max(s)^2 + norm(E) of these columns is at most h^2
// The rotations end when what remains of this is below 1e-13 s_1. As they act on M and not on M^T M, nothing is squared:
// the result is within 1e-12 norm(M) of the exact one for every h and every spectrum.
//
// The pairs are rotated in the order of the sums p + q, the largest columns first, in which pairs of one sum share no
// column: this is the cyclic order by rows (Brent and Luk 1985). V keeps its rounding errors from one matrix to the
// next; a step of Newton and Schulz, V <- V (3 I - V^T V)/2, makes it orthogonal again before they matter.
//
// Source: de Rijk, SIAM J. Sci. Stat. Comput. 10, 1989 (one-sided rotations of sorted columns).
#include <Eigen/Core>

namespace hearsay::models {

class WarmShrinkage {
 public:
  static constexpr Eigen::Index kMaxColumns = 64;

  /// For r x k matrices, k <= r, k <= kMaxColumns.
  WarmShrinkage(Eigen::Index r, Eigen::Index k);

  /// Forgets the last matrix.
  void reset();
  /// h >= 0. O(r k^2), times the number of sweeps: 1 or 2 after a small change, at most kMaxSweeps. Allocates nothing.
  void decompose(const Eigen::MatrixXd& m, double h);
  /// Whether m was finite; the following is meaningless if not.
  bool finite() const { return finite_; }
  /// Number of singular values above h.
  Eigen::Index rank() const { return rank_; }
  /// Column j of the result, r numbers.
  void column(Eigen::Index j, Eigen::Ref<Eigen::VectorXd> out) const;
  /// Row j of the result, k numbers.
  void row(Eigen::Index j, Eigen::Ref<Eigen::VectorXd> out) const;
  /// The result, r x k.
  void matrix(Eigen::MatrixXd& out) const;
  /// Its transpose.
  void transposed(Eigen::MatrixXd& out) const;

  /// What the next result depends on; the last one is lost.
  auto state() { return std::tie(stack_, limit_, lesser_matter_, warm_, sweeps_); }

 private:
  static constexpr int kMaxSweeps = 60;

  auto a() { return stack_.topRows(r_); }
  auto a() const { return stack_.topRows(r_); }
  auto v() { return stack_.middleRows(padded_, k_); }
  auto v() const { return stack_.middleRows(padded_, k_); }
  // Of the columns that stay.
  auto kept_a() const { return stack_.topLeftCorner(r_, rank_); }
  auto kept_v() const { return stack_.block(padded_, 0, k_, rank_); }
  auto factor() const { return factor_.topLeftCorner(rank_, rank_); }
  auto shrunk() const { return work_.leftCols(rank_); }
  void make_orthogonal();
  void sort_columns(double h);
  bool done(double h);
  bool lesser_exceed(double h);
  void sweep();
  // A pair of columns: e their product, x = (s_q^2 - s_p^2)/(s_p^2 + s_q^2), y = 2 e/(s_p^2 + s_q^2).
  struct Pair {
    double e = 0, x = 1, y = 0;  // no rotation
  };
  Pair pair(Eigen::Index p, Eigen::Index q) const;
  void rotate(Eigen::Index sum, Eigen::Index first, Eigen::Index count);
  void make_factor(double h);
  // Sets A F.
  void shrink() const;

  Eigen::Index r_, k_;
  Eigen::Index padded_;    // rows of A with the zeros after it
  Eigen::MatrixXd stack_;  // A over V, each with zeros to a multiple of 4 rows
  Eigen::MatrixXd
      products_;            // A^T A; that of the lesser columns without its diagonal, and where it is needed
  Eigen::MatrixXd factor_;  // F of the columns that stay; its off-diagonal part counts if corrected_
  Eigen::ArrayXd squares_;  // s^2, the largest first
  Eigen::ArrayXd s_;
  Eigen::ArrayXd kept_off_;     // min(1, h/s)
  double limit_ = 0;            // of what a pair may contribute without a rotation
  bool lesser_matter_ = false;  // whether columns with s <= h must be made orthogonal to each other
  bool warm_ = false, corrected_ = false, finite_ = true;
  int sweeps_ = 0;  // since V was made orthogonal
  Eigen::Index rank_ = 0;
  mutable Eigen::MatrixXd work_;
  mutable Eigen::VectorXd inner_;
};

}  // namespace hearsay::models
