#include <catch2/catch.hpp>

#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <numeric>

#include "sim/clocks/clocks.hpp"
#include "sim/random/random.hpp"
#include "tests/support/script.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

std::vector<double> gaps(const Clocks& clocks, AgentId i, std::uint32_t count) {
  std::vector<double> all(count);
  for (std::uint32_t n = 0; n < count; ++n) all[n] = clocks.tick(i, n, 0);
  return all;
}

void to_uniform(std::vector<double>& gaps, double rate) {
  for (double& gap : gaps) gap = -std::expm1(-rate * gap);
}

}  // namespace

TEST_CASE("poisson clock: gaps are exponential with the configured rate") {
  constexpr std::uint32_t kCount = 200'000;
  for (const double rate : {0.01, 1.0, 30.0}) {
    const Clocks clocks(Poisson{rate}, 1, Streams(11, 0));
    const auto all = gaps(clocks, 0, kCount);
    CHECK(test::ks_distance(all, [rate](double x) { return -std::expm1(-rate * x); }) <
          test::dkw_threshold(kCount));
    // Their sum is Gamma(n, 1/rate), exactly.
    const boost::math::gamma_distribution<double> sum(kCount, 1 / rate);
    const double p = cdf(sum, std::accumulate(all.begin(), all.end(), 0.0));
    CHECK(p > test::kAlpha / 2);
    CHECK(p < 1 - test::kAlpha / 2);
  }
}

TEST_CASE("poisson clock: the agents together tick at the sum of the rates, each in proportion to its own") {
  constexpr AgentId kAgents = 20;
  constexpr std::uint64_t kTicks = 400'000;
  const Streams streams(12, 0);
  const Topology ring = make_topology(Ring{}, kAgents, streams);
  Engine::Options options;
  options.clocks = Poisson{Uniform{0.2, 5}};
  options.event_limit = kTicks;
  test::ScriptedEngine engine(options, ring, streams);
  engine.logging = false;
  std::vector<std::uint64_t> ticks(kAgents);
  std::vector<double> between;
  Time last = 0;
  engine.on_tick = [&](AgentId i) {
    ++ticks[i];
    between.push_back(engine.now() - last);
    last = engine.now();
  };
  engine.run();
  double rate = 0;
  for (AgentId i = 0; i < kAgents; ++i) rate += engine.clocks().rate(i);
  REQUIRE(between.size() == kTicks);
  CHECK(test::ks_distance(between, [rate](double x) { return -std::expm1(-rate * x); }) <
        test::dkw_threshold(kTicks));
  for (AgentId i = 0; i < kAgents; ++i)
    CHECK(test::binomial_plausible(ticks[i], kTicks, engine.clocks().rate(i) / rate));
}

TEST_CASE("poisson clock: gaps are independent of each other, of another agent's, repetition's and seed's") {
  constexpr std::uint32_t kCount = 200'000;
  const auto uniforms = [](AgentId i, std::uint64_t seed, std::uint32_t repetition) {
    auto all = gaps(Clocks(Poisson{1.0}, 2, Streams(seed, repetition)), i, kCount);
    to_uniform(all, 1);
    return all;
  };
  const auto first = uniforms(0, 13, 0);
  std::vector<double> next(first.begin() + 1, first.end());
  const std::vector<double> all_but_last(first.begin(), first.end() - 1);
  const double threshold = test::centred_product_threshold(kCount - 1);
  CHECK(std::abs(test::centred_product(all_but_last, next)) < threshold);
  CHECK(std::abs(test::centred_product(first, uniforms(1, 13, 0))) < threshold);
  CHECK(std::abs(test::centred_product(first, uniforms(0, 13, 1))) < threshold);
  CHECK(std::abs(test::centred_product(first, uniforms(0, 14, 0))) < threshold);
  CHECK(test::centred_product(first, first) > threshold);  // 1/12
}

TEST_CASE("poisson clock: random rates follow their law over the agents") {
  constexpr AgentId kAgents = 100'000;
  const Clocks clocks(Poisson{Uniform{2, 6}}, kAgents, Streams(15, 0));
  std::vector<double> rates(kAgents);
  for (AgentId i = 0; i < kAgents; ++i) rates[i] = clocks.rate(i);
  CHECK(test::ks_distance(rates, [](double x) { return (x - 2) / 4; }) < test::dkw_threshold(kAgents));
}
