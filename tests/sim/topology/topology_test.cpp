#include "sim/topology/topology.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "sim/check.hpp"
#include "tests/support/streams.hpp"
#include "tests/support/topology_rows.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

Row row(const Topology& t, AgentId i) {
  return {t.neighbours(i).begin(), t.neighbours(i).end()};
}
Topology regular(AgentId agents, std::uint32_t degree, std::uint64_t seed = 1) {
  return make_topology(RandomRegular{degree}, agents, Streams(seed, 0));
}

}  // namespace

TEST_CASE("topology: small stars, rings and complete graphs") {
  CHECK(rows(make_topology(Star{}, 4, kStreams)) == std::vector<Row>{{1, 2, 3}, {0}, {0}, {0}});
  CHECK(rows(make_topology(Star{}, 1, kStreams)) == std::vector<Row>{{}});
  CHECK(rows(make_topology(Ring{}, 1, kStreams)) == std::vector<Row>{{}});
  CHECK(rows(make_topology(Ring{}, 2, kStreams)) == std::vector<Row>{{1}, {0}});
  CHECK(rows(make_topology(Ring{}, 3, kStreams)) == std::vector<Row>{{1, 2}, {0, 2}, {0, 1}});
  CHECK(rows(make_topology(Ring{}, 5, kStreams)) == std::vector<Row>{{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}});
  CHECK(rows(make_topology(Complete{}, 4, kStreams)) ==
        std::vector<Row>{{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}});
  CHECK(make_topology(Complete{}, 4, kStreams).edges() == 6);
}

