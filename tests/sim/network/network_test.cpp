// Clocks, links and availability: the agents they apply to, and the stream of each draw.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/check.hpp"
#include "sim/clocks/clocks.hpp"
#include "sim/network/availability.hpp"
#include "sim/network/links.hpp"
#include "sim/network/network.hpp"
#include "sim/random/random.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/refusals.hpp"

using namespace hearsay::sim;
using hearsay::test::error_at;
using hearsay::test::Refusals;

namespace {
const Streams kClockStreams(5, 2);
}  // namespace

TEST_CASE("poisson clock: the n-th gap of an agent is drawn from (clock, agent), index n") {
  const Clocks clocks(Poisson{4.0}, 3, kClockStreams);
  for (AgentId i = 0; i < 3; ++i) {
    CHECK(clocks.rate(i) == 4);
    for (std::uint32_t n = 0; n < 3; ++n) {
      Stream s = kClockStreams(Purpose::kClock, i, 0, n);
      CHECK(clocks.tick(i, n, 10) == 10 + exponential(s, 0.25));
    }
  }
}

TEST_CASE("poisson clock: random rates are drawn once per agent and divide its gaps") {
  const Clocks clocks(Poisson{Uniform{1, 3}}, 3, kClockStreams);
  for (AgentId i = 0; i < 3; ++i) {
    Stream rate = kClockStreams(Purpose::kPerAgent, i, 0, 0);
    const double expected = uniform(rate, 1, 3);
    CHECK(clocks.rate(i) == expected);
    Stream gap = kClockStreams(Purpose::kClock, i, 0, 7);
    CHECK(clocks.tick(i, 7, 1) == 1 + exponential(gap, 1 / expected));
  }
}

TEST_CASE("poisson clock: a rate that is not positive is refused") {
  CHECK(Refusals::of(Poisson{2.0}).empty());
  CHECK(Refusals::of(Poisson{Uniform{0, 1}}).empty());
  CHECK_FALSE(Refusals::of(Poisson{0.0}).empty());
  CHECK_FALSE(Refusals::of(Poisson{Uniform{-1, 1}}).empty());
}

TEST_CASE("periodic clock: a jitter of a whole period never lets a tick come after the next one") {
  const double period = GENERATE(0.7, 20.1, 33.3);
  const Clocks late(Periodic{.period = period, .phase = 0.1, .jitter = period}, 1, kClockStreams);
  const Clocks prompt(Periodic{.period = period, .phase = 0.1}, 1, kClockStreams);
  bool ordered = true;
  for (std::uint32_t n = 0; n < 100000; ++n)
    ordered = ordered && late.tick(0, n, 0) <= prompt.tick(0, n + 1, 0);
  CHECK(ordered);
}

TEST_CASE("clock trace: each agent ticks at its times only") {
  const Clocks clocks(ClockTrace{{0.5, 1, 1, 4}, {1, 0, 1, 1}}, 3, kClockStreams);
  CHECK(clocks.tick(0, 0, 0) == 1);
  CHECK(clocks.tick(0, 1, 1) == kNever);
  CHECK(clocks.tick(1, 0, 0) == 0.5);
  CHECK(clocks.tick(1, 1, 0.5) == 1);
  CHECK(clocks.tick(1, 2, 1) == 4);
  CHECK(clocks.tick(1, 3, 4) == kNever);
  CHECK(clocks.tick(2, 0, 0) == kNever);
  CHECK(clocks.rate(1) == 0);
}

TEST_CASE("clock trace: -0 is the time 0") {
  const Clocks clocks(ClockTrace{{-0.0}, {0}}, 1, kClockStreams);
  CHECK_FALSE(std::signbit(clocks.tick(0, 0, 0)));
}

