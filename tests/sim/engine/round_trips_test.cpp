#include "sim/engine/round_trips.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

#include "tests/support/scratch.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay::sim;
using hearsay::test::kStreams;

namespace {

RoundTrips of(const NetworkOptions& network, AgentId agents = 4, std::size_t numbers = 2) {
  Engine::Options options;
  options.network = network;
  options.hub = true;
  return {options, make_topology(Star{}, agents, kStreams), kStreams, numbers};
}

}  // namespace

TEST_CASE("round trips: constant latencies both ways, and the computation") {
  NetworkOptions network;
  network.links.latency = 0.6;
  network.compute_time = 0.25;
  const RoundTrips trips = of(network);
  CHECK(trips.reliable());
  CHECK(trips.typical() == 1.45);
  CHECK(trips.shortest() == 1.45);
  CHECK(trips.fraction_above(1.44) == 1);
  CHECK(trips.fraction_above(1.45) == 0);
  network.links.delayed_direction = DelayedDirection::kToHub;
  CHECK(of(network).typical() == 0.85);
}

TEST_CASE("round trips: a reply without latency that leaves after a computation comes after a timer") {
  const auto late = [](Time latency, Time computing, DelayedDirection delayed = DelayedDirection::kBoth) {
    NetworkOptions network;
    network.links.latency = latency;
    network.links.delayed_direction = delayed;
    network.compute_time = computing;
    const RoundTrips trips = of(network);
    const int ways = delayed == DelayedDirection::kBoth ? 2 : 1;
    CHECK(trips.smallest_possible() == ways * latency + computing);
    return trips.smallest_is_late();
  };
  CHECK(late(0, 2));
  CHECK(late(0.5, 1, DelayedDirection::kFromHub));
  CHECK_FALSE(late(0.5, 1, DelayedDirection::kToHub));
  CHECK_FALSE(late(0.5, 1));
  CHECK_FALSE(late(1, 0));
}

TEST_CASE("round trips: the typical one is the largest median of a link") {
  // Drawn once for each link and direction from 0 or 1 s: with 100 links some have 1 s both ways (all but never with
  // probability (3/4)^100 = 3e-13), some none.
  NetworkOptions network;
  network.links.latency = LatencyOptions(Mixture{{{1, Constant{0}}, {1, Constant{1}}}}, Drawn::kPerLink);
  const RoundTrips trips = of(network, 101);
  CHECK(trips.typical() == 2);
  CHECK(trips.shortest() == 0);
}

TEST_CASE("round trips: fractions agree with the law") {
  // The sum of two uniform times on [0, 1) exceeds x in [1, 2] with probability (2 - x)^2/2: 0.125 at 1.5. 200 links, 40
  // draws each; five standard deviations of the fraction are 5 sqrt(0.125 0.875/8000) = 0.0185.
  NetworkOptions network;
  network.links.latency = Distribution(Uniform{0, 1});
  CHECK(std::abs(of(network, 201).fraction_above(1.5) - 0.125) < 0.0185);
}

TEST_CASE("round trips: limited bandwidth serves all neighbours' messages one after another") {
  // 64 + 8 2 = 80 B at 160 B/s: 0.5 s on each uplink and downlink. From the hub to one owner: the hub's 3 messages leave at
  // 0.5, 1, 1.5 s, the last is received at 2 s. Back one message: 1 s.
  NetworkOptions network;
  network.links.bandwidth = EqualBandwidth{160.0};
  CHECK(of(network).typical() == Approx(3).epsilon(1e-12));
}

TEST_CASE("round trips: loss and absence make a network unreliable") {
  NetworkOptions network;
  CHECK(of(network).reliable());
  network.links.loss = BernoulliLoss{0.01};
  CHECK_FALSE(of(network).reliable());
  network.links.loss = BernoulliLoss{0};
  CHECK(of(network).reliable());
  network.availability = OnOff{.up = 5, .down = 1};
  CHECK_FALSE(of(network).reliable());
  network.availability = Coin{.probability = 0.9};
  CHECK_FALSE(of(network).reliable());
}

TEST_CASE("round trips: whether they take time, under every law") {
  Engine::Options options;
  options.hub = true;
  const auto take = [&](bool computing) {
    return RoundTrips(options, make_topology(Star{}, 3, kStreams), kStreams, 1).takes_time(computing);
  };
  CHECK_FALSE(take(true));
  options.network.compute_time = 1.0;
  CHECK(take(true));
  CHECK_FALSE(take(false));
  options.network.links.latency = 1.0;
  CHECK(take(false));
  options.timeline.entries = {{.at = 5, .text = "", .changes = {.latency = 0.0}}};
  CHECK_FALSE(take(false));
  CHECK(take(true));
}

