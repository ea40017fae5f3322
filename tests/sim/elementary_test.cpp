// The elementary functions that times are drawn with, against those of the standard library with 64-bit mantissas.
#include "sim/random/elementary.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/laws/distribution.hpp"
#include "sim/random/random.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay::sim;
using hearsay::test::kStreams;

namespace {

double ulps(double value, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::abs(value - exact) / ulp);
}

// tan(pi u): u - 1/2 and u - 1 are exact, pi u is not.
long double tangent(double u) {
  constexpr long double kPi = std::numbers::pi_v<long double>;
  if (u < 0.25) return std::tan(kPi * u);
  return u < 0.75 ? -1 / std::tan(kPi * (u - 0.5)) : std::tan(kPi * (u - 1));
}

constexpr int kDraws = 300'000;

}  // namespace

TEST_CASE("elementary: e^x and ln x are within 2 units in the last place, tan(pi u) within 5") {
  Stream s = kStreams(Purpose::kLatency, 1, 2);
  double exponential_error = 0, logarithm_error = 0, near_one_error = 0, tangent_error = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double x = uniform(s, -700, 700), small = uniform(s, -2, 2), near = uniform(s, 0.5, 2),
                 u = uniform(s);
    for (const double argument : {x, small})
      exponential_error = std::max(
          exponential_error, ulps(exponential_of(argument), std::exp(static_cast<long double>(argument))));
    const double wide = exponential_of(x);
    logarithm_error =
        std::max(logarithm_error, ulps(logarithm_of(wide), std::log(static_cast<long double>(wide))));
    near_one_error =
        std::max(near_one_error, ulps(logarithm_of(near), std::log(static_cast<long double>(near))));
    tangent_error = std::max(tangent_error, ulps(tangent_of_pi(u), tangent(u)));
  }
  CHECK(exponential_error < 2);
  CHECK(logarithm_error < 2);
  CHECK(near_one_error < 2);
  CHECK(tangent_error < 5);
}

TEST_CASE("elementary: exact at simple points, and at the ends of their ranges") {
  CHECK(exponential_of(0) == 1);
  CHECK(exponential_of(1) == Approx(std::numbers::e).epsilon(4e-16));
  CHECK(exponential_of(-800) == 0);
  CHECK(std::isinf(exponential_of(710)));
  CHECK(exponential_of(709.7) == Approx(std::exp(709.7)).epsilon(1e-15));
  CHECK(exponential_of(-740) == std::exp(-740.0));  // subnormal
  CHECK(logarithm_of(1) == 0);
  CHECK(logarithm_of(2) == std::numbers::ln2);
  CHECK(logarithm_of(std::numeric_limits<double>::min()) == Approx(-1022 * std::numbers::ln2).epsilon(1e-15));
  CHECK(tangent_of_pi(0) == 0);
  CHECK(tangent_of_pi(0.25) == Approx(1).epsilon(1e-15));
  CHECK(tangent_of_pi(0.75) == Approx(-1).epsilon(1e-15));
  CHECK(power_of(4, 0.5) == Approx(2).epsilon(1e-15));
}

TEST_CASE("elementary: gamma variables are those of Boost.Random, up to rounding") {
  for (const double shape : {0.3, 0.9, 1.0, 1.5, 2.0, 40.0}) {
    CAPTURE(shape);
    const Gamma law{shape, 3};
    for (std::uint32_t k = 0; k < 2000; ++k) {
      Stream ours = kStreams(Purpose::kLatency, 3, 4, k), boosts = kStreams(Purpose::kLatency, 3, 4, k);
      CHECK(law.sample(ours) == Approx(gamma(boosts, shape, 3 / shape)).epsilon(1e-12));
      CHECK(ours() == boosts());  // after as many draws
    }
  }
}