TEST_CASE("clock trace: decreasing times, lists of different lengths and unknown agents are refused") {
  CHECK(Refusals::of(ClockTrace{{1, 1, 2}, {0, 0, 0}}).empty());
  CHECK(Refusals::of(ClockTrace{{1, 3, 2}, {0, 0, 0}}) ==
        std::vector<std::string>{"times: expected times in non-decreasing order"});
  CHECK(Refusals::of(ClockTrace{{1, 2}, {0}}) ==
        std::vector<std::string>{"agents: expected one agent for each of the 2 times, found 1"});
  CHECK_THROWS_WITH(Clocks(ClockTrace{{1}, {3}}, 3, kClockStreams),
                    Catch::Contains("expected agents 0 to 2, found agent 3"));
  // A hub has no clock.
  CHECK_THROWS_WITH(Clocks(ClockTrace{{1}, {0}}, 3, kClockStreams, 1),
                    "the clock trace: expected agents 1 to 2, found agent 0");
}

TEST_CASE("links: the n-th message on an edge draws from (latency, from, to) and (loss, from, to), index n") {
  const Topology ring = make_topology(Ring{}, 4, kClockStreams);
  const Uniform law{1, 3};
  Links links(LinkOptions{.latency = law, .loss = BernoulliLoss{0.4}}, ring, kClockStreams, kNoAgent, {});
  int lost = 0;
  for (std::uint32_t n = 0; n < 40; ++n) {
    for (const auto& [from, to] : {std::pair<AgentId, AgentId>{1, 2}, {2, 1}, {3, 0}}) {
      const Fate got = links.transmit(from, to, ring.edge(from, to));
      Stream fate = kClockStreams(Purpose::kLoss, from, to, n);
      Stream draw = kClockStreams(Purpose::kLatency, from, to, n);
      const bool expected = uniform(fate) < 0.4;
      lost += expected ? 1 : 0;
      CHECK(got.lost.has_value() == expected);
      if (!got.lost) CHECK(got.latency == law.sample(draw));
    }
  }
  CHECK(lost > 0);
}

TEST_CASE("links: no message is lost with probability 0, every one with probability 1") {
  const Topology pair = make_topology(Ring{}, 2, kClockStreams);
  Links sure(LinkOptions{.latency = 0.25, .loss = BernoulliLoss{0}}, pair, kClockStreams, kNoAgent, {});
  Links never(LinkOptions{.latency = 0.25, .loss = BernoulliLoss{1}}, pair, kClockStreams, kNoAgent, {});
  for (int n = 0; n < 1000; ++n) {
    REQUIRE(sure.transmit(0, 1, 0).latency == 0.25);
    REQUIRE(never.transmit(0, 1, 0).lost == LossReason::kLoss);
  }
}

TEST_CASE("links: a negative latency is refused") {
  CHECK(Refusals::of(LinkOptions{}).empty());
  CHECK_FALSE(Refusals::of(LinkOptions{.latency = -1.0, .loss = {}}).empty());
  CHECK_FALSE(Refusals::of(LinkOptions{.latency = Uniform{-1, 1}, .loss = {}}).empty());
}

TEST_CASE("availability: the n-th period of an agent is drawn from (availability, agent), index n") {
  const Uniform up{1, 2};
  const Gamma down{3, 4};
  const Availability from_up(OnOff{.up = up, .down = down, .start = Start::kUp}, kClockStreams);
  for (AgentId i = 0; i < 3; ++i) {
    for (std::uint32_t n = 1; n < 4; ++n) {
      Stream a = kClockStreams(Purpose::kAvailability, i, 0, n), b = a;
      CHECK(from_up.end(i, n, true, 0) == up.sample(a));
      CHECK(from_up.end(i, n, false, 0) == down.sample(b));
    }
    Stream first = kClockStreams(Purpose::kAvailability, i, 0, 0);
    CHECK(from_up.first(i).up);
    CHECK(from_up.first(i).length == up.sample(first));
  }
}

