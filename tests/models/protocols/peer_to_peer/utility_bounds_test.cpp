#include "models/protocols/peer_to_peer/problem/utility_bounds.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"
#include "tests/support/personal_fixture.hpp"

using namespace hearsay;
using namespace hearsay::models;
using CD = P2pCoordinateDescent;

TEST_CASE("utility bounds: three ticks by hand") {
  // C = 1/2, gap = 8, n = 2, L_min = 4; V = 16 in the first round (t = 0, 1), 32 in the second (t = 2).
  const UtilityBounds b{.contraction = 0.5, .gap = 8, .agents = 2, .min_lipschitz = 4};
  const auto v = [](std::uint64_t round) { return round == 0 ? 16.0 : 32.0; };
  CHECK(b.proposition_1(3) == 1);
  CHECK(b.theorem_2(3, v) == Approx(1 + (16 * (1 + 0.5) + 32 * 0.25) / 8));
  CHECK(b.theorem_2_corrected(3, v) == Approx(1 + (16 * (0.25 + 0.5) + 32 * 1) / 8));
  CHECK(b.theorem_2(0, v) == 8);
  CHECK(b.theorem_2_corrected(0, v) == 8);
}

TEST_CASE("utility bounds: with constant noise both weightings and appendix B agree") {
  const UtilityBounds b{.contraction = 1 - 1e-3, .gap = 5, .agents = 7, .min_lipschitz = 2};
  const auto v = [](std::uint64_t) { return 0.3; };
  for (const std::uint64_t ticks : {1U, 7U, 13U, 1000U}) {
    CHECK(b.theorem_2(ticks, v) == Approx(b.theorem_2_corrected(ticks, v)).epsilon(1e-12));
    CHECK(b.theorem_2(ticks, v) == Approx(b.appendix_b(ticks, 0.3)).epsilon(1e-12));
  }
}

TEST_CASE("utility bounds: the best number of steps is where more noise outweighs less to go") {
  // With V = v k^2 the bound at T = n k falls, then rises; for great noise one step is best, for none the most.
  const UtilityBounds b{.contraction = 0.99, .gap = 1, .agents = 10, .min_lipschitz = 1};
  const auto bound = [&](std::uint64_t k, double v) {
    const double left = std::pow(0.99, 10.0 * static_cast<double>(k));
    return left + v * static_cast<double>(k * k) / 10 / 0.01 * (1 - left);
  };
  const double v = 1e-4;
  const std::uint64_t best =
      best_steps(b, 100, [&](std::uint64_t k) { return v * static_cast<double>(k * k); });
  CHECK(best > 1);
  CHECK(best < 100);
  CHECK(bound(best, v) < bound(best - 1, v));
  CHECK(bound(best, v) < bound(best + 1, v));
  CHECK(best_steps(b, 100, [](std::uint64_t k) { return 10.0 * static_cast<double>(k * k); }) == 1);
  CHECK(best_steps(b, 100, [](std::uint64_t) { return 0.0; }) == 100);
}

TEST_CASE("utility bounds: Q of coordinate descent stays under them, in the mean over runs") {
  // Without noise E[Q(T) - Q*] <= C^T gap; with Laplace noise the corrected bound of Theorem 2 holds (data bound
  // the gradients: features in [-1, 1]^3, so norm_1 <= 3 and the logistic slope at most 1).
  PrivacyOptions privacy;
  privacy.mechanism = Laplace{};
  privacy.epsilon = 20;
  privacy.gradient_bound = 3;
  privacy.steps = models::Steps(60.0);
  const std::vector<std::string_view> metrics{"q_gap", "bound_proposition_1", "bound_theorem_2_corrected"};
  for (const bool noisy : {false, true}) {
    const test::PersonalFixture fixture(test::random_agents({}), LogisticLoss{},
                                        noisy ? privacy : PrivacyOptions{}, 120, metrics);
    constexpr int kRuns = 200;
    double gap = 0, bound = 0, plain = 0;
    for (std::uint32_t repetition = 0; repetition < kRuns; ++repetition) {
      const auto done = test::run<CD>(fixture, {}, fixture.engine(), {.repetition = repetition});
      gap += done.metric("q_gap") / kRuns;
      bound = done.metric("bound_theorem_2_corrected");
      plain = done.metric("bound_proposition_1");
    }
    CHECK(gap > 0);
    CHECK(gap <= bound);
    if (!noisy) CHECK(bound == Approx(plain));
    if (noisy) CHECK(bound > plain);
  }
}
