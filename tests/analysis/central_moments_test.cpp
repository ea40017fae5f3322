#include "analysis/theory/central_moments.hpp"

#include <catch2/catch.hpp>

using namespace hearsay::analysis;

TEST_CASE("central moments: the first steps by hand, for one owner without noise") {
  // N = 1, a h = 1/2 (rho = 1/2, T = sigma = h = 1): errors start at 1 each. bar = (L + th)/2, th <- bar/2, L
  // <- bar.
  //   k = 1: bar = 1, th = 1/2, L = 1;  k = 2: bar = 3/4, th = 3/8, L = 3/4;  k = 3: bar = 9/16.
  const CentralSetting s{.epsilon = {1},
                         .records = 1,
                         .horizon = 1,
                         .rho = 0.5,
                         .sigma = 1,
                         .hessian_min = 1,
                         .hessian_max = 1,
                         .psi_start = 1};
  CHECK(expected_psi(s, 0) == Approx(1));
  CHECK(expected_psi(s, 1) == Approx(1));
  CHECK(expected_psi(s, 2) == Approx(9.0 / 16));
  CHECK(expected_psi(s, 3) == Approx(81.0 / 256));
}

TEST_CASE("central moments: values of an independent program") {
  const CentralSetting s{.epsilon = {1, 1, 1},
                         .records = 3 * 50000,
                         .dimension = 10,
                         .horizon = 1000,
                         .rho = 1.8,
                         .sigma = 2e-5,
                         .bound = 44.5,
                         .hessian_min = 0.22,
                         .hessian_max = 0.22,
                         .f_star = 0.4,
                         .psi_start = 1.5};
  CHECK(expected_psi(s, 1) == Approx(1.5).epsilon(1e-9));
  CHECK(expected_psi(s, 10) == Approx(1.4804359480110898).epsilon(1e-9));
  CHECK(expected_psi(s, 100) == Approx(1.1549044600385807).epsilon(1e-9));
  CHECK(expected_psi(s, 1000) == Approx(0.9281309584383605).epsilon(1e-9));
  CHECK(stationary_noise(s) == Approx(0.9281016660029263).epsilon(1e-9));
}

TEST_CASE("central moments: the recursion converges to the stationary noise") {
  const CentralSetting s{.epsilon = {0.5, 0.5, 0.5, 0.5},
                         .records = 4 * 1000,
                         .dimension = 3,
                         .horizon = 100,
                         .rho = 20,
                         .sigma = 0.01,
                         .bound = 2,
                         .hessian_min = 0.5,
                         .hessian_max = 0.5,
                         .f_star = 2,
                         .psi_start = 1};
  CHECK(expected_psi(s, 20000) == Approx(stationary_noise(s)).epsilon(1e-9));
}
