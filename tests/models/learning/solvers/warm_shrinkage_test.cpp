// Shrinkage of singular values along sequences of matrices, each decomposed from the last, against the decomposition of
// the matrix itself.
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "models/learning/solvers/singular_shrinkage.hpp"
#include "sim/random/random.hpp"
#include "tests/support/jacobi.hpp"

using namespace hearsay;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double kStated = 1e-12;  // relative to the norm of the matrix

MatrixXd normals(sim::Stream& s, Index rows, Index columns) {
  MatrixXd m(rows, columns);
  for (double& x : m.reshaped()) x = sim::normal(s);
  return m;
}

MatrixXd with_spectrum(sim::Stream& s, Index rows, const VectorXd& sigma) {
  return test::orthonormal_basis(normals(s, rows, sigma.size())) * sigma.asDiagonal() *
         test::orthonormal_basis(normals(s, sigma.size(), sigma.size())).transpose();
}

// Decomposes m, and compares the result as a whole and one column of it.
double error_of(models::SingularShrinkage& shrinkage, const MatrixXd& m, double h) {
  shrinkage.decompose(m, h);
  MatrixXd out(m.rows(), m.cols());
  shrinkage.matrix(out);
  const MatrixXd expected = test::soft_threshold(m, h);
  VectorXd column(m.rows());
  const Index j = m.cols() / 2;
  shrinkage.column(j, column);
  const double error = std::max((out - expected).norm(), (column - expected.col(j)).norm());
  return error == 0 ? 0 : error / m.norm();
}

double worst_of(Index rows, Index columns, int steps, double h,
                const std::function<void(MatrixXd&, int)>& change) {
  MatrixXd m = MatrixXd::Zero(rows, columns);
  models::SingularShrinkage shrinkage(rows, columns);
  double worst = 0;
  for (int k = 0; k < steps; ++k) {
    change(m, k);
    worst = std::max(worst, error_of(shrinkage, m, h));
  }
  return worst;
}

MatrixXd result_of(models::SingularShrinkage& shrinkage, const MatrixXd& m, double h) {
  shrinkage.decompose(m, h);
  MatrixXd out(m.rows(), m.cols());
  shrinkage.matrix(out);
  return out;
}

}  // namespace

TEST_CASE("warm shrinkage: small changes, of all columns or one, at thresholds from none to all") {
  sim::Stream s({7, 21}, 0, 0, 0);
  for (const auto& size_of : {std::pair<Index, Index>{28, 20}, {20, 28}, {7, 7}, {12, 3}, {2, 1}}) {
    const Index rows = size_of.first, columns = size_of.second;
    for (const double h : {0.0, 1e-5, 1e-2, 1.0, 3.0, 30.0}) {
      for (const double size : {1e-9, 1e-4, 1e-2, 0.3}) {
        const double worst = worst_of(rows, columns, 40, h, [&](MatrixXd& m, int k) {
          if (k == 0) {
            m = normals(s, rows, columns);
          } else if (k % 2 == 0) {
            m += size * normals(s, rows, columns);
          } else {
            m.col(k % columns) += size * normals(s, rows, 1);
          }
        });
        INFO(rows << " x " << columns << ", h = " << h << ", change " << size << ": " << worst);
        CHECK(worst < kStated);
      }
    }
  }
}

TEST_CASE("warm shrinkage: nothing is lost in thousands of changes") {
  sim::Stream s({7, 22}, 0, 0, 0);
  MatrixXd m = normals(s, 28, 20);
  models::SingularShrinkage shrinkage(28, 20);
  double worst = 0;
  for (int k = 0; k < 5000; ++k) {
    m = 0.999 * m + 0.02 * normals(s, 28, 20);
    if (k % 100 == 99) {
      worst = std::max(worst, error_of(shrinkage, m, 0.05));
    } else {
      shrinkage.decompose(m, 0.05);
    }
  }
  INFO(worst);
  CHECK(worst < kStated);
}