TEST_CASE("topology: random regular graphs are simple, symmetric and of exactly their degree") {
  const std::pair<AgentId, std::uint32_t> sizes[] = {
      {2, 1}, {4, 2}, {4, 3}, {10, 3}, {10, 9}, {7, 4}, {20, 17}, {60, 30}, {100, 98}, {101, 50}, {2000, 10}};
  for (const auto& [agents, degree] : sizes) {
    INFO(agents << " agents of degree " << degree);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Topology t = regular(agents, degree, seed);
      REQUIRE(t.edges() == std::size_t{agents} * degree / 2);
      std::size_t wrong = 0;
      for (AgentId i = 0; i < agents; ++i) {
        const Row r = row(t, i);
        if (r.size() != degree || std::adjacent_find(r.begin(), r.end(), std::greater_equal<>()) != r.end() ||
            std::find(r.begin(), r.end(), i) != r.end())
          ++wrong;
        for (const AgentId j : r) {
          if (t.edge(j, i) == 2 * t.edges()) ++wrong;
        }
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("topology: a random graph is a function of the seed") {
  CHECK(rows(regular(50, 4, 1)) == rows(regular(50, 4, 1)));
  CHECK(rows(regular(50, 4, 1)) != rows(regular(50, 4, 2)));
  CHECK(rows(regular(50, 40, 1)) != rows(regular(50, 40, 2)));
}

TEST_CASE("topology: an impossible graph is refused") {
  CHECK_THROWS_WITH(regular(5, 3), Catch::Contains("no simple graph of 5 agents has degree 3"));
  CHECK_THROWS_WITH(regular(4, 4), Catch::Contains("no simple graph of 4 agents has degree 4"));
  CHECK_THROWS_AS(regular(4, 5), TopologyError);
  CHECK_THROWS_WITH(make_topology(Star{}, 0, kStreams), Catch::Contains("at least one agent"));
  CHECK_THROWS_WITH(regular(1u << 20, 4096), Catch::Contains("fewer than 2^31 edges"));
}

TEST_CASE("topology: edges that make no simple graph are refused") {
  const auto build = [](std::vector<Edge> edges) { return Topology::from_edges(3, edges); };
  CHECK_THROWS_WITH(build({{0, 1}, {1, 1}}), Catch::Contains("agent 1 is linked to itself"));
  CHECK_THROWS_WITH(build({{0, 1}, {1, 0}}), Catch::Contains("linked twice"));
  CHECK_THROWS_WITH(build({{0, 2}, {1, 2}, {0, 2}}), Catch::Contains("agents 0 and 2 are linked twice"));
  CHECK_THROWS_WITH(build({{0, 3}}), Catch::Contains("edge 0-3 names an agent outside 0 to 2"));
  const Edge one[] = {{0, 1}};
  const double two[] = {1, 2};
  CHECK_THROWS_AS(Topology::from_edges(3, one, two), InvariantError);
}

TEST_CASE("topology: positions number the directed edges row by row, in order of the targets") {
  const Edge edges[] = {{2, 0}, {3, 1}, {0, 3}, {1, 0}};
  const Topology t = Topology::from_edges(5, edges);
  CHECK(rows(t) == std::vector<Row>{{1, 2, 3}, {0, 3}, {0}, {0, 1}, {}});
  std::uint32_t position = 0;
  for (AgentId i = 0; i < t.agents(); ++i) {
    CHECK(t.first_edge(i) == position);
    CHECK(t.degree(i) == t.neighbours(i).size());
    for (const AgentId j : t.neighbours(i)) CHECK(t.edge(i, j) == position++);
  }
  CHECK(position == 2 * t.edges());
  for (const auto& [from, to] : {std::pair{2, 1}, {2, 3}, {4, 0}, {1, 2}, {0, 4}})
    CHECK(t.edge(static_cast<AgentId>(from), static_cast<AgentId>(to)) == 2 * t.edges());
}

TEST_CASE("topology: weights stay with their edges when rows are sorted") {
  const Edge edges[] = {{2, 0}, {3, 1}, {0, 3}, {1, 0}};
  const double weights[] = {20, 31, 30, 10};
  const Topology t = Topology::from_edges(4, edges, weights);
  for (AgentId i = 0; i < 4; ++i) {
    for (const AgentId j : t.neighbours(i)) {
      const double expected = 10.0 * std::max(i, j) + std::min(i, j);
      CHECK(t.weight(t.edge(i, j)) == expected);
    }
  }
  CHECK(Topology::from_edges(4, edges).weight(3) == 1.0);
}

TEST_CASE("topology: components are counted") {
  const Edge edges[] = {{0, 1}, {4, 2}, {2, 0}, {5, 6}};
  CHECK(Topology::from_edges(8, edges).components() == 4);  // 0 1 2 4, 3, 5 6, 7
  CHECK(Topology::from_edges(3, {}).components() == 3);
  CHECK(make_topology(Ring{}, 100, kStreams).components() == 1);
}

TEST_CASE("topology: similarity has the links and weights of the data, and needs them") {
  const WeightedEdges similar{{{0, 2}, {1, 2}}, {0.5, 2}};
  const Topology graph = make_topology(Similarity{}, 3, Streams(1, 0), &similar);
  CHECK(graph.edges() == 2);
  CHECK(graph.weight(graph.edge(2, 0)) == 0.5);
  CHECK(graph.weight(graph.edge(1, 2)) == 2);
  CHECK_THROWS_AS(make_topology(Similarity{}, 3, Streams(1, 0)), TopologyError);
}

TEST_CASE("topology: the fingerprint depends on edges, ends and weights") {
  const std::vector<Edge> path{{0, 1}, {1, 2}}, turned{{1, 2}, {0, 1}}, other{{0, 1}, {0, 2}};
  const std::vector<double> ones{1, 1}, half{1, 0.5};
  const std::uint64_t print = Topology::from_edges(3, path).fingerprint();
  CHECK(print == Topology::from_edges(3, turned).fingerprint());
  CHECK(print != Topology::from_edges(3, other).fingerprint());
  CHECK(print != Topology::from_edges(4, path).fingerprint());
  CHECK(Topology::from_edges(3, path, ones).fingerprint() !=
        Topology::from_edges(3, path, half).fingerprint());
}
