// Reading graphs from files, and the errors for invalid files.
#include <catch2/catch.hpp>

#include "sim/topology/topology.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/scratch.hpp"
#include "tests/support/streams.hpp"

using namespace hearsay;
using namespace hearsay::sim;

namespace {

struct File {
  test::Scratch dir;  // before what lies in it
  GraphFile options;

  File(const std::string& name, const std::string& text) : options{.path = {name, dir.write(name, text)}} {}
  Draft read() const { return draw(options, 0, test::kStreams); }
  std::string error() const {
    return test::error_of<TopologyError>([&] { read(); });
  }
};

std::vector<std::pair<AgentId, AgentId>> pairs(const Draft& d) {
  std::vector<std::pair<AgentId, AgentId>> all;
  for (const Edge& e : d.edges) all.emplace_back(e.a, e.b);
  return all;
}
using Pairs = std::vector<std::pair<AgentId, AgentId>>;
using Names = std::vector<std::string>;

std::string graphml(const std::string& body, const std::string& edges = "undirected") {
  return R"(<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
    <key id="d0" for="node" attr.name="Longitude" attr.type="double"/>
    <key id="d1" for="node" attr.name="Latitude" attr.type="double"/>
    <key id="d2" for="node" attr.name="label" attr.type="string"/>
    <key id="d3" for="edge" attr.name="weight" attr.type="double"/>
    <key id="d4" for="edge" attr.name="delay" attr.type="string"/>
    <key id="d5" for="graph" attr.name="label" attr.type="string"/>
    <graph edgedefault=")" +
         edges + "\"><data key=\"d5\">net</data>" + body + "</graph></graphml>";
}
std::string node(const std::string& id, const std::string& label, const std::string& lon = "",
                 const std::string& lat = "") {
  std::string text = "<node id=\"" + id + "\"><data key=\"d2\">" + label + "</data>";
  if (!lon.empty()) text += "<data key=\"d0\">" + lon + "</data>";
  if (!lat.empty()) text += "<data key=\"d1\">" + lat + "</data>";
  return text + "</node>";
}
std::string edge(const std::string& a, const std::string& b, const std::string& more = "") {
  return "<edge source=\"" + a + "\" target=\"" + b + "\">" + more + "</edge>";
}

}  // namespace

TEST_CASE("graph file: GraphML nodes keep their order, labels and degrees, edges their attributes") {
  for (const char* kind : {"undirected", "directed"}) {
    File file("g.graphml",
              graphml(node("z", "Kyiv", "30.5", "50.45") + node("y", "Oslo", "10.75", "59.91") +
                          node("x", "Rome", "12.5", "41.9") +
                          edge("x", "z", "<data key=\"d3\">2.5</data><data key=\"d4\">7</data>") +
                          edge("y", "z", "<data key=\"d3\">1</data><data key=\"d4\">9</data>"),
                      kind));
    file.options.latency = "delay";
    file.options.latency_unit = LatencyUnit::kMillisecond;
    const Draft d = file.read();
    CHECK(d.names == Names{"Kyiv", "Oslo", "Rome"});
    CHECK(d.places == std::vector<Place>{{30.5, 50.45, true}, {10.75, 59.91, true}, {12.5, 41.9, true}});
    CHECK(pairs(d) == Pairs{{0, 1}, {0, 2}});
    CHECK(d.weight == std::vector<double>{1, 2.5});
    CHECK(d.latency[0] == Approx(0.009));
    CHECK(d.latency[1] == Approx(0.007));
    const Topology t = make_topology(file.options, 3, Streams(1, 0));
    CHECK(t.weight(t.edge(0, 2)) == 2.5);
    CHECK(t.latency()[t.edge(0, 1)] == Approx(0.009));
    CHECK(t.latency()[t.edge(2, 0)] == Approx(0.007));
  }
  File nameless("g.xml", graphml("<node id=\"a\"/><node id=\"b\"/>" + edge("a", "b")));
  CHECK(nameless.read().names == Names{"0", "1"});
  CHECK(nameless.read().places.empty());
}

TEST_CASE("graph file: DOT, directed or not, in the order of names") {
  for (const char* text : {"graph g { b -- a; \"c d\" -- a [weight=3, latency=0.25]; a -- b }",
                           "digraph { b -> a; \"c d\" -> a [weight=3 latency=0.25] }"}) {
    File file("g.dot", text);
    CHECK_THAT(file.error(), Catch::Contains("has no weight, which other links have"));
    file.options.weight = "w";
    CHECK_THAT(file.error(), Catch::Contains("no link has the attribute 'w'"));
  }
  CHECK_THAT(File("l.dot", "graph { a -- b [latency=1]; b -- c }").error(),
             Catch::Contains("link node 'b' - node 'c': has no latency, which other links have"));
  File numbers("g.gv",
               "digraph { 10 -> 9 [weight=2]; 9 -> 100 [weight=5]; 9 -> 10 [weight=4]; 100 [x=1, y=-2] ; "
               "9 [lon=4] }");
  CHECK_THAT(numbers.error(), Catch::Contains("node '9': has a Longitude and no Latitude"));
  numbers.options.missing_coordinates = MissingCoordinates::kIgnore;
  const Draft d = numbers.read();
  CHECK(d.names == Names{"9", "10", "100"});
  CHECK(pairs(d) == Pairs{{0, 1}, {0, 2}});
  CHECK(d.weight == std::vector<double>{4, 5});
  CHECK(d.places.empty());
}

