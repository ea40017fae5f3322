#pragma once
// What is known to an adversary that sees sums of releases: the largest privacy loss that they allow.
//
// Release s is y_s = g_s + sigma_s z_s, z_s standard normal in R^p. A payload is a public constant plus sum_s O_s y_s; the
// rows O of all that has been seen, B = O diag(sigma), span a space with orthogonal projector X = B^+ B. For changes of the
// g_s that are fixed in advance, of norm at most Delta_s, the payloads together are mu-GDP with
//
//   mu^2 = min( sum_s q_s^2,  sum_{s,s'} |X_ss'| q_s q_s' ),   q_s = Delta_s/sigma_s, over the releases of one owner
//
// since the sufficient statistic X z + X (g/sigma) has covariance X. Where gradients react linearly to what was released
// (views.hpp), a release is a block of p columns and |X_ss'| is the spectral norm of a p x p block.
//
// A row with one entry, but for columns that are known already, makes that column known: X_ss = 1, and it leaves all other
// rows. The others are made orthonormal as they come. Rows have norm 1. A singular value of all of them below 1e-13 of
// the largest counts as 0; one between that and 1e-9 leaves the rank open: see certain().
#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace hearsay::models {

class View {
 public:
  /// Of rows with so many columns.
  explicit View(Eigen::Index width);

  /// Sets sigma of a column, by default 1, before a row has it.
  void scale(Eigen::Index column, double sigma) { scale_[column] = sigma; }
  /// Something is seen; a row of 0 is nothing. O(width).
  void add(std::span<const double> row);
  /// A column is seen by itself.
  void know(Eigen::Index column);
  /// Whether a row is a sum of multiples of what was seen, to 1e-11 of its norm.
  bool contains(std::span<const double> row);

  /// Of releases in some columns, `block` from each of `first`: sum |X_ss'| q_s q_s', without the cap.
  /// O(rank columns^2).
  double mu_squared(std::span<const Eigen::Index> first, std::span<const double> q, Eigen::Index block = 1);
  /// sum_{s,s'} of the p x p blocks of X, each times q_s q_s'.
  Eigen::MatrixXd sum_of_blocks(std::span<const Eigen::Index> first, std::span<const double> q,
                                Eigen::Index block);
  /// Whether anything that was seen has one of these columns.
  bool touches(std::span<const Eigen::Index> columns) const;
  /// Whether the rank is beyond doubt; else only the local value of an owner that was seen is certain.
  bool certain();

 private:
  void settle();
  void absorb_waiting();
  void orthonormalise(Eigen::MatrixXd rows);
  void decide_rank();
  Eigen::MatrixXd basis_of(std::span<const Eigen::Index> first, Eigen::Index block) const;

  Eigen::Index width_;
  Eigen::VectorXd scale_;
  std::vector<char> known_, seen_;  // by column
  std::size_t known_count_ = 0;
  std::vector<Eigen::VectorXd> waiting_;  // rows that have not been settled, scaled and of norm 1
  std::vector<Eigen::VectorXd> rows_;     // that are settled, with known columns still in them
  Eigen::MatrixXd basis_;                 // width x capacity: the first size_ columns are orthonormal
  Eigen::Index size_ = 0;
  std::vector<Eigen::VectorXd> combinations_;  // of the basis that the rows are
  std::vector<char> independent_;              // by row: whether it has brought a column of the basis
  // Rows are made orthonormal in blocks by their number, so that it does not matter when somebody asks: those of the last
  // block, which is not full, are done again. Full blocks: so many rows, and columns of the basis.
  std::size_t solid_rows_ = 0;
  Eigen::Index solid_size_ = 0;
  Eigen::MatrixXd rotation_;  // rank x size_; empty: the basis spans all
  bool settled_ = true, certain_ = true;
};

}  // namespace hearsay::models
