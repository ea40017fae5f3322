#include "analysis/conclusions/comparison.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace hearsay;

TEST_CASE("comparison: the interval of a mean difference is Student's, worked by hand") {
  // Differences 1, 2, 3: mean 2, s = 1, n = 3; t(0.975, 2) = 4.302653 (tables): 2 +- 4.302653/sqrt(3).
  const auto d = analysis::paired_difference({10, 20, 30}, {11, 22, 33}, 0.95);
  CHECK(d.pairs == 3);
  CHECK(d.mean == Approx(2));
  CHECK(d.low == Approx(2 - 4.302653 / std::sqrt(3)).epsilon(1e-6));
  CHECK(d.high == Approx(2 + 4.302653 / std::sqrt(3)).epsilon(1e-6));
  // Variances 100 and 121 of the two, 1 of the difference.
  CHECK(d.reduction == Approx(221));
}

TEST_CASE("comparison: pairs without two numbers are left out, and one pair has no interval") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto d =
      analysis::paired_difference({1, none, 3, 4}, {2, 5, std::numeric_limits<double>::infinity()}, 0.9);
  CHECK(d.pairs == 1);
  CHECK(d.mean == 1);
  CHECK(std::isnan(d.low));
  CHECK(std::isnan(analysis::paired_difference({}, {}, 0.9).mean));
}
