// Laws of availability other than alternating renewal: diurnal, coin, join and leave, combinations.
#include <catch2/catch.hpp>

#include <cmath>

#include "tests/support/crowd.hpp"
#include "tests/support/statistics.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using test::Crowd;
using test::kCrowd;

TEST_CASE("diurnal: at each time the fraction up is mean + amplitude sin(2 pi (t/period + phase))") {
  const Diurnal laws[] = {
      {.mean = 0.5, .amplitude = 0.4, .period = 10, .phase = 0.0, .memory = 0.5, .hub = false},
      {.mean = 0.3, .amplitude = 0.25, .period = 10, .phase = 0.3, .memory = 1, .hub = false},
      {.mean = 0.8, .amplitude = 0.1, .period = 3, .phase = 0.9, .memory = 0.8, .hub = false},
  };
  std::uint64_t seed = 70;
  for (const Diurnal& law : laws) {
    Crowd engine(++seed, law, 1.3, 13);
    int looked = 0;
    const double phase = law.phase.mean();
    engine.on_observation = [&] {
      const double expected =
          law.mean + law.amplitude * std::sin(2 * M_PI * (engine.now() / law.period + phase));
      CHECK(test::binomial_plausible(engine.up_count(), kCrowd, expected));
      ++looked;
    };
    engine.run();
    CHECK(looked == 10);
  }
}

TEST_CASE(
    "diurnal: states at times s apart have covariance p (1 - p) exp(-s/memory), p that of the earlier") {
  const Diurnal law{.mean = 0.5, .amplitude = 0.3, .period = 10, .phase = 0.0, .memory = 2, .hub = false};
  Crowd engine(75, law, 1, 4);
  std::vector<bool> early(kCrowd);
  const auto p = [&](double t) { return 0.5 + 0.3 * std::sin(2 * M_PI * t / 10); };
  engine.on_observation = [&] {
    const Time t = engine.now();
    std::uint64_t both = 0;
    for (AgentId i = 0; i < kCrowd; ++i) {
      if (t == 1) early[i] = engine.up(i);
      both += early[i] && engine.up(i) ? 1u : 0u;
    }
    if (t == 1) return;
    CHECK(test::binomial_plausible(both, kCrowd, p(1) * p(t) + p(1) * (1 - p(1)) * std::exp(-(t - 1) / 2)));
  };
  engine.run();
}

TEST_CASE("diurnal: with phases uniform over a day the fraction up is the mean at each time") {
  Crowd engine(
      76,
      Diurnal{
          .mean = 0.6, .amplitude = 0.3, .period = 10, .phase = Uniform{0, 1}, .memory = 0.5, .hub = false},
      1.3, 10);
  engine.on_observation = [&] { CHECK(test::binomial_plausible(engine.up_count(), kCrowd, 0.6)); };
  engine.run();
}

