#include "models/learning/solvers/dependence.hpp"

#include <cmath>

namespace hearsay::models {

using Eigen::Index;

// Cholesky factorisation column by column: unit = L L^T. The combination for column j has the coefficients
// L^-T (row j of L), and 1 - norm_2(row j of L)^2 is its squared sine.
std::vector<Index> dependent_columns(const Eigen::MatrixXd& gram) {
  constexpr double kSquaredSine = 1e-12, kCoefficient = 1e-6;
  const Index p = gram.rows();
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(p, p);
  for (Index j = 0; j < p; ++j) {
    if (!(gram(j, j) > 0)) return {j};
    Eigen::VectorXd row(j);
    for (Index k = 0; k < j; ++k) {
      const double unit = gram(j, k) / std::sqrt(gram(j, j) * gram(k, k));
      row[k] = (unit - factor.row(k).head(k).dot(row.head(k))) / factor(k, k);
    }
    const double rest = 1 - row.squaredNorm();
    if (rest > kSquaredSine) {
      factor.row(j).head(j) = row.transpose();
      factor(j, j) = std::sqrt(rest);
      continue;
    }
    for (Index k = j - 1; k >= 0; --k) {
      row[k] /= factor(k, k);
      row.head(k) -= row[k] * factor.row(k).head(k).transpose();
    }
    const double least = kCoefficient * row.cwiseAbs().maxCoeff();
    std::vector<Index> dependent;
    for (Index k = 0; k < j; ++k) {
      if (std::abs(row[k]) > least) dependent.push_back(k);
    }
    dependent.push_back(j);
    return dependent;
  }
  return {};
}

}  // namespace hearsay::models
