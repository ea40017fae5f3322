// A complete graph without edges: what it says is what the graph with all edges says.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <vector>

#include "sim/state/archive.hpp"
#include "sim/topology/by_edge.hpp"
#include "sim/topology/topology.hpp"
#include "tests/support/script.hpp"

using namespace hearsay;
using sim::AgentId;
using sim::ByEdge;
using sim::EdgePosition;
using sim::Neighbours;
using sim::Topology;

namespace {

Topology with_edges(AgentId agents) {
  std::vector<sim::Edge> all;
  for (AgentId a = 0; a < agents; ++a)
    for (AgentId b = a + 1; b < agents; ++b) all.push_back({a, b});
  return Topology::from_edges(agents, all);
}

constexpr AgentId kSome = 30;

}  // namespace

TEST_CASE("complete graph: rows and positions are those of the graph with all edges") {
  for (const AgentId n : {1u, 2u, 3u, 7u, 40u}) {
    const Topology graph = Topology::complete(n), other = with_edges(n);
    REQUIRE(graph.agents() == n);
    CHECK(graph.edges() == other.edges());
    CHECK(graph.stores_edges() == (n == 1));
    CHECK(graph.components() == 1);
    for (AgentId i = 0; i < n; ++i) {
      CHECK(graph.degree(i) == n - 1);
      CHECK(graph.first_edge(i) == other.first_edge(i));
      CHECK(std::ranges::equal(graph.neighbours(i), other.neighbours(i)));
      for (AgentId j = 0; j < n + 2; ++j) CHECK(graph.edge(i, j) == other.edge(i, j));
    }
  }
  const Topology large = Topology::complete(1'000'000, 0.25);
  CHECK(large.edges() == 499'999'500'000);
  CHECK(large.edge(999'999, 999'998) == 999'998'999'999);
  CHECK(large.neighbours(500'000)[500'000] == 500'001);
  CHECK(large.weight(large.edge(3, 2)) == 0.25);
}

TEST_CASE("complete graph: neighbours are a range in ascending order, and parts of it are contiguous") {
  const Topology graph = Topology::complete(10);
  const Neighbours row = graph.neighbours(4);
  const std::vector<AgentId> all(row.begin(), row.end());
  CHECK(all == std::vector<AgentId>{0, 1, 2, 3, 5, 6, 7, 8, 9});
  CHECK(row.end() - row.begin() == 9);
  CHECK(row.begin()[4] == 5);
  CHECK(*(row.end() - 1) == 9);
  CHECK(std::ranges::binary_search(row, 5u));
  CHECK_FALSE(std::ranges::binary_search(row, 4u));
  AgentId room[9];
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (std::size_t count = 0; k + count <= all.size(); ++count) {
      const auto part = row.part(k, count, room);
      CHECK(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(k)));
    }
  }
}

TEST_CASE("complete graph: metropolis weights are 1/n, and no weights are given") {
  const auto made = [](sim::EdgeWeights weights) {
    const sim::TopologyOptions options(sim::Complete{}, {.weights = weights});
    return make_topology(options, 5, sim::Streams(1, 0));
  };
  CHECK(made(sim::EdgeWeights::kMetropolis).weight(7) == 0.2);
  CHECK(made(sim::EdgeWeights::kUniform).weight(7) == 1);
  CHECK_THROWS_AS(made(sim::EdgeWeights::kGiven), sim::TopologyError);
}

TEST_CASE("by edge: values of many edges are kept where they differ, and survive as a state") {
  const Topology graph = Topology::complete(kSome, 1, 0);
  ByEdge<std::uint32_t> values(graph, 3);
  const auto& constant = values;
  const EdgePosition last = 2 * graph.edges() - 1;
  ++values[last];
  values[5] = 10;
  CHECK(constant[last] == 4);
  CHECK(constant[4] == 3);
  CHECK(values.sum() == 14);
  std::uint32_t room[3];
  const std::uint32_t* const some = constant.from(4, 3, room);
  CHECK(std::vector(some, some + 3) == std::vector<std::uint32_t>{3, 10, 3});
  std::stringstream bytes;
  cereal::BinaryOutputArchive out(bytes);
  out(values);
  ByEdge<std::uint32_t> read(graph, 3);
  read[7] = 1;
  cereal::BinaryInputArchive in(bytes);
  in(read);
  CHECK(std::as_const(read)[last] == 4);
  CHECK(std::as_const(read)[5] == 10);
  CHECK(std::as_const(read)[7] == 3);
  for (EdgePosition k = 0; k < 2 * graph.edges(); k += 3) read[k] = static_cast<std::uint32_t>(1000 + k);
  for (EdgePosition k = 0; k < 2 * graph.edges(); ++k) {
    const std::uint32_t expected = k % 3 == 0  ? static_cast<std::uint32_t>(1000 + k)
                                   : k == last ? 4
                                   : k == 5    ? 10
                                               : 3;
    CHECK(std::as_const(read)[k] == expected);
  }
}

TEST_CASE("complete graph: a run is that of the graph with all edges") {
  const auto run = [](const Topology& graph) {
    sim::Engine::Options options;
    options.network.links = {.latency = sim::Exponential{0.1},
                             .loss = sim::AnyLoss{{sim::GilbertElliott{}, sim::BernoulliLoss{0.1}}},
                             .send_order = sim::MessageOrder::kFifo};
    options.time_limit = 5;
    test::ScriptedEngine engine(options, graph, sim::Streams(3, 0));
    engine.on_tick = [&](AgentId i) {
      const double number = engine.now();
      engine.send(i, graph.neighbours(i)[(i + engine.events()) % graph.degree(i)], 1, 0, {&number, 1});
    };
    engine.on_message = [&](const sim::Message& m) {
      if (m.tag == 1) engine.send(m.to, m.from, 2, 0, {});
    };
    engine.run();
    CHECK(engine.traffic().lost_as(sim::LossReason::kLoss) > 20);
    return engine.fingerprint().value();
  };
  const std::uint64_t expected = run(with_edges(kSome));
  CHECK(run(Topology::complete(kSome)) == expected);
  CHECK(run(Topology::complete(kSome, 1, 0)) == expected);
}
