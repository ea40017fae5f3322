// Options of any graph: weights, components, nodes used, overlays.
#include <catch2/catch.hpp>

#include "sim/topology/topology.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/streams.hpp"
#include "tests/support/topology_rows.hpp"

using namespace hearsay;
using namespace hearsay::sim;
using namespace hearsay::test;

namespace {

// A path 0 - 1 - 2, a triangle 3 - 4 - 5, and 6 alone.
GraphFile three_parts(const test::Scratch& dir) {
  const std::string file = dir.write("parts.csv", "source,target\n0,1\n1,2\n3,4\n4,5\n3,5\n");
  return {.path = {"parts.csv", file}};
}
// A at (0, 0), B at (3, 4), C at (3, 10), D at (11, 10): A - B is 5 long, B - C 6, C - D 8.
GraphFile path_of_four(const test::Scratch& dir) {
  const std::string file =
      dir.write("path.dot",
                "graph { A [pos=\"0,0\"]; B [pos=\"3,4\"]; C [pos=\"3,10\"]; D [pos=\"11,10!\"];\n"
                "A -- B -- C -- D [latency=2] }");
  return {.path = {"path.dot", file}};
}
}  // namespace

TEST_CASE("topology: grids and tori by hand") {
  CHECK(rows(make_topology(Grid{}, 6, kStreams)) ==
        std::vector<Row>{{1, 2}, {0, 3}, {0, 3, 4}, {1, 2, 5}, {2, 5}, {3, 4}});  // 3 rows of 2
  CHECK(rows(make_topology(Grid{3u}, 6, kStreams)) ==
        std::vector<Row>{{1, 3}, {0, 2, 4}, {1, 5}, {0, 4}, {1, 3, 5}, {2, 4}});
  CHECK(rows(make_topology(Grid{}, 5, kStreams)) == std::vector<Row>{{1}, {0, 2}, {1, 3}, {2, 4}, {3}});
  CHECK(rows(make_topology(Torus{}, 9, kStreams)) == std::vector<Row>{{1, 2, 3, 6},
                                                                      {0, 2, 4, 7},
                                                                      {0, 1, 5, 8},
                                                                      {0, 4, 5, 6},
                                                                      {1, 3, 5, 7},
                                                                      {2, 3, 4, 8},
                                                                      {0, 3, 7, 8},
                                                                      {1, 4, 6, 8},
                                                                      {2, 5, 6, 7}});
  CHECK(rows(make_topology(Torus{2u}, 4, kStreams)) == std::vector<Row>{{1, 2}, {0, 3}, {0, 3}, {1, 2}});
  CHECK(rows(make_topology(Torus{1u}, 4, kStreams)) == std::vector<Row>{{1, 3}, {0, 2}, {1, 3}, {0, 2}});
  CHECK(make_topology(Grid{}, 1, kStreams).edges() == 0);
  CHECK(make_topology(Torus{}, 1, kStreams).edges() == 0);
  for (const auto& [rows, columns] : {std::pair<AgentId, AgentId>{3, 4}, {7, 2}, {10, 10}, {2, 2}}) {
    const Topology grid = make_topology(Grid{columns}, rows * columns, kStreams);
    CHECK(grid.edges() == 2 * rows * columns - rows - columns);
    CHECK(grid.components() == 1);
  }
  CHECK_THROWS_WITH(make_topology(Grid{4u}, 6, kStreams),
                    "expected a divisor of 6 agents as columns, found 4");
}

TEST_CASE("topology: a hypercube by hand, and its distances by the binomial coefficients") {
  CHECK(rows(make_topology(Hypercube{}, 8, kStreams)) ==
        std::vector<Row>{
            {1, 2, 4}, {0, 3, 5}, {0, 3, 6}, {1, 2, 7}, {0, 5, 6}, {1, 4, 7}, {2, 4, 7}, {3, 5, 6}});
  CHECK(make_topology(Hypercube{}, 1, kStreams).edges() == 0);
  const Topology cube = make_topology(Hypercube{5u}, 32, kStreams);
  CHECK(cube.edges() == 80);
  // Agents at distance q of agent 5, by breadth-first search: C(5, q).
  std::vector<AgentId> found{5};
  std::vector<int> distance(32, -1), counts(6);
  distance[5] = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    const int at = distance[found[k]];
    ++counts[static_cast<std::size_t>(at)];
    for (const AgentId j : cube.neighbours(found[k])) {
      if (distance[j] < 0) found.push_back(j);
      if (distance[j] < 0) distance[j] = at + 1;
    }
  }
  CHECK(counts == std::vector<int>{1, 5, 10, 10, 5, 1});
  CHECK_THROWS_WITH(make_topology(Hypercube{}, 12, kStreams), "expected 2^d agents in a hypercube, found 12");
  CHECK_THROWS_WITH(make_topology(Hypercube{3u}, 16, kStreams),
                    "expected 2^3 = 8 agents in a hypercube, found 16");
}

