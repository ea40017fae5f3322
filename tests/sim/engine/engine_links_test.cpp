// Bandwidth, order of arrival and reasons of loss, worked by hand.
#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

#include "sim/network/network.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

struct BandwidthNet : test::Net {
  explicit BandwidthNet(AgentId agents) : Net(Complete{}, agents) {
    options.payload_width = 2;
    // 10 B of header and 5 B a number: a message of 2 numbers has 20 B.
    options.network.links.header = 10;
    options.network.links.bytes_per_number = 5;
  }
};

const double kTwo[2] = {1, 2};

}  // namespace

TEST_CASE("bandwidth: transfers of one sender queue up, then those of one receiver") {
  // Uplinks 10 B/s, downlinks 4 B/s, latency 1 s, 20 B each. Agents 0 and 1 send two each to 2 at time 0:
  // they leave their uplinks at 2 and 4, reach the downlink of 2 at 3, 3, 5, 5 (agent 0's first) and have
  // left it 5 s after one another, from 3 on: at 8, 13, 18, 23.
  BandwidthNet net(3);
  net.options.network.links.latency = 1.0;
  net.options.network.links.bandwidth = UpDownBandwidth{.uplink = 10.0, .downlink = 4.0};
  test::ScriptedEngine engine(net.options, net.topology, kStreams);
  engine.on_start = [&] {
    engine.send(0, 2, 1, 0, kTwo);
    engine.send(1, 2, 11, 0, kTwo);
    engine.send(0, 2, 2, 0, kTwo);
    engine.send(1, 2, 12, 0, kTwo);
  };
  engine.run();
  CHECK(engine.log ==
        Log{"8 message 0>2 #1", "13 message 1>2 #11", "18 message 0>2 #2", "23 message 1>2 #12"});
  CHECK(engine.traffic().bytes == 80);
}

TEST_CASE(
    "bandwidth: n messages of s bytes over a rate r take n s/r, a broadcast one transfer per neighbour") {
  for (const std::uint32_t n : {1u, 7u}) {
    BandwidthNet net(4);
    net.options.network.links.bandwidth = UpDownBandwidth{.uplink = 10.0, .downlink = 1e12};
    net.options.observe_every = 0.5;
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.logging = false;
    engine.on_start = [&] {
      for (std::uint32_t k = 0; k < n; ++k) engine.publish(0, kTwo);
    };
    // The k-th transfer, to agent 1, 2, 3, 1, ..., is over at 2 k s: agent 3 has version v from 6 v s on.
    engine.on_observation = [&] {
      const auto heard = engine.latest(3, 0).version;
      CHECK(heard == std::min(n, static_cast<std::uint32_t>((engine.now() - 1e-9) / 6)));
    };
    engine.run();
    CHECK(engine.traffic().delivered == 3 * n);
    CHECK(engine.now() >= 6 * n);
  }
}

