#include "models/learning/solvers/singular_shrinkage.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "sim/random/random.hpp"
#include "tests/support/jacobi.hpp"

using namespace hearsay;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

MatrixXd normal_matrix(sim::Stream& s, Index rows, Index columns) {
  MatrixXd m(rows, columns);
  for (Index k = 0; k < m.size(); ++k) m.data()[k] = sim::normal(s);
  return m;
}

MatrixXd orthonormal(sim::Stream& s, Index rows, Index columns) {
  return test::orthonormal_basis(normal_matrix(s, rows, columns));
}

MatrixXd shrunk(const MatrixXd& m, double h) {
  models::SingularShrinkage shrinkage(m.rows(), m.cols());
  shrinkage.decompose(m, h);
  MatrixXd out(m.rows(), m.cols());
  shrinkage.matrix(out);
  return out;
}

}  // namespace

TEST_CASE("singular shrinkage: singular values move towards 0 by the threshold, worked by hand") {
  // diag(3, 1) turned by orthogonal matrices: only 3 - 1 = 2 stays.
  const double c = 0.6, s = 0.8;
  MatrixXd u(2, 2), v(2, 2);
  u << c, -s, s, c;
  v << s, c, -c, s;
  const MatrixXd m = u * Eigen::Vector2d(3, 1).asDiagonal() * v.transpose();
  models::SingularShrinkage shrinkage(2, 2);
  shrinkage.decompose(m, 1 + 1e-9);
  MatrixXd out(2, 2);
  shrinkage.matrix(out);
  CHECK((out - 2 * u.col(0) * v.col(0).transpose()).norm() < 1e-8);
  CHECK(shrinkage.rank() == 1);
  VectorXd column(2);
  shrinkage.column(1, column);
  CHECK((column - out.col(1)).norm() < 1e-15);
  shrinkage.decompose(m, 3.1);
  shrinkage.matrix(out);
  CHECK(out.norm() == 0);
  CHECK(shrinkage.rank() == 0);
  CHECK((shrunk(m, 0) - m).norm() < 1e-15);
}

TEST_CASE(
    "singular shrinkage: equals the decomposition of the matrix itself to 1e-10, whatever the spectrum") {
  sim::Stream s({7, 7}, 0, 0, 0);
  const std::pair<Index, Index> shapes[] = {{28, 20}, {20, 28}, {20, 20}, {40, 3}, {3, 40}, {1, 6}, {6, 1}};
  double worst = 0;
  for (int k = 0; k < 700; ++k) {
    const auto [rows, columns] = shapes[k % 7];
    const Index small = std::min(rows, columns);
    // Singular values over up to 14 decades, in clusters too.
    VectorXd sigma(small);
    const double decades = sim::uniform(s, 0, 14);
    for (double& x : sigma) x = std::pow(10, -sim::uniform(s, 0, decades));
    if (k % 3 == 0) sigma.tail(small / 2).setConstant(sigma[small - 1]);
    const MatrixXd m =
        orthonormal(s, rows, small) * sigma.asDiagonal() * orthonormal(s, columns, small).transpose();
    // Thresholds anywhere, and right at a singular value.
    const double h =
        k % 2 == 0 ? std::pow(10, -sim::uniform(s, 0, 14)) : sigma[k % small] * (1 + 1e-3 * (k % 5 - 2));
    worst = std::max(worst, (shrunk(m, h) - test::soft_threshold(m, h)).norm() / m.norm());
  }
  INFO("worst relative error " << worst);
  CHECK(worst < 1e-10);
}

TEST_CASE("singular shrinkage: a matrix that changes column by column is decomposed as if it were new") {
  sim::Stream s({7, 8}, 0, 0, 0);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{28, 20}, {3, 8}, {6, 1}}) {
    MatrixXd m = normal_matrix(s, rows, columns);
    models::SingularShrinkage shrinkage(rows, columns);
    shrinkage.decompose_changed(m, 0, 0.3);  // the first is whole
    MatrixXd out(rows, columns);
    double worst = 0;
    for (int k = 0; k < 300; ++k) {
      const Index j = k % columns;
      m.col(j) = normal_matrix(s, rows, 1) * std::pow(10, sim::uniform(s, -3, 3));
      if (k % 50 == 49) {  // a column that is not finite is forgotten with it
        const VectorXd kept = m.col(j);
        m(0, j) = std::numeric_limits<double>::quiet_NaN();
        shrinkage.decompose_changed(m, j, 0.3);
        shrinkage.matrix(out);
        CHECK(out.array().isNaN().all());
        m.col(j) = kept;
      }
      shrinkage.decompose_changed(m, j, 0.3);
      shrinkage.matrix(out);
      worst = std::max(worst, (out - test::soft_threshold(m, 0.3)).norm() / m.norm());
      VectorXd column(rows);
      shrinkage.column(j, column);
      worst = std::max(worst, (column - out.col(j)).norm() / m.norm());
    }
    INFO(rows << " x " << columns << ": worst relative error " << worst);
    CHECK(worst < 1e-10);
  }
}

TEST_CASE("singular shrinkage: what is not finite stays so") {
  MatrixXd m = MatrixXd::Ones(3, 2);
  m(1, 1) = std::numeric_limits<double>::infinity();
  CHECK(shrunk(m, 0.1).array().isNaN().all());
}