TEST_CASE("topology: Metropolis weights are 1/(1 + the greater degree)") {
  GraphOptions metropolis{.weights = EdgeWeights::kMetropolis};
  const Topology star = make_topology(TopologyOptions(Star{}, metropolis), 4, kStreams);
  for (std::uint32_t p = 0; p < 6; ++p) CHECK(star.weight(p) == 0.25);
  const Topology line = make_topology(TopologyOptions(Grid{1u}, metropolis), 4, kStreams);
  CHECK(line.weight(line.edge(0, 1)) == 1.0 / 3);
  CHECK(line.weight(line.edge(2, 1)) == 1.0 / 3);
  const WeightedEdges similar{{{0, 1}}, {7}};
  CHECK(make_topology(Similarity{}, 2, kStreams, &similar).weight(0) == 7);
  CHECK(
      make_topology(TopologyOptions(Similarity{}, {.weights = EdgeWeights::kUniform}), 2, kStreams, &similar)
          .weight(0) == 1);
  CHECK(make_topology(TopologyOptions(Similarity{}, {.weights = EdgeWeights::kGiven}), 2, kStreams, &similar)
            .weight(1) == 7);
  CHECK(make_topology(TopologyOptions(Similarity{}, metropolis), 2, kStreams, &similar).weight(0) == 0.5);
  CHECK_THROWS_WITH(make_topology(TopologyOptions(Ring{}, {.weights = EdgeWeights::kGiven}), 3, kStreams),
                    Catch::Contains("the graph has no weights"));
}

TEST_CASE("topology: several components are refused, reduced or connected, as `connected` says") {
  const test::Scratch dir;
  const GraphFile file = three_parts(dir);
  CHECK(test::error_of<TopologyError>([&] { require_connected(make_topology(file, 6, kStreams)); }) ==
        "expected a connected network, found 2 components: set connected to largest_component or connect, "
        "or ask "
        "for more links");
  CHECK_THROWS_WITH(make_topology(file, 3, kStreams), Catch::Contains("found 2 components"));
  const TopologyOptions largest(file, {.connected = Connected::kLargestComponent});
  // Of equal size, the one with the smallest node: 0, 1, 2.
  CHECK(rows(make_topology(largest, 3, kStreams)) == std::vector<Row>{{1}, {0, 2}, {1}});
  CHECK(make_topology(largest, 3, kStreams).names() == std::vector<std::string>{"0", "1", "2"});
  CHECK(test::error_of<TopologyError>([&] { make_topology(largest, 4, kStreams); }) ==
        "expected at least 4 nodes, one for each agent, found 3: the largest of 2 components is kept: 3 of 6 "
        "nodes");
  const Topology joined =
      make_topology(TopologyOptions(file, {.connected = Connected::kConnect}), 6, kStreams);
  CHECK(rows(joined) == std::vector<Row>{{1, 3}, {0, 2}, {1}, {0, 4, 5}, {3, 5}, {3, 4}});
  CHECK_NOTHROW(require_connected(joined));
  CHECK(joined.notes() == std::vector<std::string>{"1 links were added between 2 components"});
  // Isolated nodes are components too.
  const TopologyOptions sparse(ErdosRenyi{.probability = 0}, {.connected = Connected::kConnect});
  CHECK(make_topology(sparse, 5, kStreams).edges() == 4);
  CHECK(make_topology(sparse, 5, kStreams).components() == 1);
}

