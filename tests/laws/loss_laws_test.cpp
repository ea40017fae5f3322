#include <catch2/catch.hpp>

#include <cmath>

#include "sim/network/loss.hpp"
#include "sim/network/network.hpp"
#include "tests/support/script.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::kPair;

namespace {

// Lengths of the runs of lost messages and of the others, whole ones only, out of so many messages from 0
// to 1.
struct Runs {
  std::vector<double> lost, kept;
};
Runs runs_of(const GilbertElliott& law, std::uint32_t messages, std::uint64_t seed) {
  Loss loss(law, kPair, kNoAgent, Streams(seed, 0), {nullptr});
  Runs runs;
  bool last = false;
  double length = 0;
  bool whole = false;  // the first run began before the first message
  for (std::uint32_t n = 0; n < messages; ++n) {
    const bool lost = loss.of(0, 1, 0, n, 0).has_value();
    if (n > 0 && lost != last) {
      if (whole) (last ? runs.lost : runs.kept).push_back(length);
      whole = true;
      length = 0;
    }
    last = lost;
    ++length;
  }
  return runs;
}

double geometric(double q, double x) {
  return x < 1 ? 0 : 1 - std::pow(1 - q, std::floor(x));
}

}  // namespace

TEST_CASE("gilbert_elliott: bursts are geometric with mean 1/p_bad_to_good, gaps with mean 1/p_good_to_bad") {
  const std::pair<double, double> cases[] = {{0.1, 0.25}, {0.5, 0.5}, {0.02, 0.9}};
  std::uint64_t seed = 50;
  for (const auto& [p, q] : cases) {
    const Runs runs =
        runs_of({.p_good_to_bad = p, .p_bad_to_good = q, .loss_good = 0, .loss_bad = 1}, 1'000'000, ++seed);
    REQUIRE(runs.lost.size() > 10'000);
    const double good = p, bad = q;
    CHECK(test::ks_distance(runs.lost, [bad](double x) { return geometric(bad, x); }) <
          test::dkw_threshold(runs.lost.size()));
    CHECK(test::ks_distance(runs.kept, [good](double x) { return geometric(good, x); }) <
          test::dkw_threshold(runs.kept.size()));
  }
}

TEST_CASE(
    "gilbert_elliott: each message on a link is lost with the mean of the stationary law, the first too") {
  constexpr AgentId kAgents = 100'001;
  const Topology star = make_topology(Star{}, kAgents, Streams(1, 0));
  const GilbertElliott law{.p_good_to_bad = 0.1, .p_bad_to_good = 0.3, .loss_good = 0.05, .loss_bad = 0.8};
  const double mean = (0.3 * 0.05 + 0.1 * 0.8) / 0.4;
  Loss loss(law, star, 0, Streams(61, 0), {nullptr});
  for (std::uint32_t n = 0; n < 4; ++n) {
    std::uint64_t lost = 0;
    for (AgentId i = 1; i < kAgents; ++i) lost += loss.of(i, 0, star.edge(i, 0), n, 0) ? 1u : 0u;
    CHECK(test::binomial_plausible(lost, kAgents - 1, mean));
  }
}

TEST_CASE("loss: under several laws the delivery probability is the product of theirs") {
  constexpr std::uint32_t kCount = 200'000;
  Loss loss(AnyLoss{{BernoulliLoss{0.2}, BernoulliLoss{0.3}}}, kPair, kNoAgent, Streams(62, 0),
            {nullptr, nullptr});
  std::uint64_t kept = 0;
  for (std::uint32_t n = 0; n < kCount; ++n) kept += loss.of(0, 1, 0, n, 0) ? 0u : 1u;
  CHECK(test::binomial_plausible(kept, kCount, 0.8 * 0.7));
}