TEST_CASE(
    "coin: at each tick and arrival the agent is up with the probability, independently of all others") {
  constexpr double kUp = 0.7;
  const Streams streams(77, 0);
  const Topology star = make_topology(Star{}, 51, streams);
  Engine::Options options;
  options.hub = true;
  options.clocks = Poisson{10.0};
  options.time_limit = 400;
  options.network.availability = Coin{.probability = kUp, .hub = false};
  options.network.links.latency = Uniform{0, 0.1};
  test::ScriptedEngine engine(options, star, streams);
  engine.logging = false;
  std::uint64_t ticks = 0;
  std::vector<std::vector<bool>> got(51);
  engine.on_tick = [&](AgentId i) {
    ++ticks;
    engine.send(i, 0, 1, 0, {});
  };
  engine.on_message = [&](const Message& m) {
    if (m.to == 0) {
      got[m.from].push_back(false);
      engine.send(0, m.from, 2, static_cast<std::uint32_t>(got[m.from].size() - 1), {});
    } else {
      got[m.to][m.conversation] = true;
    }
  };
  engine.run();
  // The number of ticks due is Poisson; each is taken with probability 0.7, so that those taken are Poisson
  // of 0.7 times the rate: 140 000 of them on average, and a normal within 7 deviations to 1e-11.
  CHECK(std::abs(static_cast<double>(ticks) - 140'000) < 7 * std::sqrt(140'000.0));
  // What is sent to the hub arrives; of its answers, sent 0.1 s before the end or earlier, 0.7.
  std::uint64_t sent = 0, arrived = 0, pairs = 0, both = 0;
  for (const auto& one : got) {
    const std::size_t certain = one.size() < 20 ? 0 : one.size() - 20;  // all but those at the very end
    for (std::size_t k = 0; k < certain; ++k) {
      ++sent;
      arrived += one[k] ? 1u : 0u;
      if (k % 2 == 1) {
        ++pairs;
        both += one[k] && one[k - 1] ? 1u : 0u;
      }
    }
  }
  CHECK(sent > 100'000);
  CHECK(test::binomial_plausible(arrived, sent, kUp));
  CHECK(test::binomial_plausible(both, pairs, kUp * kUp));
}

TEST_CASE("join_leave: the fraction up at time t is P(join <= t) - P(leave <= t)") {
  // Join uniform on [0, 10), leave uniform on [10, 30).
  Crowd engine(78, JoinLeave{.join = Uniform{0, 10}, .leave = PerAgent(Uniform{10, 30}), .hub = false}, 3,
               35);
  engine.on_observation = [&] {
    const Time t = engine.now();
    const double expected = t <= 10 ? t / 10 : t >= 30 ? 0 : 1 - (t - 10) / 20;
    if (expected > 0) {
      CHECK(test::binomial_plausible(engine.up_count(), kCrowd, expected));
    } else {
      CHECK(engine.up_count() == 0);
    }
  };
  engine.run();
}

TEST_CASE("join_leave: a flash crowd by a mixture: the early agents are up, the others join at one time") {
  Crowd engine(
      79, JoinLeave{.join = Mixture{{{1, Constant{0}}, {3, Constant{5}}}}, .leave = {}, .hub = false}, 2, 8);
  engine.on_observation = [&] {
    if (engine.now() < 5) {
      CHECK(test::binomial_plausible(engine.up_count(), kCrowd, 0.25));
    } else {
      CHECK(engine.up_count() == kCrowd);
    }
  };
  engine.run();
}

TEST_CASE("all: independent laws multiply: the fraction up is the product of theirs") {
  const OnOff one{.up = Exponential{3}, .down = Exponential{1}, .start = Start::kStationary, .hub = false};
  const OnOff other{.up = Uniform{1, 3}, .down = Gamma{2, 2}, .start = Start::kStationary, .hub = false};
  Crowd engine(80, AllOf{{one, other}}, 1.1, 8);
  engine.on_observation = [&] {
    CHECK(test::binomial_plausible(engine.up_count(), kCrowd, 0.75 * 0.5));
    if (engine.now() > 1.2) return;
    AgentId up = 0;
    for (AgentId i = 0; i < kCrowd; ++i) up += engine.up(i) ? 1 : 0;
    CHECK(up == engine.up_count());
  };
  engine.run();
}

TEST_CASE("group: each group's fraction up is that of its up and down times, and groups are independent") {
  GroupFailures law{.groups = {}, .up = Exponential{2}, .down = Exponential{3}, .start = Start::kStationary};
  for (AgentId i = 0; i + 1 < kCrowd; i += 2) law.groups.push_back({"", {i, i + 1}});
  Crowd engine(81, law, 1.1, 6);
  engine.on_observation = [&] {
    std::uint64_t up = 0, apart = 0;
    for (AgentId i = 0; i < kCrowd; i += 2) {
      up += engine.up(i) ? 1u : 0u;
      apart += engine.up(i) != engine.up(i + 1) ? 1u : 0u;
    }
    CHECK(apart == 0);
    CHECK(test::binomial_plausible(up, kCrowd / 2, 0.4));
  };
  engine.run();
}

TEST_CASE(
    "periodic clock: tick n is at phase + n period + jitter, the jitter of its law and apart from the "
    "others") {
  constexpr std::uint32_t kCount = 100'000;
  const Clocks clocks(Periodic{.period = 2.0, .phase = 0.5, .jitter = Uniform{0, 1}, .missed = Missed::kSkip},
                      2, Streams(82, 0));
  std::vector<double> mine(kCount), other(kCount);
  for (std::uint32_t n = 0; n < kCount; ++n) {
    mine[n] = clocks.tick(0, n, 0) - 0.5 - 2.0 * n;
    other[n] = clocks.tick(1, n, 0) - 0.5 - 2.0 * n;
  }
  CHECK(test::ks_distance(mine, [](double x) {
          return x < 0 ? 0 : x > 1 ? 1 : x;
        }) < test::dkw_threshold(kCount));
  CHECK(std::abs(test::centred_product(mine, other)) < test::centred_product_threshold(kCount));
  const Clocks exact(Periodic{.period = 0.1, .phase = 0.0, .jitter = 0.0, .missed = Missed::kSkip}, 1,
                     Streams(1, 0));
  CHECK(exact.tick(0, 1'000'000, 0) == 1'000'000 * 0.1);  // no sum of rounding errors
}
