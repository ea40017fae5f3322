#include "models/protocols/multitask/coupling.hpp"

#include <cmath>
#include <limits>

namespace hearsay::models {
namespace {

double soft(double x, double h) {
  return std::copysign(std::max(std::abs(x) - h, 0.0), x);
}

// What is left, as a factor, of a vector of that length.
double kept(double length, double h) {
  if (length > h) return 1 - h / length;
  return std::isfinite(length) ? 0 : length;
}

}  // namespace

double penalty(Coupling coupling, const Eigen::MatrixXd& m) {
  if (!m.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  switch (coupling) {
    case Coupling::kNuclear:
      return singular_values(m).sum();
    case Coupling::kL21:
      return m.rowwise().norm().sum();
    case Coupling::kL1:
      return m.lpNorm<1>();
    case Coupling::kNone:
      return 0;
  }
  return 0;
}

double penalty(OwnPenalty kind, const Eigen::MatrixXd& q) {
  switch (kind) {
    case OwnPenalty::kRidge:
      return q.squaredNorm() / 2;
    case OwnPenalty::kL1:
      return q.lpNorm<1>();
    case OwnPenalty::kL21:
      return q.colwise().norm().sum();
  }
  return 0;
}

void shrink_own(OwnPenalty kind, double h, Eigen::Ref<Eigen::VectorXd> q) {
  switch (kind) {
    case OwnPenalty::kRidge:
      return;
    case OwnPenalty::kL1:
      for (double& x : q) x = soft(x, h);
      return;
    case OwnPenalty::kL21:
      q *= kept(q.norm(), h);
      return;
  }
}

Eigen::Index numerical_rank(const Eigen::MatrixXd& m) {
  const Eigen::VectorXd s = singular_values(m);
  return s.size() == 0 || s[0] == 0 ? 0 : (s.array() > 1e-9 * s[0]).count();
}

void CouplingProx::decompose(const Eigen::MatrixXd& m, double h) {
  m_ = &m;
  h_ = h;
  if (coupling_ == Coupling::kNuclear) shrinkage_.decompose(m, h);
  if (coupling_ == Coupling::kL21) shrink_rows();
}

void CouplingProx::decompose_changed(const Eigen::MatrixXd& m, Eigen::Index t, double h) {
  m_ = &m;
  h_ = h;
  if (coupling_ == Coupling::kNuclear) shrinkage_.decompose_changed(m, t, h);
  if (coupling_ == Coupling::kL21) shrink_rows();
}

void CouplingProx::shrink_rows() {
  for (Eigen::Index j = 0; j < m_->rows(); ++j) rows_[j] = kept(m_->row(j).norm(), h_);
}

void CouplingProx::column(Eigen::Index t, Eigen::Ref<Eigen::VectorXd> out) const {
  switch (coupling_) {
    case Coupling::kNuclear:
      shrinkage_.column(t, out);
      return;
    case Coupling::kL21:
      out = m_->col(t).cwiseProduct(rows_);
      return;
    case Coupling::kL1:
      for (Eigen::Index j = 0; j < out.size(); ++j) out[j] = soft((*m_)(j, t), h_);
      return;
    case Coupling::kNone:
      out = m_->col(t);
      return;
  }
}

void CouplingProx::matrix(Eigen::MatrixXd& out) const {
  if (coupling_ == Coupling::kNuclear) {
    shrinkage_.matrix(out);
    return;
  }
  for (Eigen::Index t = 0; t < out.cols(); ++t) column(t, out.col(t));
}

}  // namespace hearsay::models
