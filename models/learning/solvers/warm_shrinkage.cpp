#include "models/learning/solvers/warm_shrinkage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hearsay::models {

namespace {

using Eigen::Index;
using FourNumbers = Eigen::Array4d;

// Of what the rotations leave, relative to the largest singular value.
constexpr double kLeft = 1e-13;
// Sweeps after which V is made orthogonal again; each adds about 1e-16 to its error.
constexpr int kSweepsToOrthogonal = 16;
constexpr Index kMaxPairs = WarmShrinkage::kMaxColumns / 2;

Index whole_fours(Index n) {
  return (n + 3) / 4 * 4;
}

double product(const double* x, const double* y, Index n) {
  FourNumbers even = FourNumbers::Zero(), odd = even;
  Index i = 0;
  for (; i + 8 <= n; i += 8) {
    even += Eigen::Map<const FourNumbers>(x + i) * Eigen::Map<const FourNumbers>(y + i);
    odd += Eigen::Map<const FourNumbers>(x + i + 4) * Eigen::Map<const FourNumbers>(y + i + 4);
  }
  if (i < n) even += Eigen::Map<const FourNumbers>(x + i) * Eigen::Map<const FourNumbers>(y + i);
  even += odd;
  return (even[0] + even[1]) + (even[2] + even[3]);
}

void rotate_columns(double* x, double* y, Index n, double cosine, double sine) {
  for (Index i = 0; i < n; i += 4) {
    Eigen::Map<FourNumbers> to_x(x + i), to_y(y + i);
    const FourNumbers old_x = to_x, old_y = to_y;
    to_x = cosine * old_x - sine * old_y;
    to_y = sine * old_x + cosine * old_y;
  }
}

}  // namespace

WarmShrinkage::WarmShrinkage(Index r, Index k)
    : r_(r),
      k_(k),
      padded_(whole_fours(r)),
      stack_(padded_ + whole_fours(k), k),
      products_(k, k),
      factor_(k, k),
      squares_(k),
      s_(k),
      kept_off_(k),
      work_(r, k),
      inner_(k) {
  reset();
}

void WarmShrinkage::reset() {
  stack_.setZero();
  v().setIdentity();
  warm_ = false;
  lesser_matter_ = true;
  limit_ = 0;
  sweeps_ = 0;
}

void WarmShrinkage::make_orthogonal() {
  sweeps_ = 0;
  products_.noalias() = v().transpose() * v();
  products_ *= -0.5;
  products_.diagonal().array() += 1.5;
  factor_.noalias() = v() * products_;
  v() = factor_;
}

void WarmShrinkage::decompose(const Eigen::MatrixXd& m, double h) {
  if (sweeps_ >= kSweepsToOrthogonal) make_orthogonal();
  a().noalias() = m * v();
  // After a small change one sweep nearly always is enough, and none nearly never: the test comes after it.
  if (std::exchange(warm_, true)) {
    sort_columns(h);
    sweep();
  }
  for (int k = 0; !done(h) && k < kMaxSweeps; ++k) sweep();
  finite_ = squares_.allFinite();
  if (finite_) {
    make_factor(h);
  } else {
    reset();
  }
}

void WarmShrinkage::sort_columns(double h) {
  squares_ = a().colwise().squaredNorm();
  for (Index i = 1; i < k_; ++i) {
    for (Index j = i; j > 0 && squares_[j] > squares_[j - 1]; --j) {
      stack_.col(j).swap(stack_.col(j - 1));
      std::swap(squares_[j], squares_[j - 1]);
    }
  }
  s_ = squares_.sqrt();
  kept_off_ = (s_ > h).select(h / s_, 1.0);
  rank_ = (s_ > h).count();
}

// Sets what the next sweep, or the factor, needs to know.
bool WarmShrinkage::done(double h) {
  sort_columns(h);
  if (!squares_.allFinite()) return true;
  const double most = kLeft * s_[0];
  limit_ = most / static_cast<double>(k_);

  products_.leftCols(rank_).noalias() = a().transpose() * a().leftCols(rank_);
  double cosines = 0, mixed = 0, all = 0;
  for (Index p = 0; p < rank_; ++p) {
    for (Index q = p + 1; q < k_; ++q) {
      const double e = products_(q, p), term = kept_off_[q] * e / (s_[p] + s_[q]), square = term * term;
      all += square;
      mixed += q < rank_ ? 0 : square;
      cosines += q < rank_ ? 2 * e * e / (squares_[p] * squares_[q]) : 0;
    }
  }
  // The squares of the singular values of the lesser columns have the sum of their squared norms.
  lesser_matter_ = squares_.tail(k_ - rank_).sum() > h * h && lesser_exceed(h);
  if (lesser_matter_) {
    for (Index p = rank_; p < k_; ++p) {
      for (Index q = p + 1; q < k_; ++q) {
        if (products_(q, p) == 0) continue;
        const double term = products_(q, p) / (s_[p] + s_[q]);
        all += term * term;
        mixed += term * term;
      }
    }
  }
  const bool orthogonal = all <= most * most;
  corrected_ = !orthogonal && mixed <= most * most && h * cosines <= most &&
               s_[rank_ - 1] * (1 - std::sqrt(cosines)) > h;
  return orthogonal || corrected_;
}