TEST_CASE("topology: links that connect the components of a torus have their lengths around it") {
  // (.58856, .24208) and (.72673, .91966) are .13817 and 1 - .67758 apart. No two agents are nearer than the radius.
  const TopologyOptions torus(RandomGeometric{.radius = 0.15, .side = 1, .torus = true},
                              {.connected = Connected::kConnect});
  const Topology three = make_topology(torus, 3, Streams(5, 0));
  REQUIRE(rows(three) == std::vector<Row>{{1}, {0, 2}, {1}});
  CHECK(three.places()[1].x == Approx(0.58856).margin(1e-5));
  CHECK(three.places()[2].y == Approx(0.91966).margin(1e-5));
  CHECK(three.length()[three.edge(1, 2)] == Approx(0.350777).margin(2e-6));
  CHECK(three.length()[three.edge(2, 1)] == three.length()[three.edge(1, 2)]);
}

TEST_CASE("topology: a graph with weights or latencies is not connected by links without them") {
  const test::Scratch dir;
  const std::string file = dir.write("x.csv", "source,target,weight\n0,1,1\n2,3,1\n");
  const TopologyOptions options(GraphFile{.path = {"x.csv", file}}, {.connected = Connected::kConnect});
  CHECK_THROWS_WITH(make_topology(options, 4, kStreams),
                    Catch::Contains("the links of this graph have weights"));
}

TEST_CASE("topology: with more nodes than agents, the first, the nearest or any are used") {
  const auto with = [](NodesUsed nodes) { return TopologyOptions(Star{}, {.size = 6, .nodes = nodes}); };
  CHECK(rows(make_topology(with(NodesUsed::kFirst), 3, kStreams)) == std::vector<Row>{{1, 2}, {0}, {0}});
  // A path 0 - 2 - 4 - 1 - 3: nearest to 0 are 2 and 4.
  const test::Scratch dir;
  const GraphFile path{.path = {"p.csv", dir.write("p.csv", "0 2\n2 4\n4 1\n1 3\n")}};
  const Topology near = make_topology(TopologyOptions(path, {.nodes = NodesUsed::kNearest}), 3, kStreams);
  CHECK(near.names() == std::vector<std::string>{"0", "2", "4"});
  CHECK(rows(near) == std::vector<Row>{{1}, {0, 2}, {1}});
  CHECK(near.notes() == std::vector<std::string>{"3 of 5 nodes have agents (nearest)"});
  // Of the first three only 0 - 2 are linked.
  const Topology first = make_topology(path, 3, kStreams);
  CHECK(first.components() == 2);
  CHECK(test::error_of<TopologyError>([&] { require_connected(first); }) ==
        "expected a connected network, found 2 components (3 of 5 nodes have agents (first)): set nodes to "
        "nearest, or ask for more links");
  CHECK_THROWS_AS(make_topology(path, 6, kStreams), TopologyError);
  CHECK_THROWS_WITH(make_topology(TopologyOptions(Ring{}, {.size = 4}), 5, kStreams),
                    "size: expected at least 5, a node for each agent, found 4");
}

