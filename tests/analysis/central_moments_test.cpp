#include "analysis/theory/central_moments.hpp"

#include <catch2/catch.hpp>

using hearsay::analysis::CentralMoments;

TEST_CASE("central moments: the first steps by hand, for one owner without noise") {
  // N = 1, a h = 1/2 (rho = 1/2, T = sigma = h = 1): errors start at 1 each. bar = (L + th)/2, th <- bar/2, L
  // <- bar.
  //   k = 1: bar = 1, th = 1/2, L = 1;  k = 2: bar = 3/4, th = 3/8, L = 3/4;  k = 3: bar = 9/16.
  const CentralMoments theory{.rho = 0.5, .bound = 0, .psi_start = 1};
  CHECK(theory.psi(0) == Approx(1));
  CHECK(theory.psi(1) == Approx(1));
  CHECK(theory.psi(2) == Approx(9.0 / 16));
  CHECK(theory.psi(3) == Approx(81.0 / 256));
}

TEST_CASE("central moments: values of an independent program") {
  const CentralMoments theory{.owners = 3,
                              .p = 10,
                              .horizon = 1000,
                              .rho = 1.8,
                              .sigma = 2e-5,
                              .hessian = 0.22,
                              .bound = 44.5,
                              .records = 50000,
                              .epsilon = 1,
                              .f_star = 0.4,
                              .psi_start = 1.5};
  CHECK(theory.psi(1) == Approx(1.5).epsilon(1e-9));
  CHECK(theory.psi(10) == Approx(1.4804359480110898).epsilon(1e-9));
  CHECK(theory.psi(100) == Approx(1.1549044600385807).epsilon(1e-9));
  CHECK(theory.psi(1000) == Approx(0.9281309584383605).epsilon(1e-9));
  CHECK(theory.stationary_noise() == Approx(0.9281016660029263).epsilon(1e-9));
}

TEST_CASE("central moments: the recursion converges to the stationary noise") {
  const CentralMoments theory{.owners = 4,
                              .p = 3,
                              .horizon = 100,
                              .rho = 20,
                              .sigma = 0.01,
                              .hessian = 0.5,
                              .bound = 2,
                              .records = 1000,
                              .epsilon = 0.5,
                              .f_star = 2,
                              .psi_start = 1};
  CHECK(theory.psi(20000) == Approx(theory.stationary_noise()).epsilon(1e-9));
}