TEST_CASE("graph file: edge lists with any delimiter, with or without a header") {
  const Pairs expected{{0, 1}, {1, 2}};
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"a.csv", "source,target,weight,latency\n1,2,0.5,0.01\n2,10,2,0.02\n"},
           {"b.csv", "# comment\n\n% another\r\n1,2,0.5,0.01\r\n2,10,2,0.02\r\n"},
           {"c.tsv", "latency\tTarget\tSOURCE\tother\tweight\n0.01\t2\t1\tx\t0.5\n0.02\t10\t2\ty\t2\n"},
           {"d.txt", "1 2  0.5 0.01\n 2 10 2 0.02"},
           {"e.csv", "1;2;0.5;0.01\n\"2\";10;2;0.02\n"}}) {
    INFO(name);
    const Draft d = File(name, text).read();
    CHECK(d.names == Names{"1", "2", "10"});
    CHECK(pairs(d) == expected);
    CHECK(d.weight == std::vector<double>{0.5, 2});
    CHECK(d.latency == std::vector<double>{0.01, 0.02});
  }
  const Draft names = File("n.csv", "\"Bonn, old\",Aachen\nAachen,Celle\n").read();
  CHECK(names.names == Names{"Aachen", "Bonn, old", "Celle"});
  CHECK(names.weight.empty());
  CHECK(names.latency.empty());
}

TEST_CASE("graph file: a byte order mark is no part of a name, a tab between words separates them") {
  const std::string mark = "\xEF\xBB\xBF";
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"a.csv", mark + "0,1\n1,2\n2,3\n3,0\n"},
           {"b.csv", mark + "source,target\n0,1\n1,2\n2,3\n3,0\n"},
           {"c.csv", mark + "# comment\n0,1\n1,2\n2,3\n3,0\n"},
           {"d.txt", "0 1\n1 2\t\n2\t3\n3 0\n"},
           {"e.dot", mark + "graph { 0 -- 1 -- 2 -- 3 -- 0 }"}}) {
    INFO(name);
    const Draft d = File(name, text).read();
    CHECK(d.names == Names{"0", "1", "2", "3"});
    CHECK(pairs(d) == Pairs{{0, 1}, {0, 3}, {1, 2}, {2, 3}});
  }
}

TEST_CASE("graph file: DOT, links of subgraphs are refused, subgraphs are not") {
  for (const char* text :
       {"graph { subgraph s { a--b } -- c; c--d; d--a }", "graph { c -- subgraph s { a--b } }",
        "graph { subgraph s { a; b } /* } */ -- c }", "graph { a -- { b c d } }", "digraph { a -> { b } }",
        "graph { subgraph s { a--b } Subgraph s -- c }"}) {
    INFO(text);
    CHECK(File("s.dot", text).error() ==
          "s.dot: expected links between nodes, found one of a subgraph: write its links one by one");
  }
  const Draft d = File("s.dot",
                       "graph { // } -- {\n subgraph s { a--b }\n b--c [label=\"} -- {\"]; c--d\n"
                       "/* -- { */ }")
                      .read();
  CHECK(d.names == Names{"a", "b", "c", "d"});
  CHECK(pairs(d) == Pairs{{0, 1}, {1, 2}, {2, 3}});
}

TEST_CASE(
    "graph file: repeated links are merged, with the largest weight and the least latency, or an error") {
  File file("m.csv", "source,target,weight,latency\na,b,1,3\nb,c,1,1\nb,a,4,2\na,b,2,5\n");
  const Draft d = file.read();
  CHECK(pairs(d) == Pairs{{0, 1}, {1, 2}});
  CHECK(d.weight == std::vector<double>{4, 1});
  CHECK(d.latency == std::vector<double>{2, 1});
  CHECK(d.notes == Names{"2 of 4 links are parallel to another one and are merged"});
  file.options.duplicate_edges = DuplicateEdges::kError;
  CHECK(file.error() ==
        "m.csv: node 'a' and node 'b' are linked more than once: set duplicate_edges to merge");
}