TEST_CASE("topology: an overlay links a hub to all along shortest paths, by hand") {
  const test::Scratch dir;
  GraphFile file = path_of_four(dir);
  file.latency = "none of these";
  CHECK_THROWS_WITH(make_topology(file, 4, kStreams), Catch::Contains("no link has the attribute"));
  file = path_of_four(dir);
  SECTION("by latency if the links have one, with the length of that path") {
    const Topology t = make_topology(TopologyOptions(file, {.overlay = StarOverlay{"A"}}), 4, kStreams);
    CHECK(rows(t) == std::vector<Row>{{1, 2, 3}, {0}, {0}, {0}});
    CHECK(t.names() == std::vector<std::string>{"A", "B", "C", "D"});
    CHECK(std::vector(t.latency().begin(), t.latency().begin() + 3) == std::vector<double>{2, 4, 6});
    CHECK(std::vector(t.length().begin(), t.length().begin() + 3) == std::vector<double>{5, 11, 19});
    CHECK(t.latency()[5] == 6);
  }
  SECTION("the centre has the smallest maximum distance") {
    // By latency B and C are 4 from the farthest: the first. By length C: 11 against 14 from B.
    const TopologyOptions centre(file, {.overlay = StarOverlay{}});
    CHECK(make_topology(centre, 4, kStreams).names() == std::vector<std::string>{"B", "A", "C", "D"});
    const std::string text =
        "graph { A [x=0,y=0]; B [x=3,y=4]; C [x=3,y=10]; D [x=11,y=10]; A -- B -- C -- D }";
    const GraphFile plain{.path = {"q.gv", dir.write("q.gv", text)}};
    const Topology t = make_topology(TopologyOptions(plain, {.overlay = StarOverlay{}}), 4, kStreams);
    CHECK(t.names() == std::vector<std::string>{"C", "A", "B", "D"});
    CHECK(std::vector(t.length().begin(), t.length().begin() + 3) == std::vector<double>{11, 6, 8});
    CHECK(t.latency().empty());
    CHECK(t.places()[0] == Place{3, 10, false});
    // With two agents the hub and the first other; or the nearest other, B.
    const auto two = [&](NodesUsed nodes) {
      return make_topology(TopologyOptions(plain, {.nodes = nodes, .overlay = StarOverlay{}}), 2, kStreams)
          .names();
    };
    CHECK(two(NodesUsed::kFirst) == std::vector<std::string>{"C", "A"});
    CHECK(two(NodesUsed::kNearest) == std::vector<std::string>{"C", "B"});
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const TopologyOptions random(plain, {.nodes = NodesUsed::kRandom, .overlay = StarOverlay{}});
      CHECK(make_topology(random, 2, Streams(seed, 0)).names()[0] == "C");
    }
  }
  SECTION("a shorter path of more links is used") {
    const GraphFile list{
        .path = {"l.tsv", dir.write("l.tsv", "source\ttarget\tlatency\n0\t1\t9\n0\t2\t3\n2\t1\t5\n")},
        .latency_unit = LatencyUnit::kMillisecond};
    const Topology t = make_topology(TopologyOptions(list, {.overlay = StarOverlay{"0"}}), 3, kStreams);
    CHECK(t.latency()[0] == Approx(0.008));
    CHECK(t.latency()[1] == Approx(0.003));
    CHECK(t.length().empty());
  }
  SECTION("errors") {
    CHECK_THROWS_WITH(make_topology(TopologyOptions(file, {.overlay = StarOverlay{"E"}}), 4, kStreams),
                      "overlay: expected the name of a node or a number below 4, found 'E'");
    CHECK_THROWS_WITH(make_topology(TopologyOptions(Ring{}, {.overlay = StarOverlay{}}), 4, kStreams),
                      Catch::Contains("neither latency nor length"));
    CHECK_THROWS_WITH(
        make_topology(TopologyOptions(three_parts(dir), {.overlay = StarOverlay{}}), 6, kStreams),
        Catch::Contains("found 2 components"));
  }
}

TEST_CASE("topology: places keep their agents when nodes are removed, and do not change with their number") {
  const RandomGeometric geometric{.radius = 2, .side = 1};
  const Topology few = make_topology(geometric, 5, kStreams), many = make_topology(geometric, 9, kStreams);
  for (AgentId i = 0; i < 5; ++i) CHECK(few.places()[i] == many.places()[i]);
  CHECK(few.edges() == 10);
  const Topology first = make_topology(TopologyOptions(geometric, {.size = 9}), 5, kStreams);
  CHECK(first.places() == few.places());
}

TEST_CASE("place: distances by formula") {
  const double quarter = kEarthRadius * 3.14159265358979323846 / 2;
  CHECK(distance({0, 0, true}, {90, 0, true}) == Approx(quarter));
  CHECK(distance({30, 90, true}, {-150, 0, true}) == Approx(quarter));
  CHECK(distance({179, 0, true}, {-179, 0, true}) == Approx(quarter / 45));      // across the date line
  CHECK(distance({10, 60, true}, {-170, 60, true}) == Approx(quarter * 2 / 3));  // over the pole: 60 degrees
  CHECK(distance({0, 0, true}, {180, 0, true}) == Approx(2 * quarter));
  CHECK(distance({0, 0}, {3, 4}) == 5);
  CHECK(distance({7, 7, true}, {7, 7, true}) == 0);
}
