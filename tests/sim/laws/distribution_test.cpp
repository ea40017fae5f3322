#include "sim/laws/distribution.hpp"

#include <fmt/format.h>

#include <boost/random/uniform_real_distribution.hpp>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/laws/per_agent.hpp"
#include "sim/random/random.hpp"
#include "tests/support/refusals.hpp"

using namespace hearsay::sim;
using hearsay::test::Refusals;
using Values = std::vector<double>;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr About kPositive{.name = "x", .min = 0, .open_min = true};
constexpr About kNotNegative{.name = "x", .min = 0};
constexpr About kShare{.name = "x", .min = 0, .max = 1};
constexpr About kBelowOne{.name = "x", .min = 0, .max = 1, .open_max = true};

template <class T>
bool allowed(const About& about, T value) {
  return Refusals::of(Distribution(value), about).empty() && Refusals::of(PerAgent(value), about).empty();
}
bool allowed(const About& about, ByAgent value) {
  return Refusals::of(PerAgent(std::move(value)), about).empty();
}
bool allowed(const About& about, Values values) {
  return Refusals::of(PerAgent(ValueList{std::move(values)}), about).empty();
}
}  // namespace

TEST_CASE("distribution: means from their formulas") {
  CHECK(Distribution(3.0).mean() == 3);
  CHECK(Distribution(Uniform{1, 4}).mean() == 2.5);
  CHECK(Distribution(Exponential{7}).mean() == 7);
  CHECK(Distribution(Lognormal{2, 2}).mean() == Approx(2 * std::exp(2.0)));
  CHECK(Distribution(Gamma{5, 7}).mean() == 7);
  CHECK(Distribution(Pareto{2, 3}).mean() == Approx(3));
  CHECK(Distribution(Pareto{2, 1}).mean() == kInfinity);
  CHECK(Distribution(Pareto{2, 0.5}).mean() == kInfinity);
}

TEST_CASE("distribution: a constant draws nothing") {
  Stream s({1, 2}, 3, 4, 5), untouched({1, 2}, 3, 4, 5);
  CHECK(Distribution(3.0).sample(s) == 3);
  CHECK(Distribution(3.0).sample_size_biased(s) == 3);
  CHECK(s() == untouched());
}

TEST_CASE("distribution: a uniform law with min = max is that value") {
  Stream s({1, 2}, 3, 4, 5);
  CHECK(Distribution(Uniform{2, 2}).sample(s) == 2);
  CHECK(Distribution(Uniform{2, 2}).sample_size_biased(s) == 2);
}

TEST_CASE("distribution: with a mean, median or minimum of 0 it is the limit, a constant 0") {
  for (const Distribution& law : {Distribution(Exponential{0}), Distribution(Lognormal{0, 20}),
                                  Distribution(Gamma{0.5, 0}), Distribution(Pareto{0, 0.001})}) {
    Stream s({1, 2}, 3, 4, 5);
    for (int k = 0; k < 100; ++k) {
      CHECK(law.sample(s) == 0);
      CHECK(law.sample_size_biased(s) == 0);
    }
    CHECK(law.mean() == 0);
    CHECK(law.lower() == 0);
    CHECK(law.upper() == 0);
    CHECK(law.support().attained);  // so that it is refused where 0 is
  }
  for (const auto& messages :
       {Refusals::of(Exponential{0}), Refusals::of(Gamma{1, 0}), Refusals::of(Pareto{0, 2})})
    CHECK(messages.empty());
  CHECK_FALSE(allowed(kPositive, Exponential{0}));
  CHECK_FALSE(allowed(kPositive, Lognormal{0, 1}));
  CHECK(allowed(kNotNegative, Lognormal{0, 1}));
  CHECK(allowed(kShare, Gamma{1, 0}));
}

