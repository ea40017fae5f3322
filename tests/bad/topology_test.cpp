// Unusable graphs are refused before any run, in one line with exit code 2.
#include <fmt/format.h>

#include <algorithm>

#include "tests/support/process.hpp"

using namespace hearsay;
using test::Scratch;

namespace {

// Three owners and a hub on `topology`; `dir` holds the graph files.
void check(const Scratch& dir, const std::string& topology, const std::string& part) {
  dir.write("x.json", test::small_scenario(R"("network": {"topology": )" + topology + "}"));
  std::string text = test::text_of(dir / "x.json");
  const std::size_t first = text.find("  \"network\"");
  text.erase(first, text.find('\n', first) + 1 - first);  // the scenario's own
  dir.write("x.json", text);
  const std::string line = test::refusal(dir, "run x.json");
  CHECK_THAT(line, Catch::Contains("/network/topology") && Catch::Contains(part));
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK_FALSE(std::filesystem::exists(dir / "out"));
}
void check_file(const std::string& name, const std::string& graph, const std::string& part,
                const std::string& more = "") {
  const Scratch dir;
  dir.write(name, graph);
  check(dir, fmt::format(R"({{"type": "file", "path": "{}"{}}})", name, more), part);
}

}  // namespace

TEST_CASE("bad topology: invalid graph files") {
  check_file("g.csv", "0,1\n1,1\n", "g.csv: node '1' is linked to itself");
  check_file("g.csv", "0,1\n2,3\n", "found 2 components: set connected to largest_component or connect",
             R"(, "overlay": {"type": "star"})");
  check_file("g.csv", "0,1\n0,2\n0,3\n4,5\n", "found 2 components");
  check_file("g.csv", "0,1\n0,2\n0,2\n0,3\n", "linked more than once", R"(, "duplicate_edges": "error")");
  check_file("g.csv", "0,1\n0,2\n", "expected at least 4 nodes, one for each agent, found 3");
  check_file("g.csv", "0,1\n1,2\n2,3\n", "requires a link from agent 0 to every owner; agent 2 has none");
  check_file("g.dot", "graph { a -- b -- c -- d; a [x=1, y=2] }",
             "g.dot: 3 of 4 nodes have no coordinates, node 'b' among them: set missing_coordinates");
  check_file("g.dot", "graph { edge [latency=1]; a -- b -- c -- d }",
             "expected the name of a node or a number below 4, found 'hub'",
             R"(, "overlay": {"type": "star", "hub": "hub"})");
  check_file("g.csv", "0,1\n0,2\n0,3\n", "the graph has no weights", R"(, "weights": "given")");
  check_file("g.graphml", "not a graph", "g.graphml: is not GraphML");
}

TEST_CASE("bad topology: files outside the allowed folders, or missing") {
  const Scratch dir;
  std::filesystem::create_symlink("/etc/passwd", dir / "link");
  for (const char* path : {"/etc/passwd", "../x.csv", "/dev/zero", "link", "nowhere.csv"}) {
    INFO(path);
    check(dir, fmt::format(R"({{"type": "file", "path": "{}"}})", path), "/network/topology/path: file \"");
  }
}

TEST_CASE("bad topology: impossible graphs") {
  const Scratch dir;
  check(dir, R"({"type": "erdos_renyi", "mean_degree": 5})", "expected a mean_degree of at most 3, found 5");
  check(dir, R"({"type": "erdos_renyi", "probability": 0, "connected": "largest_component"})",
        "expected at least 4 nodes, one for each agent, found 1: the largest of 4 components is kept: 1 of 4 "
        "nodes");
  check(dir, R"({"type": "random_regular", "degree": 4})", "no simple graph");
  check(dir, R"({"type": "grid", "columns": 3})", "expected a divisor of 4 agents as columns, found 3");
  check(dir, R"({"type": "hypercube", "dimension": 3})", "expected 2^3 = 8 agents in a hypercube, found 4");
  check(dir, R"({"type": "watts_strogatz", "neighbours": 4})",
        "expected at least 6 agents for a small world of 4 neighbours, found 4");
  check(dir, R"({"type": "barabasi_albert", "links": 4})",
        "expected at least 5 agents for 4 links per agent, found 4");
  check(dir, R"({"type": "stochastic_block", "sizes": [2, 3]})",
        "expected block sizes with the sum 4, found 5");
  check(dir, R"({"type": "complete", "size": 3})",
        "size: expected at least 4, a node for each agent, found 3");
  check(dir, R"({"type": "ring", "overlay": {"type": "star"}})", "neither latency nor length");
  check(dir, R"("similarity")", "the data define no similarity graph");
}
