#include "analysis/theory/central_bounds.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "analysis/theory/central_moments.hpp"

using namespace hearsay::analysis;

namespace {

const CentralSetting kSetting{.epsilon = {1, 2},
                              .records = 10,
                              .dimension = 3,
                              .horizon = 5,
                              .rho = 2,
                              .sigma = 0.5,
                              .bound = 1.5,
                              .hessian_min = 1,
                              .hessian_max = 3,
                              .f_star = 2,
                              .psi_start = 4};

std::vector<double> terms(std::string_view name, bool dimension = false, const CentralSetting& s = kSetting) {
  for (const Bound& b : bounds()) {
    if (b.name != name) continue;
    std::vector<double> out(b.width());
    b.terms(s, dimension, out);
    return out;
  }
  FAIL("no such bound");
  return {};
}

}  // namespace

// s = 1 + 1/4, n = 10, N = 2, T = 5.
TEST_CASE("asynchronous bounds: S and s/n^2 by hand, printed and with the dimension") {
  // S = 1/25 + 2 ((1/5 + 2 sqrt 2/10)^2 + (1/5 + 2 sqrt 2/20)^2) = 0.04 + 2 (0.2331370850 + 0.1165685425)
  const double s = 0.7394112550;
  for (const char* name : {"cost_of_privacy_8", "cost_of_privacy_9"}) {
    CHECK(terms(name)[0] == Approx(std::sqrt(s)));
    CHECK(terms(name)[1] == Approx(s));
  }
  // With 2 sqrt 6 = 4.898979486: 0.04 + 2 (0.6898979486^2 + 0.4449489743^2).
  CHECK(terms("cost_of_privacy_9", true)[1] == Approx(0.04 + 2 * (0.4759591794 + 0.1979795897)));
  for (const char* name : {"cost_of_privacy_10", "cost_of_privacy_11"}) {
    CHECK(terms(name)[0] == Approx(std::sqrt(1.25) / 10));
    CHECK(terms(name)[1] == Approx(0.0125));
    CHECK(terms(name, true)[0] == Approx(std::sqrt(3.75) / 10));
    CHECK(terms(name, true)[1] == Approx(0.0375));
  }
}

TEST_CASE("asynchronous bounds: (9) tends to (11) with sqrt(8 N) c1 and 8 N c2 as T grows") {
  CentralSetting s = kSetting;
  s.horizon = 1e9;
  const auto full = terms("cost_of_privacy_9", false, s), large = terms("cost_of_privacy_11", false, s);
  CHECK(full[0] == Approx(std::sqrt(16.0) * large[0]).epsilon(1e-6));
  CHECK(full[1] == Approx(16 * large[1]).epsilon(1e-6));
}

TEST_CASE("asynchronous bounds: the paper's fitted surface of three owners is 7.0e8/(n_i epsilon)^2") {
  const CentralSetting s{.epsilon = {2, 2, 2}, .records = 3 * 50000};
  CHECK(2.1e9 * terms("cost_of_privacy_11", false, s)[1] == Approx(7.0e8 / (1e5 * 1e5)));
}

TEST_CASE("synchronous bounds: by hand, printed and corrected") {
  // L = 1.5, lambda = 3.5. 8 Xi^2 rho/(L n^2) s = 8 2.25 2/1.5 0.0125; corrected: times p lambda/2 = 5.25.
  CHECK(terms("value_of_collaboration_9")[0] == Approx(0.3));
  CHECK(terms("value_of_collaboration_9_corrected")[0] == Approx(0.3 * 5.25));
  CHECK(terms("value_of_collaboration_10")[0] == Approx(0.8));
  CHECK(terms("value_of_collaboration_10_corrected")[0] == Approx(0.8 * 5.25));
  // With p = 3; the corrected ones have the factor anyway.
  CHECK(terms("value_of_collaboration_9", true)[0] == Approx(0.9));
  CHECK(terms("value_of_collaboration_10", true)[0] == Approx(2.4));
  CHECK(terms("value_of_collaboration_9_corrected", true)[0] == Approx(0.3 * 5.25));
  CHECK(terms("value_of_collaboration_11")[0] == Approx(1.5 / 10 * std::sqrt(1.25)));
  CHECK(terms("value_of_collaboration_11", true)[0] == Approx(1.5 / 10 * std::sqrt(3.75)));
  CHECK(terms("value_of_collaboration_12")[0] == Approx(4 / 1.5 * 1.5 / 10 * std::sqrt(1.25)));
  // 4 p Xi^2 T^2 s/((T-1) lambda n^2) = 4 3 2.25 25 1.25/(4 3.5 100)
  CHECK(terms("synchronous_closed_form")[0] == Approx(0.6026785714));
  // The first step, from 0, is -G/lambda, and f - f* = lambda e^2/2 with e = w/lambda: E w^2/(2 lambda) = 2 4^2/(2 3).
  const CentralSetting one{
      .epsilon = {1}, .records = 1, .horizon = 2, .sigma = 1, .bound = 1, .hessian_min = 2, .hessian_max = 2};
  CHECK(terms("synchronous_closed_form", false, one)[0] == Approx(16.0 / 3));
}