TEST_CASE("uniform: a word is divided by 2^64 and rounded once") {
  Stream s = Streams(1, 0)(Purpose::kNoise, 0);
  std::size_t wrong = 0;
  const auto look = [&](std::uint64_t word) {
    wrong += fraction_of(word) == std::ldexp(static_cast<double>(word), -64) ? 0u : 1u;
  };
  for (int bit = 0; bit < 64; ++bit) {
    look(~std::uint64_t{0} << bit);
    look(~std::uint64_t{0} >> bit);
    for (std::uint64_t near = 0; near < 3; ++near) {
      look((std::uint64_t{1} << bit) + near - 1);
      look((std::uint64_t{3} << bit) + near - 1);
      look((std::uint64_t{1} << 63 | std::uint64_t{1} << bit) + near - 1);
    }
  }
  for (int k = 0; k < 100'000; ++k) look(s());
  CHECK(wrong == 0);
  CHECK(fraction_of(0) == 0);
  CHECK(fraction_of(~std::uint64_t{0}) == 1);  // which uniform draws again
  CHECK(fraction_of(std::uint64_t{1} << 63) == 0.5);
}

TEST_CASE("uniform: the numbers of Boost.Random's law") {
  for (const auto& [low, high] : {std::pair{0.0, 1.0},
                                  {-3.0, 0.015},
                                  {1e300, 1.7e308},
                                  {-1.7e308, 1.7e308},
                                  {1.0, std::nextafter(1.0, 2.0)}}) {
    CAPTURE(low, high);
    Stream s = Streams(1, 0)(Purpose::kNoise, 1), other = s;
    boost::random::uniform_real_distribution<double> law(low, high);
    std::size_t differences = 0;
    for (int k = 0; k < 10'000; ++k) differences += uniform(s, low, high) == law(other) ? 0u : 1u;
    CHECK(differences == 0);
    CHECK(s.drawn() == other.drawn());
  }
}

TEST_CASE("range of an option: laws and numbers within it are allowed") {
  CHECK(allowed(kPositive, Constant{1e-300}));
  CHECK(allowed(kPositive, Uniform{0, 1}));  // 0 has probability 0
  CHECK(allowed(kPositive, Exponential{1}));
  CHECK(allowed(kPositive, Values{0.1, 2}));
  CHECK(allowed(kNotNegative, Constant{0}));
  CHECK(allowed(kNotNegative, Uniform{0, 0}));
  CHECK(allowed(kNotNegative, Values{0, 0}));
  CHECK(allowed(kShare, Constant{1}));
  CHECK(allowed(kShare, Uniform{0, 1}));
  CHECK(allowed(kBelowOne, Uniform{0, 1}));
  CHECK(allowed(kBelowOne, Values{0, 0.5}));
}

TEST_CASE("range of an option: laws and numbers outside it are refused") {
  CHECK_FALSE(allowed(kPositive, Constant{0}));
  CHECK_FALSE(allowed(kPositive, Uniform{0, 0}));  // 0 always
  CHECK_FALSE(allowed(kPositive, Uniform{-1e-9, 1}));
  CHECK_FALSE(allowed(kPositive, Values{1, 0, 2}));
  CHECK_FALSE(allowed(kNotNegative, Constant{-1e-300}));
  CHECK_FALSE(allowed(kNotNegative, Values{1, -1}));
  CHECK_FALSE(allowed(kShare, Constant{1.1}));
  CHECK_FALSE(allowed(kShare, Exponential{0.1}));
  CHECK_FALSE(allowed(kShare, Pareto{0.1, 9}));
  CHECK_FALSE(allowed(kShare, Values{0.5, 1.5}));
  CHECK_FALSE(allowed(kBelowOne, Constant{1}));
  CHECK_FALSE(allowed(kBelowOne, Uniform{1, 1}));
  CHECK_FALSE(allowed(kBelowOne, Uniform{0, 1.1}));
  CHECK_FALSE(allowed(kBelowOne, Values{1}));
}

TEST_CASE("range of an option: the message contains the range and the values found") {
  using Messages = std::vector<std::string>;
  CHECK(Refusals::of(Distribution(Uniform{-1, 2}), kPositive) ==
        Messages{"x: expected values in (0, inf], found values in [-1, 2]"});
  CHECK(Refusals::of(PerAgent(ValueList{{3, 2}}), kBelowOne) ==
        Messages{"x: expected values in [0, 1), found values in [2, 3]"});
}

TEST_CASE("uniform: max below min is refused") {
  CHECK(Refusals::of(Uniform{2, 1}) == std::vector<std::string>{"max: expected at least min (2), found 1"});
}

TEST_CASE("per agent: a law draws from the agent and the number of the option, whatever the other agents") {
  const Streams streams(3, 1);
  const Uniform law{1, 9};
  const Values values = PerAgent(law).values(2, 3, 5, streams);
  REQUIRE(values.size() == 3);
  for (AgentId i = 2; i < 5; ++i) {
    Stream s = streams(Purpose::kPerAgent, i, 0, 5);
    CHECK(values[i - 2] == law.sample(s));
  }
  CHECK(PerAgent(law).values(2, 3, 6, streams) != values);
}

TEST_CASE("per agent: one number applies to all, a list has one for each") {
  const Streams streams(3, 1);
  CHECK(PerAgent(4.0).values(1, 3, 0, streams) == Values{4, 4, 4});
  CHECK(PerAgent(ValueList{{1, 2, 6}}).values(1, 3, 0, streams) == Values{1, 2, 6});
  CHECK(PerAgent(ValueList{{1, 2, 6}}).mean() == 3);
  CHECK(PerAgent(Pareto{2, 3}).mean() == Approx(3));
  CHECK_THROWS_WITH(PerAgent(ValueList{{1, 2}}).values(1, 3, 0, streams),
                    Catch::Contains("expected a list of 3 numbers, found 2"));
  CHECK_FALSE(Refusals::of(ValueList{}).empty());
}

TEST_CASE("by agent: the agents that are named have their own law, the others the draws of the common one") {
  const Streams streams(3, 1);
  const ByAgent some{Uniform{1, 9}, {{2, 7.0}, {4, Uniform{2, 18}}}};
  const Values common = PerAgent(Uniform{1, 9}).values(1, 4, 5, streams);
  const Values values = PerAgent(some).values(1, 4, 5, streams);
  CHECK(values[0] == common[0]);
  CHECK(values[1] == 7);
  CHECK(values[2] == common[2]);
  CHECK(values[3] == 2 * common[3]);  // the same draw
  CHECK(PerAgent(some).mean() == 5);
  for (const AgentId unknown : {0u, 5u}) {
    CHECK_THROWS_WITH(PerAgent(ByAgent{1.0, {{unknown, 2.0}}}).values(1, 4, 5, streams),
                      Catch::Equals(fmt::format("expected agents 1 to 4, found agent {}", unknown)));
  }
}

TEST_CASE("by agent: each value must lie in the range of its place") {
  CHECK(allowed(kShare, ByAgent{0.5, {{1, Uniform{0, 1}}}}));
  CHECK_FALSE(allowed(kShare, ByAgent{1.5, {{1, 0.5}}}));
  CHECK_FALSE(allowed(kShare, ByAgent{0.5, {{1, 1.5}}}));
}
