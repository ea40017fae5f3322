#include "models/learning/networks/row_product.hpp"

#include <catch2/catch.hpp>

#include "models/data/data_set.hpp"

using namespace hearsay::models;
using Eigen::Index;
using Eigen::MatrixXd;

namespace {

// Small whole numbers, so that every sum of products is exact in whatever order.
template <class Matrix>
Matrix whole_numbers(Index rows, Index columns, int seed) {
  Matrix numbers(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j)
      numbers(i, j) = static_cast<double>((i * 31 + j * 17 + seed) % 13 - 6);
  }
  return numbers;
}

}  // namespace

TEST_CASE(
    "row product: equals the product for every size around the tiles, either order of A, alone or added") {
  for (Index m = 1; m <= 11; ++m) {
    for (const Index k : {0, 1, 3, 10}) {
      for (Index n = 1; n <= 21; ++n) {
        const auto a = whole_numbers<Records>(m, k, 1);
        const MatrixXd columns = a;  // the same, column after column
        const auto b = whole_numbers<Records>(k, n, 5);
        const auto before = whole_numbers<Records>(m, n, 8);
        // Eigen adds to a null pointer where there are no numbers.
        const Records product = k == 0 ? Records(Records::Zero(m, n)) : Records(a.lazyProduct(b));
        CAPTURE(m, k, n);
        Records c = before;
        row_product<false>(a.data(), {k, 1}, b.data(), c.data(), m, k, n);
        CHECK(c == product);
        c = before;
        row_product<true>(columns.data(), {1, m}, b.data(), c.data(), m, k, n);
        CHECK(c == before + product);
      }
    }
  }
}