TEST_CASE("warm shrinkage: spectra that are repeated, clustered, deficient, graded, or jump to one another") {
  sim::Stream s({7, 23}, 0, 0, 0);
  const Index k = 12;
  const auto spectrum = [&](int kind) {
    VectorXd sigma = VectorXd::Ones(k);
    switch (kind % 6) {
      case 0:  // one value
        break;
      case 1:  // two clusters
        for (Index i = 0; i < k; ++i) sigma[i] = (i < 5 ? 3 : 1) * (1 + 1e-12 * static_cast<double>(i));
        break;
      case 2:  // rank 4
        sigma.tail(k - 4).setZero();
        break;
      case 3:  // all at the threshold, or next to it
        for (Index i = 0; i < k; ++i) sigma[i] = 0.5 * (1 + 1e-13 * static_cast<double>(i - 6));
        break;
      case 4:  // 14 decades
        for (Index i = 0; i < k; ++i) sigma[i] = std::pow(10, -14.0 * static_cast<double>(i) / (k - 1));
        break;
      default:
        sigma.setZero();
    }
    return sigma;
  };
  const double worst = worst_of(17, k, 400, 0.5, [&](MatrixXd& m, int) {
    const double scale = std::pow(10, std::floor(sim::uniform(s, -6, 6)));
    m = with_spectrum(
        s, 17, spectrum(static_cast<int>(sim::uniform_index(s, 6))) * (sim::bernoulli(s, 0.5) ? 1 : scale));
    if (sim::bernoulli(s, 0.2)) m.col(3) = m.col(4);
  });
  INFO(worst);
  CHECK(worst < kStated);
}

TEST_CASE("warm shrinkage: columns shorter than the threshold may exceed it together") {
  // Two equal columns of norm 0.9 h: singular value 0.9 sqrt(2) h, of which 0.9 sqrt(2) - 1 stays.
  const double h = 2;
  MatrixXd m = MatrixXd::Zero(4, 3);
  models::SingularShrinkage shrinkage(4, 3);
  m(0, 0) = 5;
  (void)result_of(shrinkage, m, h);
  m(0, 0) = 0;
  m(2, 0) = m(2, 1) = 0.9 * h;
  const double left = (0.9 * std::sqrt(2.0) - 1) * h / std::sqrt(2.0);
  const MatrixXd out = result_of(shrinkage, m, h);
  CHECK(out(2, 0) == Approx(left).epsilon(1e-12));
  CHECK(out(2, 1) == Approx(left).epsilon(1e-12));
  CHECK(shrinkage.rank() == 1);
}

TEST_CASE("warm shrinkage: columns a little longer than the threshold, one of whose singular values is not") {
  // Of two columns of norm l and cosine c the singular values are l sqrt(1 +- c).
  const double h = 1e-6, l = h * (1 + 1e-6), c = 1e-4;
  MatrixXd m = MatrixXd::Zero(3, 3);
  m(0, 0) = 1;
  m(1, 1) = l;
  m(1, 2) = l * c;
  m(2, 2) = l * std::sqrt(1 - c * c);
  models::SingularShrinkage shrinkage(3, 3);
  CHECK(error_of(shrinkage, m, h) < kStated);
  CHECK(shrinkage.rank() == 2);
}

TEST_CASE("warm shrinkage: after a matrix that is not finite, and after a reset, as at the start") {
  sim::Stream s({7, 24}, 0, 0, 0);
  for (const auto& [rows, columns] : {std::pair<Index, Index>{28, 20}, {9, 14}}) {
    const MatrixXd first = normals(s, rows, columns), second = first + 0.1 * normals(s, rows, columns);
    models::SingularShrinkage fresh(rows, columns), used(rows, columns);
    const MatrixXd expected = result_of(fresh, second, 0.7);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity(), 1e200}) {  // whose square is not finite
      (void)result_of(used, first, 0.7);
      MatrixXd broken = first;
      broken(1, 2) = bad;
      CHECK(result_of(used, broken, 0.7).array().isNaN().all());
      CHECK(result_of(used, second, 0.7) == expected);
      used.reset();
      CHECK(result_of(used, second, 0.7) == expected);
    }
  }
}

TEST_CASE("warm shrinkage: numbers whose squares vanish do not keep it from ending") {
  sim::Stream s({7, 25}, 0, 0, 0);
  models::SingularShrinkage shrinkage(9, 6);
  for (const double scale : {1e-150, 1e-160, 1e-170, 1e-300}) {
    const MatrixXd m = scale * normals(s, 9, 6);
    CHECK(result_of(shrinkage, m, 0.1).norm() == 0);
    CHECK(result_of(shrinkage, m, scale).allFinite());
  }
}