TEST_CASE("round trips: the smallest possible one") {
  // Both ways at least 0.5 s, and the owner's computation at least 0.25 s; of agent 2, 3 s and 0.25 s.
  NetworkOptions network;
  network.links.latency = Uniform{0.5, 9};
  network.compute_time = Uniform{0.25, 9};
  CHECK(of(network).smallest_possible() == 1.25);
  network.links.latency = LatencyByAgent{{.otherwise = 4.0, .agents = {{2, 1.5}}}};
  CHECK(of(network).smallest_possible() == 3.25);
  network.links.delayed_direction = DelayedDirection::kToHub;
  CHECK(of(network).smallest_possible() == 1.75);
  network.links = {};
  network.links.latency = Exponential{1};
  network.compute_time = 0.0;
  CHECK(of(network).smallest_possible() == 0);
  // A law that is set later counts.
  Engine::Options options;
  options.network.links.latency = 4.0;
  options.hub = true;
  options.timeline.entries = {{.at = 5, .text = "", .changes = {.latency = 1.0}}};
  CHECK(RoundTrips(options, make_topology(Star{}, 3, kStreams), kStreams, 1).smallest_possible() == 2);
  // One that another replaces at 0 s never holds.
  options.timeline.entries[0].at = 0;
  CHECK(RoundTrips(options, make_topology(Star{}, 3, kStreams), kStreams, 1).typical() == 2);
}

TEST_CASE("round trips: what is drawn once for a run has other values in another one") {
  const Topology star = make_topology(Star{}, 3, kStreams);
  const Streams other(1, 7);
  Engine::Options options;
  options.hub = true;
  options.network.compute_time = ComputeOptions(Uniform{1, 9}, ComputeDrawn::kPerAgent);
  const RoundTrips study(options, star, kStreams, 1);
  REQUIRE(study.drawn_once());
  // The slower of two owners, as drawn by that run.
  const ComputeTime compute(options.network.compute_time, 3, 1, other);
  CHECK(study.of_run(star, other).typical() == std::max(compute.of(1, 0), compute.of(2, 0)));
  CHECK(study.of_run(star, other).typical() != study.typical());
  CHECK(study.of_run(star, kStreams).typical() == study.typical());

  // A branch of it waits as long as its past.
  Engine::Options quick = options;
  quick.network.compute_time = 0.5;
  RoundTrips branch(quick, star, kStreams, 1);
  CHECK_FALSE(branch.drawn_once());
  branch.settle_by(study);
  CHECK(branch.of_run(star, other).settled() == study.of_run(star, other).settled());
  CHECK(branch.of_run(star, other).typical() == 0.5);
  CHECK(branch.settled_once());
  RoundTrips of_constant_past = study;
  of_constant_past.settle_by(RoundTrips(quick, star, kStreams, 1));
  CHECK_FALSE(of_constant_past.settled_once());
  CHECK(of_constant_past.of_run(star, other).settled() == 0.5);

  const auto is_once = [&](const NetworkOptions& network) { return of(network).drawn_once(); };
  NetworkOptions network;
  network.links.latency = Uniform{1, 2};
  network.compute_time = Uniform{1, 2};
  network.links.bandwidth = EqualBandwidth{.rate = ValueList{{1, 2, 3, 4}}};
  CHECK_FALSE(is_once(network));
  network.links.latency = LatencyOptions(Uniform{1, 2}, Drawn::kPerLink);
  CHECK(is_once(network));
  network.links.latency =
      LatencyOptions(LatencyByAgent{{.otherwise = 1.0, .agents = {{2, 2.0}}}}, Drawn::kPerAgent);
  CHECK_FALSE(is_once(network));
  network.links.bandwidth = EqualBandwidth{.rate = Uniform{1, 2}};
  CHECK(is_once(network));
}

TEST_CASE("round trips: between random nodes of a matrix the smallest possible one is that of any two") {
  const hearsay::test::Scratch dir;
  const InputFile file{"m.txt", dir.write("m.txt", "0 10 6000\n10 0 6000\n6000 6000 0\n")};
  // 10 ms between two of the nodes, 6 s to the third, whichever the agents have.
  for (std::uint32_t repetition = 0; repetition < 8; ++repetition) {
    const Streams streams(5, repetition);
    Engine::Options options;
    options.hub = true;
    options.network.links.latency = MatrixLatency{.path = file, .nodes = NodeChoice::kRandom};
    const Topology pair = make_topology(Star{}, 2, streams);
    const RoundTrips trips(options, pair, streams, 1);
    CHECK(trips.drawn_once());
    CHECK(trips.smallest_possible() == Approx(0.01));
    CHECK((trips.typical() == Approx(0.01) || trips.typical() == Approx(6)));
  }
}
