#pragma once
// The Hessian of Q (personal_problem.hpp) at some models as an operator on vectors of n p numbers, agent by
// agent, for Eigen's iterative solvers:
//   (H v)_i = D_ii v_i - sum_j W_ij v_j + mu D_ii c_i ( X_i^T diag(loss''(s_k)) X_i v_i/m_i + 2 lambda_i v_i )
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>

#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"

namespace hearsay::models {
class StackedHessian;
}

// What Eigen asks of an operator that is no matrix ("Matrix-free solvers" in its manual).
template <>
struct Eigen::internal::traits<hearsay::models::StackedHessian>
    : Eigen::internal::traits<Eigen::SparseMatrix<double>> {};

namespace hearsay::models {

class StackedHessian : public Eigen::EigenBase<StackedHessian> {
 public:
  using Scalar = double;
  using RealScalar = double;
  using StorageIndex = int;
  enum { ColsAtCompileTime = Eigen::Dynamic, MaxColsAtCompileTime = Eigen::Dynamic, IsRowMajor = false };

  /// At `models` (p x n). The problem must outlive it.
  StackedHessian(const PersonalProblem& problem, const Eigen::MatrixXd& models);

  Eigen::Index rows() const { return diagonal_.size(); }
  Eigen::Index cols() const { return diagonal_.size(); }
  template <class Rhs>
  Eigen::Product<StackedHessian, Rhs, Eigen::AliasFreeProduct> operator*(
      const Eigen::MatrixBase<Rhs>& v) const {
    return {*this, v.derived()};
  }
  /// out += factor H v.
  void add_product(const Eigen::VectorXd& v, double factor, Eigen::VectorXd& out) const;
  const Eigen::VectorXd& diagonal() const { return diagonal_; }

 private:
  const PersonalProblem& problem_;
  std::vector<Eigen::VectorXd> curvatures_;  // mu D_ii c_i loss''/m_i of each record, by agent
  Eigen::VectorXd diagonal_;
};

/// Division by the operator's diagonal.
class StackedJacobi {
 public:
  StackedJacobi() = default;
  explicit StackedJacobi(const StackedHessian& h) { compute(h); }
  StackedJacobi& analyzePattern(const StackedHessian&) { return *this; }
  StackedJacobi& factorize(const StackedHessian& h) { return compute(h); }
  StackedJacobi& compute(const StackedHessian& h) {
    inverse_ = h.diagonal().cwiseInverse();
    return *this;
  }
  template <class Rhs>
  Eigen::VectorXd solve(const Rhs& b) const {
    return inverse_.cwiseProduct(b);
  }
  Eigen::ComputationInfo info() const { return Eigen::Success; }

 private:
  Eigen::VectorXd inverse_;
};

}  // namespace hearsay::models

template <class Rhs>
struct Eigen::internal::generic_product_impl<hearsay::models::StackedHessian, Rhs, Eigen::SparseShape,
                                             Eigen::DenseShape, Eigen::GemvProduct>
    : generic_product_impl_base<hearsay::models::StackedHessian, Rhs,
                                generic_product_impl<hearsay::models::StackedHessian, Rhs>> {
  using Scalar = double;
  template <class Dest>
  static void scaleAndAddTo(Dest& out, const hearsay::models::StackedHessian& h, const Rhs& v,
                            const double& factor) {
    Eigen::VectorXd sum = out;
    h.add_product(v, factor, sum);
    out = sum;
  }
};
