#include "models/algebra/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace hearsay::models {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct SymmetricEigen::Solver : Eigen::SelfAdjointEigenSolver<MatrixXd> {
  using Eigen::SelfAdjointEigenSolver<MatrixXd>::SelfAdjointEigenSolver;
  const VectorXd& values() const { return m_eivalues; }
  const MatrixXd& vectors() const { return m_eivec; }
};

SymmetricEigen::SymmetricEigen(Eigen::Index n)
    : solver_(std::make_unique<Solver>(n)), values_(&solver_->values()), vectors_(&solver_->vectors()) {}
SymmetricEigen::~SymmetricEigen() = default;
SymmetricEigen::SymmetricEigen(SymmetricEigen&&) noexcept = default;
SymmetricEigen& SymmetricEigen::operator=(SymmetricEigen&&) noexcept = default;

void SymmetricEigen::compute(const MatrixXd& m) {
  solver_->compute(m);
}

VectorXd symmetric_eigenvalues(const MatrixXd& m) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(m, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorXd tridiagonal_eigenvalues(std::span<const double> diagonal, std::span<const double> off_diagonal) {
  const auto vector = [](std::span<const double> x) {
    return VectorXd(VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  Eigen::SelfAdjointEigenSolver<MatrixXd> solver;
  solver.computeFromTridiagonal(vector(diagonal), vector(off_diagonal), Eigen::EigenvaluesOnly);
  return solver.eigenvalues();
}

VectorXd singular_values(const MatrixXd& m) {
  return Eigen::JacobiSVD<MatrixXd>(m).singularValues();
}

VectorXd least_squares(const MatrixXd& a, const VectorXd& b) {
  return a.colPivHouseholderQr().solve(b);
}

VectorXd solve_symmetric(const MatrixXd& m, const VectorXd& b) {
  return m.selfadjointView<Eigen::Lower>().ldlt().solve(b);
}

VectorXd solve_positive(const MatrixXd& h, const VectorXd& rhs) {
  constexpr double kNearSingular = 1e-13;
  const VectorXd scale = h.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 1.0; });
  const MatrixXd full = h.selfadjointView<Eigen::Lower>();
  const MatrixXd unit = scale.asDiagonal() * full * scale.asDiagonal();
  const VectorXd scaled_rhs = scale.cwiseProduct(rhs);

  const Eigen::LDLT<MatrixXd> ldlt(unit);
  if (ldlt.info() == Eigen::Success && ldlt.isPositive() && ldlt.rcond() > kNearSingular) {
    VectorXd x = ldlt.solve(scaled_rhs);
    x += ldlt.solve(scaled_rhs - unit * x);
    return scale.cwiseProduct(x);
  }
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod;
  cod.setThreshold(kNearSingular);
  cod.compute(unit);
  return scale.cwiseProduct(cod.solve(scaled_rhs));
}

}  // namespace hearsay::models
