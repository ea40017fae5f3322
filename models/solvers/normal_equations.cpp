#include "models/solvers/normal_equations.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>

namespace hearsay::models {

Eigen::VectorXd solve_positive(const Eigen::MatrixXd& h, const Eigen::VectorXd& rhs) {
  constexpr double kNearSingular = 1e-13;
  const Eigen::VectorXd scale =
      h.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / std::sqrt(d) : 1.0; });
  const Eigen::MatrixXd full = h.selfadjointView<Eigen::Lower>();
  const Eigen::MatrixXd unit = scale.asDiagonal() * full * scale.asDiagonal();
  const Eigen::VectorXd scaled_rhs = scale.cwiseProduct(rhs);

  const Eigen::LDLT<Eigen::MatrixXd> ldlt(unit);
  if (ldlt.info() == Eigen::Success && ldlt.isPositive() && ldlt.rcond() > kNearSingular) {
    Eigen::VectorXd x = ldlt.solve(scaled_rhs);
    x += ldlt.solve(scaled_rhs - unit * x);
    return scale.cwiseProduct(x);
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(kNearSingular);
  cod.compute(unit);
  return scale.cwiseProduct(cod.solve(scaled_rhs));
}

}  // namespace hearsay::models