TEST_CASE("availability: a stationary start lies inside a size-biased period, from index 0") {
  const OnOff law{.up = Uniform{1, 3}, .down = Uniform{4, 8}, .start = Start::kStationary};
  const Availability stationary(law, kClockStreams);
  int up = 0;
  for (AgentId i = 0; i < 40; ++i) {
    Stream s = kClockStreams(Purpose::kAvailability, i, 0, 0);
    const bool expected = uniform(s) < 2.0 / (2 + 6);
    up += expected ? 1 : 0;
    const double position = uniform(s);
    CHECK(stationary.first(i).up == expected);
    CHECK(stationary.first(i).length ==
          position * (expected ? law.up.sample_size_biased(s) : law.down.sample_size_biased(s)));
  }
  CHECK(up > 0);
  CHECK(up < 40);
}

TEST_CASE("availability: laws apply to the hub of a star only with `hub`") {
  CHECK(Availability(Always{}, kClockStreams).always());
  CHECK_FALSE(Availability(Always{}, kClockStreams).applies_to(1, false));
  const Availability spared(OnOff{}, kClockStreams),
      all(OnOff{.up = 1.0, .down = 1.0, .hub = true}, kClockStreams);
  CHECK_FALSE(spared.always());
  CHECK(spared.applies_to(1, false));
  CHECK_FALSE(spared.applies_to(0, true));
  CHECK(all.applies_to(0, true));
}

TEST_CASE("availability: a hub has the product of the coins with `hub`, other agents that of all") {
  const auto coins = [](const AvailabilityOptions& options) {
    return Availability(options, kClockStreams, 4, 1);
  };
  const Availability both = coins(AllOf{{Coin{.probability = 0.99, .hub = true}, Coin{.probability = 0.1}}});
  const Availability hub = coins(Coin{.probability = 0.99, .hub = true}),
                     owner = coins(Coin{.probability = 0.99 * 0.1}), spared = coins(Coin{.probability = 0.1});
  CHECK(both.coin());
  int different = 0, heard = 0;
  for (std::uint32_t n = 0; n < 1000; ++n) {
    different += both.online_at_message(1, 0, n) != hub.online_at_message(1, 0, n) ? 1 : 0;
    different += both.online_at_message(0, 1, n) != owner.online_at_message(0, 1, n) ? 1 : 0;
    different += both.online_at_tick(2, n) != owner.online_at_tick(2, n) ? 1 : 0;
    heard += spared.online_at_message(1, 0, n) ? 1 : 0;
  }
  CHECK(different == 0);
  CHECK(heard == 1000);
}

TEST_CASE("availability: a stationary start needs finite means, periods must be positive") {
  const Distribution endless = Pareto{1, 1};
  REQUIRE(endless.mean() == kNever);
  CHECK(Refusals::of(OnOff{.up = endless, .down = 1.0, .start = Start::kUp}).empty());
  CHECK_FALSE(Refusals::of(OnOff{.up = endless, .down = 1.0, .start = Start::kStationary}).empty());
  CHECK_FALSE(Refusals::of(OnOff{.up = 1.0, .down = endless, .start = Start::kStationary}).empty());
  CHECK_FALSE(Refusals::of(OnOff{.up = 0.0, .down = 1.0}).empty());
  CHECK_FALSE(Refusals::of(OnOff{.up = Uniform{0, 0}, .down = 1.0}).empty());
}

namespace {

// Latencies of the third message on every directed link of a complete network of four agents, row by row.
std::vector<Time> latencies_of(const LatencyOptions& options, AgentId hub = kNoAgent) {
  const Topology all = make_topology(Complete{}, 4, kClockStreams);
  const Latency law(options, all, hub, kClockStreams, nullptr);
  std::vector<Time> times;
  for (AgentId i = 0; i < 4; ++i) {
    for (AgentId j = 0; j < 4; ++j)
      if (i != j) times.push_back(law.of(i, j, all.edge(i, j), 2));
  }
  return times;
}

}  // namespace

