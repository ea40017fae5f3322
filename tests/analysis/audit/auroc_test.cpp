#include "analysis/audit/auroc.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using hearsay::analysis::auroc;

TEST_CASE("audit: AUROC counts pairs") {
  // Of 16 pairs 0 wins none, 4 wins against 1, 2 and 3, 6 and 7 against all four.
  CHECK(auroc(std::vector<double>{0, 4, 6, 7}, std::vector<double>{1, 2, 3, 5}) == 11.0 / 16);
  CHECK(auroc(std::vector<double>{2, 4, 6, 7}, std::vector<double>{1, 0, 3, 5}) == 13.0 / 16);
  CHECK(auroc(std::vector<double>{3, 4}, std::vector<double>{1, 2}) == 1);
  CHECK(auroc(std::vector<double>{1, 2}, std::vector<double>{3, 4}) == 0);
}

TEST_CASE("audit: of AUROC a tie is half a pair") {
  // 1 ties with 1 and wins against 0, twice; 2 wins both: (1.5 + 1.5 + 2)/6.
  CHECK(auroc(std::vector<double>{1, 1, 2}, std::vector<double>{1, 0}) == Approx(5.0 / 6));
  CHECK(auroc(std::vector<double>{1, 1, 1}, std::vector<double>{1}) == 0.5);
}

TEST_CASE("audit: without scores on one side there is no AUROC") {
  CHECK(std::isnan(auroc({}, std::vector<double>{1})));
  CHECK(std::isnan(auroc(std::vector<double>{1}, {})));
}
