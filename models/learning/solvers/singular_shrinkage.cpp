#include "models/learning/solvers/singular_shrinkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay::models {

namespace {
// Beyond this ratio of the largest singular value to the threshold the matrix is split, and where.
constexpr double kSplit = 1e4;
// Rotations of columns that are longer than so many times their number cost more than the Gram matrix.
constexpr Eigen::Index kLong = 4;

bool starts_warm(Eigen::Index rows, Eigen::Index columns) {
  const Eigen::Index k = std::min(rows, columns);
  return k <= WarmShrinkage::kMaxColumns && std::max(rows, columns) <= kLong * k;
}
Eigen::Index side_of_gram(Eigen::Index rows, Eigen::Index columns) {
  return starts_warm(rows, columns) ? 0 : std::min(rows, columns);
}
}  // namespace

using Eigen::Index;

SingularShrinkage::SingularShrinkage(Index rows, Index columns)
    : right_(columns <= rows),
      gram_(Eigen::MatrixXd::Zero(side_of_gram(rows, columns), side_of_gram(rows, columns))),
      basis_(gram_.rows(), gram_.rows()),
      shrink_(gram_.rows()),
      weighted_(gram_.rows(), gram_.rows()),
      factor_(gram_.rows(), gram_.rows()),
      inner_column_(gram_.rows()),
      factor_column_(gram_.rows()),
      solver_(gram_.rows()),
      inner_(gram_.rows()) {
  if (!starts_warm(rows, columns)) return;
  warm_.emplace(std::max(rows, columns), std::min(rows, columns));
  if (!right_) turned_.resize(columns, rows);
}

void SingularShrinkage::reset() {
  if (warm_) warm_->reset();
}

void SingularShrinkage::decompose(const Eigen::MatrixXd& m, double h) {
  m_ = &m;
  if (warm_) {
    if (!right_) turned_ = m.transpose();
    warm_->decompose(right_ ? m : turned_, h);
    rank_ = warm_->rank();
    finite_ = warm_->finite();
    return;
  }
  if (right_) {
    gram_.noalias() = m.transpose() * m;
  } else {
    gram_.noalias() = m * m.transpose();
  }
  begun_ = true;
  decompose_gram(h);
}

void SingularShrinkage::decompose_changed(const Eigen::MatrixXd& m, Index j, double h) {
  if (warm_ || !right_ || !begun_) {
    decompose(m, h);
    return;
  }
  m_ = &m;
  gram_.col(j).noalias() = m.transpose() * m.col(j);
  gram_.row(j) = gram_.col(j).transpose();
  decompose_gram(h);
}

void SingularShrinkage::decompose_gram(double h) {
  rank_ = 0;
  factored_ = false;
  finite_ = gram_.allFinite();
  if (!finite_) return;
  solver_.compute(gram_);
  const double largest = std::sqrt(std::max(0.0, solver_.values()[gram_.rows() - 1]));
  split_ = largest > kSplit * h;
  if (!split_) {
    shrink(h);
  } else {
    shrink_apart(largest, h);
  }
}

void SingularShrinkage::shrink(double h) {
  const Index k = gram_.rows();
  // Eigenvalues rise: the last `rank_` are those that stay.
  for (Index i = 0; i < k; ++i) {
    const double s = std::sqrt(std::max(0.0, solver_.values()[i]));
    shrink_[i] = s > h ? 1 - h / s : 0;
    rank_ += s > h ? 1 : 0;
  }
}

// F is put together in the basis V: diag(f) for the greater singular values, and for the lesser ones, whose own
// decomposition is that of the columns of A V, in the basis that this gives.
void SingularShrinkage::shrink_apart(double largest, double h) {
  const Index k = gram_.rows();
  Index low = 0;
  while (low < k && solver_.values()[low] < largest * largest / (kSplit * kSplit)) ++low;
  for (Index i = low; i < k; ++i) {
    const double s = std::sqrt(solver_.values()[i]);
    shrink_[i] = 1 - h / s;
    ++rank_;
  }
  const auto& v = solver_.vectors();
  basis_.rightCols(k - low) = v.rightCols(k - low);
  if (low == 0) return;
  const Eigen::MatrixXd small =
      right_ ? Eigen::MatrixXd(*m_ * v.leftCols(low)) : Eigen::MatrixXd(m_->transpose() * v.leftCols(low));
  inner_.compute(small.transpose() * small);
  for (Index i = 0; i < low; ++i) {
    const double s = std::sqrt(std::max(0.0, inner_.values()[i]));
    shrink_[i] = s > h ? 1 - h / s : 0;
    rank_ += s > h ? 1 : 0;
  }
  basis_.leftCols(low).noalias() = v.leftCols(low) * inner_.vectors();
}

const Eigen::MatrixXd& SingularShrinkage::factor() const {
  if (factored_) return factor_;
  const auto kept = basis().rightCols(rank_);
  weighted_.leftCols(rank_) = kept * shrink_.tail(rank_).asDiagonal();
  factor_.noalias() = weighted_.leftCols(rank_) * kept.transpose();
  factored_ = true;
  return factor_;
}

void SingularShrinkage::column(Index j, Eigen::Ref<Eigen::VectorXd> out) const {
  if (!finite_) {
    out.setConstant(std::numeric_limits<double>::quiet_NaN());
  } else if (warm_) {
    if (right_) {
      warm_->column(j, out);
    } else {
      warm_->row(j, out);
    }
  } else if (right_) {
    // F e_j alone, from the right.
    const auto kept = basis().rightCols(rank_);
    inner_column_.head(rank_) = kept.row(j).transpose().cwiseProduct(shrink_.tail(rank_));
    factor_column_.noalias() = kept * inner_column_.head(rank_);
    out.noalias() = *m_ * factor_column_;
  } else {
    const auto kept = basis().rightCols(rank_);
    inner_column_.head(rank_).noalias() = kept.transpose() * m_->col(j);
    inner_column_.head(rank_).array() *= shrink_.tail(rank_).array();
    out.noalias() = kept * inner_column_.head(rank_);
  }
}

void SingularShrinkage::matrix(Eigen::MatrixXd& out) const {
  if (!finite_) {
    out.setConstant(m_->rows(), m_->cols(), std::numeric_limits<double>::quiet_NaN());
  } else if (warm_ && right_) {
    warm_->matrix(out);
  } else if (warm_) {
    warm_->transposed(out);
  } else if (right_) {
    out.noalias() = *m_ * factor();
  } else {
    out.noalias() = factor() * *m_;
  }
}

}  // namespace hearsay::models
