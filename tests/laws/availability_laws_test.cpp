#include <catch2/catch.hpp>

#include <cmath>

#include "sim/network/availability.hpp"
#include "tests/support/crowd.hpp"
#include "tests/support/distribution_functions.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::Crowd;
using test::kCrowd;

namespace {

constexpr AgentId kDevices = 100'000;

double residual_distance(const test::KnownLaw& known, const std::vector<double>& lengths) {
  return test::ks_distance(lengths, [&known](double x) { return known.residual(x); });
}

}  // namespace

TEST_CASE("on_off: later periods follow the laws of up and down times, whatever the start") {
  for (const auto& known : test::known_laws()) {
    INFO(known.name);
    const Availability law(OnOff{.up = known.law, .down = known.law, .start = Start::kStationary},
                           Streams(31, 0));
    std::vector<double> up(kDevices), down(kDevices);
    for (AgentId i = 0; i < kDevices; ++i) {
      up[i] = law.end(i, 1, true, 0);
      down[i] = law.end(i, 2, false, 0);
    }
    CHECK(test::ks_distance(up, known.cdf) < test::dkw_threshold(kDevices));
    CHECK(test::ks_distance(down, known.cdf) < test::dkw_threshold(kDevices));
  }
}

TEST_CASE("on_off: started up, every agent is up for a whole up time") {
  for (const auto& known : test::known_laws()) {
    INFO(known.name);
    const Availability law(OnOff{.up = known.law, .down = 1.0, .start = Start::kUp}, Streams(32, 0));
    std::vector<double> lengths(kDevices);
    bool up = true;
    for (AgentId i = 0; i < kDevices; ++i) {
      lengths[i] = law.first(i).length;
      up = up && law.first(i).up;
    }
    CHECK(up);
    CHECK(test::ks_distance(lengths, known.cdf) < test::dkw_threshold(kDevices));
  }
}

TEST_CASE(
    "on_off: started stationary, the fraction up is E up/(E up + E down), and the rest of a period has the "
    "equilibrium law") {
  const auto laws = test::known_laws();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const auto &up = laws[k], &down = laws[(k + 3) % laws.size()];
    INFO(up.name << ", " << down.name);
    const Availability law(OnOff{.up = up.law, .down = down.law, .start = Start::kStationary},
                           Streams(33, 0));
    std::vector<double> up_lengths, down_lengths;
    for (AgentId i = 0; i < kDevices; ++i) {
      const auto first = law.first(i);
      (first.up ? up_lengths : down_lengths).push_back(first.length);
    }
    CHECK(test::binomial_plausible(up_lengths.size(), kDevices, up.mean / (up.mean + down.mean)));
    CHECK(residual_distance(up, up_lengths) < test::dkw_threshold(up_lengths.size()));
    CHECK(residual_distance(down, down_lengths) < test::dkw_threshold(down_lengths.size()));
  }
}

TEST_CASE(
    "on_off: started stationary, a run stays so: at each time the fraction up is E up/(E up + E down)") {
  const auto laws = test::known_laws();
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const auto &up = laws[k], &down = laws[(k + 3) % laws.size()];
    INFO(up.name << ", " << down.name);
    Crowd engine(34, OnOff{.up = up.law, .down = down.law, .start = Start::kStationary}, 1.7, 12);
    int looked = 0;
    engine.on_observation = [&] {
      ++looked;
      CHECK(test::binomial_plausible(engine.up_count(), kCrowd, up.mean / (up.mean + down.mean)));
    };
    engine.run();
    CHECK(looked == 7);
  }
}

TEST_CASE("on_off: started up, the fraction up at time t is that of two exponential laws") {
  // P(up at t) = d/(u+d) exp(-(1/u + 1/d) t) + u/(u+d) for exponential times of means u and d (Cox, Renewal
  // Theory, 1962, 7.2): with the start at its whole up times, a law of the process and not of its periods.
  const double u = 3, d = 1.5;
  Crowd engine(35, OnOff{.up = Exponential{u}, .down = Exponential{d}, .start = Start::kUp}, 0.5, 5);
  engine.on_observation = [&] {
    const double expected = u / (u + d) + d / (u + d) * std::exp(-(1 / u + 1 / d) * engine.now());
    CHECK(test::binomial_plausible(engine.up_count(), kCrowd, expected));
  };
  engine.run();
}

TEST_CASE("on_off: agents are independent: an agent's first time is independent of the next agent's") {
  const Availability law(OnOff{.up = Uniform{0, 1}, .down = 1.0, .start = Start::kUp}, Streams(36, 0));
  std::vector<double> mine(kDevices), next(kDevices), later(kDevices);
  for (AgentId i = 0; i < kDevices; ++i) {
    mine[i] = law.first(i).length;
    next[i] = law.first(i + 1).length;
    later[i] = law.end(i, 2, true, 0);
  }
  CHECK(std::abs(test::centred_product(mine, next)) < test::centred_product_threshold(kDevices));
  CHECK(std::abs(test::centred_product(mine, later)) < test::centred_product_threshold(kDevices));
}