TEST_CASE(
    "graph file: nodes without coordinates are an error, placed by their neighbours or dropped, or no "
    "coordinates are read") {
  // West and east of the date line at the equator; P is linked to both, Q to P alone.
  File file("c.graphml",
            graphml(node("0", "W", "170", "0") + node("1", "P") + node("2", "E", "-170", "0") +
                    node("3", "Q") + edge("0", "1") + edge("1", "2") + edge("1", "3") + edge("0", "2")));
  CHECK(file.error() ==
        "c.graphml: 2 of 4 nodes have no coordinates, node 'P' among them: set missing_coordinates");
  file.options.missing_coordinates = MissingCoordinates::kNeighboursMean;
  Draft d = file.read();
  CHECK(std::abs(d.places[1].x) == Approx(180));
  CHECK(d.places[1].y == Approx(0).margin(1e-9));
  CHECK(std::abs(d.places[3].x) == Approx(180));
  CHECK(d.notes == Names{"2 nodes without coordinates are placed at the mean of their neighbours"});
  file.options.missing_coordinates = MissingCoordinates::kDrop;
  d = file.read();
  CHECK(d.names == Names{"W", "E"});
  CHECK(pairs(d) == Pairs{{0, 1}});
  CHECK(d.places == std::vector<Place>{{170, 0, true}, {-170, 0, true}});
  file.options.missing_coordinates = MissingCoordinates::kIgnore;
  CHECK(file.read().places.empty());

  File plane("c.dot", "graph { a [x=0,y=0]; b [x=2,y=4]; a -- m -- b; m -- c; c [x=1, y=2] }");
  plane.options.missing_coordinates = MissingCoordinates::kNeighboursMean;
  CHECK(plane.read().places[3] == Place{1, 2, false});
  File alone("c.dot", "graph { a [x=0,y=0]; a -- b; c -- d }");
  alone.options.missing_coordinates = MissingCoordinates::kNeighboursMean;
  CHECK_THAT(alone.error(), Catch::Contains("2 nodes and all their neighbours have no coordinates"));
}

TEST_CASE("graph file: errors are one line that names the file") {
  const auto error = [](const std::string& name, const std::string& text) {
    const std::string line = File(name, text).error();
    INFO(line);
    CHECK(line.starts_with(name + ": "));
    CHECK(line.find('\n') == std::string::npos);
    return line;
  };
  using Catch::Contains;
  CHECK_THAT(error("x.csv", "a,b\nb,b\n"), Contains("node 'b' is linked to itself"));
  CHECK_THAT(error("x.graphml", graphml(node("0", "Oslo") + edge("0", "0"))),
             Contains("'Oslo' is linked to itself"));
  CHECK_THAT(error("x.csv", ""), Contains("has no nodes"));
  CHECK_THAT(error("x.csv", "# nothing\n"), Contains("has no nodes"));
  CHECK_THAT(error("x.csv", "a,b\nc\n"), Contains("line 2: expected two nodes, found 'c'"));
  CHECK_THAT(error("x.csv", "a,b\n,c\n"), Contains("line 2: expected two nodes"));
  CHECK_THAT(error("x.csv", "a,b,1,2,3\n"), Contains("at most 4 fields, found 5"));
  CHECK_THAT(error("x.csv", "source,b\na,b\n"), Contains("expected the columns source and target"));
  CHECK_THAT(error("x.csv", "a,b,heavy\n"), Contains("expected a number as weight, found 'heavy'"));
  CHECK_THAT(error("x.csv", "a,b,1,nan\n"), Contains("expected a number as latency, found 'nan'"));
  CHECK_THAT(error("x.csv", "a,b,-1\n"), Contains("expected weight of at least 0, found -1"));
  CHECK_THAT(error("x.csv", "a,b,1\nb,c\n"), Contains("has no weight, which other links have"));
  CHECK_THAT(error("x.csv", "a,b\nb,c,1\n"),
             Contains("node 'a' - node 'b': has no weight, which other links have"));
  CHECK_THAT(error("x.csv", "a,\"b\n"), Contains("line 1: expected a closing quote"));
  CHECK_THAT(error("x.csv", std::string("a,b\0c\n", 6)), Contains("line 1: expected text"));
  CHECK_THAT(error("x.graphml", "<graphml>"), Contains("is not GraphML"));
  CHECK_THAT(error("x.graphml", "a,b\n"), Contains("is not GraphML"));
  CHECK_THAT(error("x.graphml", graphml(node("0", "a", "200", "0"))),
             Contains("expected Longitude in [-180, 180]"));
  CHECK_THAT(error("x.graphml", graphml(node("0", "a", "0", "90.5"))),
             Contains("expected Latitude in [-90, 90]"));
  CHECK_THAT(error("x.graphml", graphml(node("0", "a", "east", "0"))),
             Contains("expected a number as Longitude"));
  CHECK_THAT(error("x.dot", "graph { a -- "), Contains("is not DOT"));
  CHECK_THAT(error("x.dot", "graph { a -- b; a [x=1,y=1]; b [lon=1,lat=1] }"),
             Contains("some nodes have coordinates in degrees, others in a plane"));
  std::string deep;
  for (int k = 0; k < 200'000; ++k) deep += "<a>";
  CHECK_THAT(error("x.graphml", deep), Contains("expected nesting of at most 100 levels"));
  CHECK_THAT(error("x.dot", "graph {" + std::string(200'000, '{')),
             Contains("expected nesting of at most 100 levels"));
}