TEST_CASE("bandwidth: a lost message uses its sender's uplink, and no downlink") {
  // Agent 0's messages to 1 are lost for the first second; each takes 2 s of the uplink and 5 s of the
  // downlink.
  BandwidthNet net(2);
  net.options.network.links.bandwidth = UpDownBandwidth{.uplink = 10.0, .downlink = 4.0};
  net.options.network.links.loss = PartitionLoss{.agents = {1}, .to = 1.0};
  net.options.clocks = ClockTrace{{0, 1}, {0, 0}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.on_tick = [&](AgentId i) { engine.send(i, 1, 1, 0, kTwo); };
  engine.run();
  CHECK(engine.log == Log{"0 tick 0", "1 tick 0", "9 message 0>1 #1"});  // 0-2, 2-4 up, 4-9 down
  CHECK(net.trace.count(TraceKind::kLose, "partition") == 1);
  CHECK(engine.traffic().lost[static_cast<int>(LossReason::kPartition)] == 1);
}

TEST_CASE("bandwidth: rates are drawn once per agent from (per agent, agent), uplink 4 and downlink 5") {
  Bandwidth bandwidth(UpDownBandwidth{.uplink = Uniform{1, 2}, .downlink = Uniform{3, 4}}, 3, kStreams);
  for (AgentId i = 0; i < 3; ++i) {
    Stream up = kStreams(Purpose::kPerAgent, i, 0, 4), down = kStreams(Purpose::kPerAgent, i, 0, 5);
    CHECK(bandwidth.send(i, 6, 1) == 1 + 6 / Uniform{1, 2}.sample(up));
    CHECK(bandwidth.receive(i, 6, 1) == 1 + 6 / Uniform{3, 4}.sample(down));
  }
}

TEST_CASE(
    "order: a FIFO link never reorders, a message that would overtake arrives with the one "
    "ahead") {
  std::uint64_t overtaken[2] = {};
  for (const MessageOrder order : {MessageOrder::kArrival, MessageOrder::kFifo}) {
    BandwidthNet net(3);
    net.options.network.links.latency = Exponential{1};
    net.options.network.links.send_order = order;
    net.options.clocks = Poisson{5.0};
    test::ScriptedEngine engine(net.options, net.topology, kStreams);
    engine.logging = false;
    std::uint32_t sent = 0;
    std::map<std::pair<AgentId, AgentId>, std::pair<std::uint32_t, Time>> last;
    engine.on_tick = [&](AgentId i) {
      ++sent;
      engine.send(i, (i + 1 + sent % 2) % 3, 0, sent, {});
    };
    engine.on_message = [&](const Message& m) {
      auto& [number, time] = last[{m.from, m.to}];
      overtaken[static_cast<int>(order)] += m.conversation < number ? 1u : 0u;
      CHECK(m.sent <= engine.now());
      number = std::max(number, m.conversation);
      time = engine.now();
    };
    engine.run();
    CHECK(engine.traffic().delivered > 1000);
  }
  CHECK(overtaken[0] > 100);
  CHECK(overtaken[1] == 0);
}

TEST_CASE("order: the newest publication is read, the last to arrive, or none overtakes") {
  // Published at 0 with a latency of 5 s, at 1 with 1 s: the second arrives at 2, the first at 5.
  for (const auto order : {PublicationOrder::kNewest, PublicationOrder::kArrival, PublicationOrder::kFifo}) {
    // The two latencies by a mixture whose first draw on this edge is long and whose second is short.
    const Mixture law{{{1, Constant{1}}, {1, Constant{5}}}};
    std::uint64_t seed = 0;
    const auto draw = [&law](std::uint64_t s, std::uint32_t n) {
      Stream stream = Streams(s, 0)(Purpose::kLatency, 0, 1, n);
      return law.sample(stream);
    };
    while (draw(seed, 0) != 5 || draw(seed, 1) != 1) ++seed;
    BandwidthNet net(2);
    net.options.network.links.latency = law;
    net.options.network.links.order = order;
    net.options.clocks = ClockTrace{{0, 1}, {0, 0}};
    net.options.observe_every = 0.5;
    test::ScriptedEngine engine(net.options, net.topology, Streams(seed, 0));
    engine.logging = false;
    engine.on_tick = [&](AgentId i) { engine.publish(i, kTwo); };
    engine.on_observation = [&] {
      const std::uint32_t at_2 = order == PublicationOrder::kFifo ? 0 : 2;
      const std::uint32_t at_5 = order == PublicationOrder::kArrival ? 1 : 2;
      const Time t = engine.now();
      CHECK(engine.latest(1, 0).version == (t < 2 ? 0u : t < 5 ? at_2 : at_5));
    };
    engine.run();
    CHECK(engine.traffic().delivered == 2);
  }
}

TEST_CASE(
    "partition: during it no message crosses, all arrive within a side, and at its "
    "ends") {
  BandwidthNet net(4);
  net.options.network.links.loss = PartitionLoss{.agents = {1, 2}, .from = 2, .to = 4.0};
  net.options.clocks = ClockTrace{{1.9, 2, 3, 4}, {0, 0, 0, 0}};
  test::ScriptedEngine engine(net.options, net.topology, kStreams, &net.trace);
  engine.logging = false;
  std::vector<std::string> got;
  engine.on_tick = [&](AgentId) {
    engine.send(0, 1, 0, 0, {});
    engine.send(2, 3, 0, 0, {});
    engine.send(1, 2, 0, 0, {});
    engine.send(3, 0, 0, 0, {});
  };
  engine.on_message = [&](const Message& m) {
    got.push_back(fmt::format("{} {}{}", engine.now(), m.from, m.to));
  };
  engine.run();
  std::sort(got.begin(), got.end());
  CHECK(got == Log{"1.9 01", "1.9 12", "1.9 23", "1.9 30", "2 12", "2 30", "3 12", "3 30", "4 01", "4 12",
                   "4 23", "4 30"});
  CHECK(net.trace.count(TraceKind::kLose, "partition") == 4);
}

TEST_CASE("partition: with share each agent except the hub draws from (per agent, agent, law), index 8") {
  const Topology star = make_topology(Star{}, 200, kStreams);
  Loss loss(AnyLoss{{BernoulliLoss{0}, PartitionLoss{.agents = {}, .share = 0.3, .from = 0, .to = {}}}}, star,
            0, kStreams, {nullptr, nullptr});
  int cut = 0;
  for (AgentId i = 1; i < 200; ++i) {
    Stream s = kStreams(Purpose::kPerAgent, i, 1, 8);
    const bool off = Uniform{0, 1}.sample(s) < 0.3;
    cut += off ? 1 : 0;
    CHECK(loss.of(0, i, star.edge(0, i), 0, 5).has_value() == off);
    CHECK(loss.of(i, 0, star.edge(i, 0), 0, 5).has_value() == off);
  }
  CHECK(cut > 20);
}

TEST_CASE("partition: a share of 1 separates the hub from the others, and no agents without one") {
  const Topology star = make_topology(Star{}, 3, kStreams);
  const PartitionLoss all{.agents = {}, .share = 1, .from = 0, .to = {}};
  CHECK(Loss(all, star, 0, kStreams, {nullptr}).of(0, 1, star.edge(0, 1), 0, 5) == LossReason::kPartition);
  CHECK_THROWS_AS(Loss(all, star, kNoAgent, kStreams, {nullptr}), std::invalid_argument);
}

TEST_CASE(
    "gilbert_elliott: the state is a chain of draws from (loss, from, to), index n: change first, then "
    "loss") {
  const GilbertElliott law{.p_good_to_bad = 0.2, .p_bad_to_good = 0.4, .loss_good = 0.1, .loss_bad = 0.7};
  Loss loss(law, test::kPair, kNoAgent, kStreams, {nullptr});
  bool bad[2] = {};
  for (std::uint32_t n = 0; n < 300; ++n) {
    for (const AgentId from : {0u, 1u}) {
      Stream s = kStreams(Purpose::kLoss, from, 1 - from, n);
      const double change = Uniform{0, 1}.sample(s), fate = Uniform{0, 1}.sample(s);
      const double p = n == 0 ? 0.2 / 0.6 : bad[from] ? 0.4 : 0.2;
      if (change < p) bad[from] = !bad[from];
      CHECK(loss.of(from, 1 - from, test::kPair.edge(from, 1 - from), n, 0).has_value() ==
            (fate < (bad[from] ? 0.7 : 0.1)));
    }
  }
}

TEST_CASE(
    "latency: per link and per agent it is drawn once, on a link to a hub the other end's value applies") {
  const Topology star = make_topology(Star{}, 4, kStreams);
  const Latency per_link(LatencyOptions(Uniform{1, 2}, Drawn::kPerLink), star, 0, kStreams, nullptr);
  const Latency per_agent(LatencyOptions(Uniform{1, 2}, Drawn::kPerAgent), star, 0, kStreams, nullptr);
  for (AgentId i = 1; i < 4; ++i) {
    Stream there = kStreams(Purpose::kLatency, 0, i, 0), back = kStreams(Purpose::kLatency, i, 0, 0);
    Stream own = kStreams(Purpose::kPerAgent, i, 0, 2);
    const double value = Uniform{1, 2}.sample(own);
    const Time to = Uniform{1, 2}.sample(there), from = Uniform{1, 2}.sample(back);
    for (const std::uint32_t n : {0u, 1u, 17u}) {
      CHECK(per_link.of(0, i, star.edge(0, i), n) == to);
      CHECK(per_link.of(i, 0, star.edge(i, 0), n) == from);
      CHECK(per_agent.of(0, i, star.edge(0, i), n) == value);
      CHECK(per_agent.of(i, 0, star.edge(i, 0), n) == value);
    }
  }
  const Topology ring = make_topology(Ring{}, 4, kStreams);
  const Latency senders(LatencyOptions(Uniform{1, 2}, Drawn::kPerAgent), ring, kNoAgent, kStreams, nullptr);
  CHECK(senders.of(1, 2, ring.edge(1, 2), 0) == senders.of(1, 0, ring.edge(1, 0), 5));
  CHECK(senders.of(1, 2, ring.edge(1, 2), 0) != senders.of(2, 1, ring.edge(2, 1), 0));
}

TEST_CASE("latency: distance is length over speed, on the Earth and in the plane, plus the random term") {
  Topology pair = make_topology(Ring{}, 2, kStreams);
  CHECK_THROWS_WITH(Latency(DistanceLatency{}, pair, kNoAgent, kStreams, nullptr),
                    Catch::Contains("needs a topology with coordinates"));
  pair.describe_agents({{0, 0, false}, {3000, 4000, false}}, {}, {});
  CHECK(Latency(DistanceLatency{.speed = 1000}, pair, kNoAgent, kStreams, nullptr).of(0, 1, 0, 0) ==
        Approx(5));
  CHECK(Latency(DistanceLatency{.speed = 1000, .plus = 2.0}, pair, kNoAgent, kStreams, nullptr)
            .of(1, 0, 1, 3) == Approx(7));
  // A quarter of the equator.
  Topology earth = make_topology(Ring{}, 2, kStreams);
  earth.describe_agents({{0, 0, true}, {90, 0, true}}, {}, {});
  CHECK(Latency(DistanceLatency{.speed = 2e8}, earth, kNoAgent, kStreams, nullptr).of(0, 1, 0, 0) ==
        Approx(6371008.8 * 1.5707963267948966 / 2e8));
}

TEST_CASE("latency: an edge attribute is the latency of the graph, and is refused without one") {
  const Edge edges[] = {{0, 1}, {1, 2}};
  const double seconds[] = {0.25, 0.5};
  const Topology path = Topology::from_edges(3, edges, EdgeValues{.latency = seconds});
  const Latency law(EdgeLatency{}, path, kNoAgent, kStreams, nullptr);
  CHECK(law.of(0, 1, path.edge(0, 1), 0) == 0.25);
  CHECK(law.of(2, 1, path.edge(2, 1), 9) == 0.5);
  CHECK_THROWS_WITH(Latency(EdgeLatency{}, make_topology(Ring{}, 3, kStreams), kNoAgent, kStreams, nullptr),
                    Catch::Contains("this topology has none"));
}
