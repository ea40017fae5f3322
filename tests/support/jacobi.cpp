#include "tests/support/jacobi.hpp"

#include <Eigen/SVD>

namespace hearsay::test {

Eigen::MatrixXd soft_threshold(const Eigen::MatrixXd& m, double threshold) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(m, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd s = (svd.singularValues().array() - threshold).max(0);
  return svd.matrixU() * s.asDiagonal() * svd.matrixV().transpose();
}

Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& m) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(m, Eigen::ComputeThinU | Eigen::ComputeThinV).matrixU();
}

}  // namespace hearsay::test