TEST_CASE("latency: by agent it holds for all links of the agent, between two of them that of the sender") {
  const LatencyByAgent slow{{.otherwise = 0.25, .agents = {{1, 2.0}, {3, 4.0}}}};
  //                                   0>1 0>2   0>3  1>0 1>2 1>3  2>0   2>1 2>3  3>0 3>1 3>2
  CHECK(latencies_of(slow) == std::vector<Time>{2, 0.25, 4, 2, 2, 2, 0.25, 2, 4, 4, 4, 4});
  // The other links keep their draws.
  const auto drawn = latencies_of(Uniform{1, 2});
  const auto others = latencies_of(LatencyByAgent{{.otherwise = Uniform{1, 2}, .agents = {{3, 4.0}}}});
  CHECK(others ==
        std::vector<Time>{drawn[0], drawn[1], 4, drawn[3], drawn[4], 4, drawn[6], drawn[7], 4, 4, 4, 4});
  const LatencyOptions options(
      LatencyByAgent{{.otherwise = Uniform{1, 2}, .agents = {{3, Uniform{0.5, 4}}}}});
  CHECK(options.lower() == 0.5);
  CHECK(options.bound_per_message() == 4);
  CHECK_FALSE(options.known());
  // Drawn once for each agent, that of agent 3 is the same on all its links, and 0 has its own on all others.
  const auto once = latencies_of(
      {LatencyByAgent{{.otherwise = Uniform{0, 1}, .agents = {{3, Uniform{100, 300}}}}}, Drawn::kPerAgent});
  for (const std::size_t link : {2u, 5u, 8u, 9u, 10u}) CHECK(once[link] == once[11]);
  CHECK(once[11] >= 100);
  CHECK(once[0] == once[1]);
  CHECK(once[0] != once[3]);
  CHECK_THROWS_WITH(latencies_of(LatencyByAgent{{.otherwise = 1.0, .agents = {{4, 2.0}}}}),
                    "expected agents 0 to 3, found agent 4");
}

TEST_CASE("on and off: with down times of 0 agents are never down, and other laws keep their draws") {
  const auto law = [](const AvailabilityOptions& options) {
    return Availability(options, kClockStreams, 3, 0, {});
  };
  CHECK(law(OnOff{.up = 5, .down = 0}).always());
  CHECK(law(OnOff{.up = 5, .down = Exponential{0}, .start = Start::kStationary}).always());
  CHECK(law(GroupFailures{.groups = {{"a", {1}}}, .up = 5, .down = 0}).always());
  CHECK(law(AllOf{{OnOff{.up = 5, .down = 0}, OnOff{.down = 0}}}).always());
  CHECK_FALSE(law(OnOff{.up = 5, .down = 1}).always());
  const OnOff drawn{.up = Exponential{5}, .down = 1};
  const Availability with(AllOf{{OnOff{.up = 5, .down = 0}, drawn}}, kClockStreams, 3, 0, {});
  const Availability twice(AllOf{{drawn, drawn}}, kClockStreams, 3, 0, {});
  CHECK_FALSE(with.applies_to(1, false, 0));
  CHECK(with.applies_to(1, false, 1));
  CHECK(with.first(1, 1).length == twice.first(1, 1).length);
  CHECK(Refusals::of(OnOff{.up = 5, .down = 0}).empty());
  CHECK_FALSE(Refusals::of(OnOff{.up = 0, .down = 1}).empty());
  CHECK_FALSE(Refusals::of(Crash{.up = 5, .down = 0}).empty());
}

TEST_CASE("values by agent: an error names the option") {
  const PerAgent two(ValueList{{1, 2}});
  const auto clocks = [](const ClockOptions& options) { Clocks(options, 4, kClockStreams, 1); };
  CHECK(error_at<OptionError>([&] { clocks(Poisson{two}); }) ==
        "rate: expected a list of 3 numbers, found 2");
  CHECK(error_at<OptionError>([&] { clocks(Periodic{.phase = two}); }) ==
        "phase: expected a list of 3 numbers, found 2");
  CHECK(error_at<OptionError>([&] {
          Bandwidth(UpDownBandwidth{.uplink = 1.0, .downlink = two}, 4, kClockStreams);
        }) == "downlink: expected a list of 4 numbers, found 2");
  CHECK(error_at<OptionError>([&] { Availability(JoinLeave{.leave = two}, kClockStreams, 4, 1, {}); }) ==
        "leave: expected a list of 3 numbers, found 2");
}
