#include "models/learning/solvers/dependence.hpp"

#include <catch2/catch.hpp>

using namespace hearsay;

TEST_CASE("dependence: the first dependent column with those of its combination, whatever their scale") {
  using Columns = std::vector<Eigen::Index>;
  Eigen::MatrixXd x(4, 4);
  x << 1, 0, 2, 1,  //
      0, 1, 0, 1,   //
      0, 0, 0, 0,   //
      0, 0, 1, 0;
  // Column 3 = column 0 + column 1; column 2 is in no combination.
  CHECK(models::dependent_columns(x.transpose() * x) == Columns{0, 1, 3});
  Eigen::MatrixXd scaled = x;
  scaled.col(0) *= 1e7;
  scaled.col(3) *= 1e-5;
  CHECK(models::dependent_columns(scaled.transpose() * scaled) == Columns{0, 1, 3});
  x(2, 3) = 1e-3;  // sine 1e-3/sqrt(2)
  CHECK(models::dependent_columns(x.transpose() * x).empty());
  x.col(1).setZero();
  CHECK(models::dependent_columns(x.transpose() * x) == Columns{1});
}
