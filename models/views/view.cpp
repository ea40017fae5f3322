#include "models/views/view.hpp"

#include <Eigen/SVD>

#include <algorithm>
#include <cmath>

#include "sim/check.hpp"

namespace hearsay::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kZero = 1e-13, kNonzero = 1e-9;  // singular values, of the largest
constexpr double kSpanned = 1e-11;
constexpr std::size_t kBlock = 32;  // rows that are made orthonormal together

double spectral_norm(const MatrixXd& m) {
  if (m.size() == 1) return std::abs(m(0, 0));
  return Eigen::JacobiSVD<MatrixXd>(m).singularValues()[0];
}

}  // namespace

View::View(Index width)
    : width_(width),
      scale_(VectorXd::Ones(width)),
      known_(static_cast<std::size_t>(width)),
      seen_(static_cast<std::size_t>(width)),
      basis_(width, 0) {}

void View::add(std::span<const double> row) {
  sim::check(static_cast<Index>(row.size()) == width_, "a row of another width than its view");
  VectorXd scaled = Eigen::Map<const VectorXd>(row.data(), width_).cwiseProduct(scale_);
  const double norm = scaled.norm();
  if (!(norm > 0)) return;
  scaled /= norm;
  for (Index c = 0; c < width_; ++c)
    if (scaled[c] != 0) seen_[static_cast<std::size_t>(c)] = 1;
  waiting_.push_back(std::move(scaled));
  settled_ = false;
}

void View::know(Index column) {
  seen_[static_cast<std::size_t>(column)] = 1;
  waiting_.emplace_back(VectorXd::Unit(width_, column));
  settled_ = false;
}

bool View::touches(std::span<const Index> columns) const {
  return std::ranges::any_of(columns, [&](Index c) { return seen_[static_cast<std::size_t>(c)] != 0; });
}

void View::settle() {
  if (settled_) return;
  absorb_waiting();
  decide_rank();
  settled_ = true;
}

// Finds columns that are known, then makes what is left of the rows orthonormal.
void View::absorb_waiting() {
  const auto wait_again = [&](std::size_t rows, Index size) {
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(rows);
    waiting_.insert(waiting_.begin(), std::make_move_iterator(first), std::make_move_iterator(rows_.end()));
    rows_.erase(first, rows_.end());
    combinations_.resize(rows);
    independent_.resize(rows);
    solid_rows_ = rows;
    solid_size_ = size_ = size;
  };
  wait_again(solid_rows_, solid_size_);
  const auto unknown = [&](const VectorXd& row, Index& column) {
    int count = 0;
    for (Index c = 0; c < width_ && count < 2; ++c) {
      if (known_[static_cast<std::size_t>(c)] || std::abs(row[c]) <= kZero) continue;
      column = c;
      ++count;
    }
    return count;
  };
  bool in_basis = false;
  const auto eliminate = [&](std::vector<VectorXd>& rows) {
    bool found = false;
    std::erase_if(rows, [&](const VectorXd& row) {
      Index column = 0;
      const int count = unknown(row, column);
      if (count > 1 || (count == 1 && std::abs(row[column]) < kNonzero)) return false;
      if (count == 1) {
        known_[static_cast<std::size_t>(column)] = 1;
        ++known_count_;
        found = true;
        in_basis = in_basis || (size_ > 0 && !(basis_.row(column).head(size_).array() == 0).all());
      }
      return true;
    });
    return found;
  };
  while (eliminate(waiting_)) {
  }
  if (in_basis) {  // what the basis was made of has fewer columns now
    wait_again(0, 0);
    while (eliminate(waiting_)) {
    }
  }
  for (std::size_t begin = 0; begin < waiting_.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, waiting_.size() - begin);
    MatrixXd block(width_, static_cast<Index>(count));
    for (std::size_t k = 0; k < count; ++k) {
      block.col(static_cast<Index>(k)) = waiting_[begin + k];
      rows_.push_back(std::move(waiting_[begin + k]));
    }
    for (Index c = 0; c < width_; ++c)
      if (known_[static_cast<std::size_t>(c)]) block.row(c).setZero();
    orthonormalise(std::move(block));
    if (count == kBlock) {
      solid_rows_ = rows_.size();
      solid_size_ = size_;
    }
  }
  waiting_.clear();
}

// Gram and Schmidt, twice: against the basis as products of matrices, then within the block.
void View::orthonormalise(MatrixXd rows) {
  const Index before = size_, count = rows.cols();
  if (basis_.cols() < before + count) basis_.conservativeResize(width_, 2 * (before + count));
  MatrixXd on_basis = MatrixXd::Zero(before, count);
  for (int pass = 0; pass < 2 && before > 0; ++pass) {
    const MatrixXd part = basis_.leftCols(before).transpose() * rows;
    rows.noalias() -= basis_.leftCols(before) * part;
    on_basis += part;
  }
  for (Index k = 0; k < count; ++k) {
    auto rest = rows.col(k);
    const Index fresh = size_ - before;
    VectorXd on_block = VectorXd::Zero(fresh);
    for (int pass = 0; pass < 2 && fresh > 0; ++pass) {
      const VectorXd part = basis_.middleCols(before, fresh).transpose() * rest;
      rest -= basis_.middleCols(before, fresh) * part;
      on_block += part;
    }
    const double norm = rest.norm();
    VectorXd combination(before + fresh + (norm > kZero ? 1 : 0));
    combination.head(before) = on_basis.col(k);
    combination.segment(before, fresh) = on_block;
    independent_.push_back(norm > kZero);
    if (norm > kZero) {
      combination[before + fresh] = norm;
      basis_.col(size_++) = rest / norm;
    }
    combinations_.push_back(std::move(combination));
  }
}