// Whether a singular value of the lesser columns may be above h.
bool WarmShrinkage::lesser_exceed(double h) {
  auto products = products_.bottomRightCorner(k_ - rank_, k_ - rank_);
  products.noalias() = a().rightCols(k_ - rank_).transpose() * a().rightCols(k_ - rank_);
  products.diagonal().setZero();
  return products.squaredNorm() > 0 && squares_[rank_] + products.norm() > h * h;
}

void WarmShrinkage::sweep() {
  ++sweeps_;
  const Index rotated = lesser_matter_ ? k_ : rank_;  // columns that become orthogonal to all that follow
  for (Index sum = 1; sum <= 2 * k_ - 3; ++sum) {
    const Index first = std::max<Index>(0, sum - k_ + 1);
    rotate(sum, first, std::min((sum + 1) / 2, rotated) - first);
  }
}

WarmShrinkage::Pair WarmShrinkage::pair(Index p, Index q) const {
  const double e = product(stack_.col(p).data(), stack_.col(q).data(), padded_);
  const double both = squares_[p] + squares_[q];
  if (!(std::abs(e) * kept_off_[q] > limit_ * (s_[p] + s_[q])) ||
      !(both >= std::numeric_limits<double>::min()))
    return {};
  const double scale = 1 / both;
  return {.e = e, .x = (squares_[q] - squares_[p]) * scale, .y = 2 * e * scale};
}

// The pairs (p, sum - p) for `count` p from `first` on. With rho = norm(x, y): tan = y/(rho + |x|) with the sign of x,
// cos^2 = (rho + |x|)/(2 rho).
void WarmShrinkage::rotate(Index sum, Index first, Index count) {
  double e[kMaxPairs], x[kMaxPairs], y[kMaxPairs];
  for (Index i = 0; i < whole_fours(count); ++i) {
    const Pair one = i < count ? pair(first + i, sum - first - i) : Pair();
    e[i] = one.e;
    x[i] = one.x;
    y[i] = one.y;
  }
  for (Index i = 0; i < count; i += 4) {
    Eigen::Map<FourNumbers> cosine(x + i), tangent(y + i);
    const FourNumbers rho = (cosine.square() + tangent.square()).sqrt(), far = rho + cosine.abs();
    tangent = (cosine < 0).select(-tangent, tangent) / far;
    cosine = (far / (2 * rho)).sqrt();
  }
  for (Index i = 0; i < count; ++i) {
    if (e[i] == 0) continue;
    const Index p = first + i, q = sum - p;
    rotate_columns(stack_.col(p).data(), stack_.col(q).data(), stack_.rows(), x[i], x[i] * y[i]);
    squares_[p] -= y[i] * e[i];
    squares_[q] += y[i] * e[i];
  }
}

void WarmShrinkage::make_factor(double h) {
  auto f = factor_.topLeftCorner(rank_, rank_);
  f.setZero();
  f.diagonal() = 1 - kept_off_.head(rank_);
  if (!corrected_) return;
  for (Index q = 0; q < rank_; ++q) {
    for (Index p = 0; p < q; ++p) f(p, q) = f(q, p) = h * products_(q, p) / (s_[p] * s_[q] * (s_[p] + s_[q]));
  }
}

void WarmShrinkage::column(Index j, Eigen::Ref<Eigen::VectorXd> out) const {
  auto inner = inner_.head(rank_);
  inner.noalias() = factor() * kept_v().row(j).transpose();
  out.noalias() = kept_a() * inner;
}

void WarmShrinkage::row(Index j, Eigen::Ref<Eigen::VectorXd> out) const {
  auto inner = inner_.head(rank_);
  inner.noalias() = factor() * kept_a().row(j).transpose();
  out.noalias() = kept_v() * inner;
}

void WarmShrinkage::shrink() const {
  if (corrected_) {
    shrunk().noalias() = kept_a() * factor();
  } else {
    shrunk() = kept_a() * factor().diagonal().asDiagonal();
  }
}

void WarmShrinkage::matrix(Eigen::MatrixXd& out) const {
  shrink();
  out.noalias() = shrunk() * kept_v().transpose();
}

void WarmShrinkage::transposed(Eigen::MatrixXd& out) const {
  shrink();
  out.noalias() = kept_v() * shrunk().transpose();
}

}  // namespace hearsay::models