TEST_CASE("bounds: epsilon of the noise of an answer") {
  // Laplace noise of scale b = 2 Xi T/(n_i epsilon_i) = 2 3 10/(5 0.5) = 24 has variance 2 b^2; half of it is sqrt(2) epsilon.
  CHECK(epsilon_of_noise(3, 10, 5, 2 * 24 * 24) == Approx(0.5));
  CHECK(epsilon_of_noise(3, 10, 5, 24 * 24) == Approx(0.5 * std::sqrt(2)));
  CHECK(std::isinf(epsilon_of_noise(3, 10, 5, 0)));
  CHECK(std::isinf(epsilon_of_noise(3, 10, 0, 0)));  // an owner without records
}

TEST_CASE(
    "synchronous bounds: without a constant Hessian L is the regulariser's, without both it is unknown") {
  CentralSetting s = kSetting;
  s.hessian_min = s.hessian_max = std::nan("");
  CHECK(terms("value_of_collaboration_12", false, s)[0] == Approx(4 / 0.5 * 1.5 / 10 * std::sqrt(1.25)));
  CHECK(std::isnan(terms("value_of_collaboration_9_corrected", false, s)[0]));  // lambda is unknown
  s.sigma = 0;
  CHECK(std::isnan(terms("value_of_collaboration_12", false, s)[0]));
}

TEST_CASE(
    "synchronous bounds: with rho = T^2/lambda the corrected one exceeds the closed form, the printed does "
    "not") {
  CentralSetting s = kSetting;
  s.sigma = 0;
  s.hessian_min = s.hessian_max = 3;
  s.rho = s.horizon * s.horizon / 3;
  const double truth = terms("synchronous_closed_form", false, s)[0];
  CHECK(terms("value_of_collaboration_9_corrected", false, s)[0] > truth);
  CHECK(terms("value_of_collaboration_9", false, s)[0] < truth);
}

TEST_CASE("asynchronous closed forms: rule of thumb and exact recursion agree where N(N+1) << T") {
  CentralSetting s{.epsilon = {1, 1},
                   .records = 2000,
                   .dimension = 4,
                   .horizon = 10000,
                   .sigma = 2e-5,
                   .bound = 30,
                   .hessian_min = 2,
                   .hessian_max = 2,
                   .f_star = 0.8,
                   .psi_start = 3};
  for (const double factor : {0.5, 3.0}) {
    s.rho = factor * 3 * s.horizon * s.sigma / 2;  // of rho_1 = (N + 1) T sigma/h
    const double thumb = terms("asynchronous_rule_of_thumb", false, s)[0];
    CHECK(terms("asynchronous_moments", false, s)[0] == Approx(thumb).epsilon(0.01));
    CHECK(terms("asynchronous_moments", false, s)[0] == Approx(0.8 * expected_psi(s, 10000)));
  }
}

// T and rho are NaN for a protocol without them.
TEST_CASE("bounds: one that needs an unknown horizon is unknown, and does not iterate to it") {
  CentralSetting setting = kSetting;
  setting.horizon = std::nan("");
  for (const char* name : {"cost_of_privacy_9", "asynchronous_rule_of_thumb", "asynchronous_moments",
                           "synchronous_closed_form"}) {
    INFO(name);
    CHECK(std::isnan(terms(name, false, setting).back()));
  }
}

TEST_CASE("bounds: the exact recursion is unknown where the protocol states no dimension") {
  CentralSetting setting = kSetting;
  setting.dimension = std::nan("");
  CHECK(std::isnan(terms("asynchronous_moments", false, setting).back()));
}

TEST_CASE("bounds: names are unique") {
  std::vector<std::string_view> names;
  for (const Bound& b : bounds()) names.push_back(b.name);
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}