// The singular values of the rows are those of their combinations of the basis. Where the independent rows alone, a
// triangular matrix L, leave no doubt, no singular value is computed: they are at least 1/norm_F(L^-1).
void View::decide_rank() {
  certain_ = true;
  rotation_.resize(0, 0);
  if (size_ == 0) return;
  MatrixXd lower = MatrixXd::Zero(size_, size_);
  double squares = 0;
  Index i = 0;
  for (std::size_t k = 0; k < combinations_.size(); ++k) {
    squares += combinations_[k].squaredNorm();
    if (independent_[k]) {
      lower.row(i).head(combinations_[k].size()) = combinations_[k].transpose();
      ++i;
    }
  }
  // Columns that are known are rows of norm 1 apart.
  const double largest = std::max(1.0, std::sqrt(squares));
  MatrixXd inverse = MatrixXd::Identity(size_, size_);
  lower.triangularView<Eigen::Lower>().solveInPlace(inverse);
  if (1 / inverse.norm() > kNonzero * largest) return;
  MatrixXd all = MatrixXd::Zero(static_cast<Index>(combinations_.size()), size_);
  for (std::size_t k = 0; k < combinations_.size(); ++k)
    all.row(static_cast<Index>(k)).head(combinations_[k].size()) = combinations_[k].transpose();
  const Eigen::BDCSVD<MatrixXd> svd(all, Eigen::ComputeThinV | Eigen::ComputeThinU);
  const VectorXd& values = svd.singularValues();
  const double top = std::max(known_count_ > 0 ? 1.0 : 0.0, values[0]);
  Index rank = 0;
  for (const double value : values) {
    if (value >= kNonzero * top) {
      ++rank;
    } else if (value > kZero * top) {
      certain_ = false;
    }
  }
  rotation_ = svd.matrixV().leftCols(rank).transpose();
}

bool View::certain() {
  settle();
  return certain_;
}

bool View::contains(std::span<const double> row) {
  settle();
  VectorXd rest = Eigen::Map<const VectorXd>(row.data(), width_).cwiseProduct(scale_);
  const double norm = rest.norm();
  for (Index c = 0; c < width_; ++c)
    if (known_[static_cast<std::size_t>(c)]) rest[c] = 0;
  if (rest.norm() <= kSpanned * norm) return true;
  if (!certain_) return false;
  for (int pass = 0; pass < 2; ++pass) {
    VectorXd part = basis_.leftCols(size_).transpose() * rest;
    if (rotation_.size() > 0) part = rotation_.transpose() * (rotation_ * part);
    rest -= basis_.leftCols(size_) * part;
  }
  return rest.norm() <= kSpanned * norm;
}

// The rows of an orthonormal basis at some columns; a known column has a row of its own.
MatrixXd View::basis_of(std::span<const Index> first, Index block) const {
  MatrixXd columns(size_, static_cast<Index>(first.size()) * block);
  Index at = 0;
  for (const Index c : first)
    for (Index b = 0; b < block; ++b) columns.col(at++) = basis_.row(c + b).head(size_).transpose();
  if (rotation_.size() > 0) columns = rotation_ * columns;
  return columns;
}

double View::mu_squared(std::span<const Index> first, std::span<const double> q, Index block) {
  settle();
  const MatrixXd at = basis_of(first, block);
  double sum = 0;
  MatrixXd x;
  for (std::size_t s = 0; s < first.size(); ++s) {
    const auto here = static_cast<Index>(s) * block;
    x.noalias() = at.middleCols(here, block).transpose() * at;
    for (Index b = 0; b < block; ++b)
      if (known_[static_cast<std::size_t>(first[s] + b)]) x(b, here + b) += 1;
    if (block == 1) {
      for (std::size_t t = 0; t < first.size(); ++t)
        sum += std::abs(x(0, static_cast<Index>(t))) * q[s] * q[t];
    } else {
      for (std::size_t t = 0; t < first.size(); ++t)
        sum += spectral_norm(x.middleCols(static_cast<Index>(t) * block, block)) * q[s] * q[t];
    }
  }
  return sum;
}

MatrixXd View::sum_of_blocks(std::span<const Index> first, std::span<const double> q, Index block) {
  settle();
  const MatrixXd at = basis_of(first, block);
  MatrixXd total = MatrixXd::Zero(size_, block);
  if (rotation_.size() > 0) total.resize(rotation_.rows(), block);
  total.setZero();
  MatrixXd sum = MatrixXd::Zero(block, block);
  for (std::size_t s = 0; s < first.size(); ++s) {
    total += q[s] * at.middleCols(static_cast<Index>(s) * block, block);
    for (Index b = 0; b < block; ++b)
      if (known_[static_cast<std::size_t>(first[s] + b)]) sum(b, b) += q[s] * q[s];
  }
  return sum + total.transpose() * total;
}

}  // namespace hearsay::models
