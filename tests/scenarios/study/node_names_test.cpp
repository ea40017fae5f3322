// Agents by the names of their nodes in a scenario: what a name stands for, and what is said of one that stands for none.
#include "scenarios/study/node_names.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "scenarios/study/plan.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;

namespace {

// Five nodes on a path, which is not in the order of the file: Ada - Eve - Bob - Dan, with Cy at the end.
constexpr const char* kFive =
    "graph { Ada [x=0, y=0]; Bob [x=2, y=0]; Cy [x=4, y=0]; Dan [x=3, y=0]; Eve [x=1, y=0];\n"
    "Ada -- Eve; Eve -- Bob; Bob -- Dan; Dan -- Cy }";

// A study of these options on a graph file, with further options of its topology.
class StudyOnGraph {
 public:
  explicit StudyOnGraph(const std::string& graph = kFive) { dir_.write("g.dot", graph); }

  scenarios::Plan plan(const std::string& options, const std::string& more = "",
                       const std::string& data = kOwners) const {
    return scenarios::make_plan(file(options, more, data), {}, {dir_.path()});
  }
  std::string key(const std::string& options, const std::string& more = "",
                  const std::string& data = kOwners) const {
    return plan(options, more, data).points.at(0).key;
  }
  /// Without the name of the file.
  std::string refusal(const std::string& options, const std::string& more = "",
                      const std::string& data = kOwners) const {
    const std::string message = test::error_of<sim::Error>([&] { plan(options, more, data); });
    const auto at = message.find("s.json:");
    return at == std::string::npos ? message : message.substr(at + 7);
  }
  const test::Scratch& dir() const { return dir_; }

  static constexpr const char* kOwners = R"({"type": "lending_like", "owners": 5, "features": 2})";

 private:
  std::string file(const std::string& options, const std::string& more, const std::string& data) const {
    return dir_.write("s.json",
                      fmt::format(R"({{"data": {}, "protocol": {{"type": "dpsgd_gossip", "step": 0.1}},
      "privacy": {{"mechanism": "none"}}, "stop": {{"time": "9 s", "iterations": 50}}, "record": {{"metrics": ["objective"]}},
      "network": {{"topology": {{"type": "file", "path": "g.dot"{}}}}},
{}}})",
                                  data, more, options));
  }
  test::Scratch dir_;
};

std::string crash(const std::string& agents) {
  return R"("events": [{"at": "1 s", "crash": )" + agents + "}]";
}

const std::string kExpected = "expected an agent, by its number from 0 to 4 or its name, found ";

}  // namespace

TEST_CASE("node names: wherever a scenario has an agent, its name is its number") {
  // The nodes of a DOT file are in the order of their names: Ada is agent 0, and Eve is agent 4.
  const auto written = [](const std::string& bob, const std::string& eve) {
    return fmt::format(R"("network": {{"topology": {{"type": "file", "path": "g.dot"}},
      "latency": {{"default": 1, "agents": {{{0}: {{"type": "uniform", "min": 1, "max": 2}}, "2": 3}}}},
      "loss": {{"type": "any", "of": [0.1, {{"type": "partition", "agents": [{1}], "to": "1 s"}}]}},
      "compute_time": {{"default": 0, "agents": {{{0}: "1 s"}}}},
      "availability": {{"type": "all", "of": [
        {{"type": "outages", "outages": [{{"agents": [{1}, 0], "from": "2 s", "to": "3 s"}}]}},
        {{"type": "group", "groups": [{{"name": "a", "agents": [3, {1}]}}], "up": "5 s", "down": "1 s"}}]}}}},
      "clocks": {{"type": "trace", "times": [1, 2], "agents": [{1}, 3]}},
      "events": [{{"at": "1 s", "crash": [{2}, 3], "for": "1 s"}}, {{"at": "3 s", "partition": [{1}], "for": "1 s"}},
                 {{"at": "4 s", "leave": [{1}]}}, {{"at": "5 s", "join": [{1}]}},
                 {{"at": "6 s", "set": {{"network.latency": {{"default": 1, "agents": {{{0}: 4}}}}}}}}],
      "adversaries": [{{"agents": [{2}], "behaviour": {{"type": "mimic", "of": {1}}}}}],
      "privacy": {{"mechanism": "gaussian", "clip": 1, "steps": 9, "delta": 1e-5, "epsilon": 1,
                   "adversaries": [{{"agents": [{1}, 0]}}, {{"links": [[{2}, {1}], [{1}, 0]]}}]}},
      "record": {{"metrics": ["objective"], "trace": {{"agent": {1}}}}})",
                       bob.starts_with('"') ? bob : '"' + bob + '"', eve, bob);
  };
  const auto plan = [](const std::string& options) {
    const test::Scratch dir;
    dir.write("g.dot", kFive);
    return scenarios::make_plan(
        dir.write("s.json",
                  R"({"data": {"type": "lending_like", "owners": 5, "features": 2}, "stop": {"time": "9 s"},
          "protocol": {"type": "dpsgd_gossip", "step": 0.1}, )" +
                      options + "}"),
        {}, {});
  };
  const scenarios::Plan by_name = plan(written("\"Bob\"", "\"Eve\"")), by_number = plan(written("1", "4"));
  CHECK(by_name.points[0].key == by_number.points[0].key);
  CHECK(by_name.resolved == by_number.resolved);
  CHECK(by_name.record_key == by_number.record_key);
  CHECK_THAT(by_name.origin.at("scenario"), Catch::Contains(R"("crash":["Bob",3])"));
}

TEST_CASE("node names: agents are the nodes that the topology leaves, in its order") {
  const StudyOnGraph graph;
  CHECK(graph.key(crash(R"(["Cy"])")) == graph.key(crash("[2]")));
  // Cy becomes the hub, agent 0, and those before it move by one.
  const std::string star = R"(, "overlay": {"type": "star", "hub": "Cy"})";
  CHECK(graph.key(crash(R"(["Cy"])"), star) == graph.key(crash("[0]"), star));
  CHECK(graph.key(crash(R"(["Bob"])"), star) == graph.key(crash("[2]"), star));
  // The three nearest to Ada are Ada, Bob and Eve, in the order of the file.
  const std::string three = R"({"type": "lending_like", "owners": 3, "features": 2})",
                    nearest = R"(, "nodes": "nearest")";
  CHECK(graph.key(crash(R"(["Eve"])"), nearest, three) == graph.key(crash("[2]"), nearest, three));
  CHECK(graph.refusal(crash(R"(["Cy"])"), nearest, three) ==
        "4:36: /events/0/crash/0: expected an agent, by its number from 0 to 2 or its name, found 'Cy'");
  const StudyOnGraph parts("graph { Ada -- Bob; Cy -- Dan; Dan -- Eve; Cy -- Eve }");
  const std::string largest = R"(, "connected": "largest_component")";
  CHECK(parts.key(crash(R"(["Dan"])"), largest, three) == parts.key(crash("[1]"), largest, three));
}

TEST_CASE("node names: where the data decide how many agents there are, names are those of the first nodes") {
  const StudyOnGraph graph;
  graph.dir().write("d.csv", "x,y,who\n1,2,a\n2,3,b\n3,5,c\n");
  const std::string data = R"({"type": "csv", "path": "d.csv", "target": "y", "owner": {"column": "who"}})";
  const std::string links = R"(, "connected": "connect")";
  CHECK(graph.key(crash(R"(["Bob"])"), links, data) == graph.key(crash("[1]"), links, data));
  CHECK(graph.refusal(crash(R"(["Bob"])"), R"(, "nodes": "nearest")", data) ==
        "4:36: /events/0/crash/0: expected the number of an agent, because network.topology.nodes depends on "
        "the number of owners, which is not known before the data are read");
}

TEST_CASE("node names: nodes that are drawn have no names that a scenario could use") {
  const std::string three = R"({"type": "lending_like", "owners": 3, "features": 2})",
                    random = R"(, "nodes": "random")";
  const StudyOnGraph graph(
      "graph { Ada -- Eve; Eve -- Bob; Bob -- Dan; Dan -- Cy; Cy -- Ada; Ada -- Bob; Ada -- Dan; "
      "Bob -- Cy; Cy -- Eve; Dan -- Eve }");
  CHECK(graph.refusal(crash(R"(["Eve"])"), random, three) ==
        "4:36: /events/0/crash/0: expected the number of an agent, because network.topology.nodes draws the "
        "nodes that have agents");
  CHECK(graph.key(crash(R"(["Eve"])"), random) == graph.key(crash("[4]"), random));
}

TEST_CASE("node names: another name is refused where it is written, with the nearest") {
  const StudyOnGraph graph;
  CHECK(graph.refusal(crash(R"([1, "Evee"])")) ==
        "4:39: /events/0/crash/1: " + kExpected + "'Evee'; did you mean 'Eve'?");
  CHECK(graph.refusal(R"("clocks": {"rate": {"default": 1, "agents": {"Dann": 2}}})") ==
        "4:46: /clocks/rate/agents/Dann: " + kExpected + "'Dann'; did you mean 'Dan'?");
  // Both are agent 3; an error in the value of a name has the name.
  CHECK(graph.refusal(R"("clocks": {"rate": {"default": 1, "agents": {"3": 1, "Dan": 2}}})") ==
        "4:54: /clocks/rate/agents/Dan: agent 3 has a value already, as '3': remove one");
  CHECK_THAT(graph.refusal(R"("clocks": {"rate": {"default": 1, "agents": {"Dan": -2}}})"),
             Catch::StartsWith("4:53: /clocks/rate/agents/Dan: expected a value of at least 0"));
  CHECK(graph.refusal(crash(R"(["Bob", 1])")) == "4:35: /events/0/crash: agent 1 is named twice: remove one");
}

TEST_CASE("node names: digits are the number of an agent, also where a node is called so") {
  const StudyOnGraph graph("graph { 10 -- 11; 11 -- 12; 12 -- 13; 13 -- 14 }");
  CHECK(graph.refusal(crash(R"(["11"])")) ==
        "4:36: /events/0/crash/0: expected the number or name of an agent, without quotes, found \"11\"");
  CHECK(graph.refusal(crash("[11]")) == "4:35: /events/0/crash: expected agents 0 to 4, found agent 11");
}

TEST_CASE(
    "node names: two nodes with one name need their numbers, and a graph without names has only numbers") {
  // Nodes of GraphML have labels.
  const StudyOnGraph twice(
      R"(<graphml><key id="l" for="node" attr.name="label" attr.type="string"/><graph edgedefault="undirected">
    <node id="a"><data key="l">Ada</data></node><node id="b"><data key="l">Bob</data></node>
    <node id="c"><data key="l">Ada</data></node><edge source="a" target="b"/><edge source="b" target="c"/>
    </graph></graphml>)");
  const std::string three = R"({"type": "lending_like", "owners": 3, "features": 2})",
                    graphml = R"(, "format": "graphml")";
  CHECK(
      twice.refusal(crash(R"(["Ada"])"), graphml, three) ==
      "4:36: /events/0/crash/0: expected an agent, by its number from 0 to 2 or its name, found 'Ada', the name of "
      "agents 0 and 2");
  CHECK(twice.key(crash(R"(["Bob"])"), graphml, three) == twice.key(crash("[1]"), graphml, three));
  const StudyOnGraph graph;
  const auto ring = [&](const std::string& options) {
    return test::error_of<sim::Error>([&] {
      scenarios::make_plan(graph.dir().write("s.json", R"({"protocol": {"type": "dpsgd_gossip", "step": 0.1},
        "privacy": {"mechanism": "none"}, "stop": {"time": "9 s", "iterations": 50}, "network": {"topology": "ring"}, )" +
                                                           options + "}"),
                           {}, {});
    });
  };
  CHECK_THAT(ring(crash(R"(["Ada"])")),
             Catch::EndsWith(
                 "/events/0/crash/0: expected the number of an agent, because the network's graph has no "
                 "names, found 'Ada'"));
}

TEST_CASE("node names: a sweep has the names as its labels, and names the point of a wrong one") {
  const StudyOnGraph graph;
  const std::string swept = crash("[0]") + R"(, "sweep": {"events.0.crash.0": )";
  const scenarios::Plan by_name = graph.plan(swept + R"(["Bob", "Eve", 2]})"),
                        by_number = graph.plan(swept + "[1, 4, 2]}");
  CHECK(by_name.points[1].labels == std::vector<std::string>{"Eve"});
  for (std::size_t p = 0; p < 3; ++p) CHECK(by_name.points[p].key == by_number.points[p].key);
  CHECK_THAT(graph.refusal(swept + R"(["Bob", "Evee"]})"),
             Catch::EndsWith("/events/0/crash/0: " + kExpected +
                             "'Evee'; did you mean 'Eve'? (point 1: events.0.crash.0=Evee)"));
  // Each point of a sweep over graphs has the names of its own.
  graph.dir().write("h.dot", "graph { A0 -- Bob; Bob -- Ca; Ca -- D; D -- Eve; A0 -- Aa; }");
  const std::string graphs =
      crash(R"(["Ca"])") + R"(, "sweep": {"network.topology.path": ["g.dot", "h.dot"]})";
  CHECK_THAT(graph.refusal(graphs), Catch::Contains("found 'Ca'; did you mean 'Cy'? (point 0: "));
}

TEST_CASE("node names: branches and settings of the command line take names") {
  const StudyOnGraph graph;
  const auto branch = [](const std::string& agent) {
    return R"("branches": {"at": "1 s", "set": [{}, {"events": [{"at": "2 s", "crash": [)" + agent +
           R"(]}], "network.latency": {"default": 1, "agents": {"Cy": 2}}}]})";
  };
  CHECK(graph.plan(branch("\"Bob\"")).points[1].key == graph.plan(branch("1")).points[1].key);
  CHECK_THAT(
      graph.refusal(branch("\"Bobb\"")),
      Catch::Contains("/branches/set/1/events/0/crash/0: " + kExpected + "'Bobb'; did you mean 'Bob'?"));
  const auto set = [&](const std::string& value) {
    graph.plan(crash("[0]"));
    return scenarios::make_plan(graph.dir() / "s.json", {"events.0.crash.0=" + value}, {}).points[0].key;
  };
  CHECK(set("Eve") == set("4"));
}

TEST_CASE("node names: what hides them is said once, and alone") {
  const std::string both =
      R"("events": [{"at": "1 s", "crash": ["Ada", "Bob"]}, {"at": "2 s", "crash": ["Cyy"]}])";
  const auto lines = [&](const StudyOnGraph& graph, const std::string& data) {
    try {
      graph.plan(both, "", data);
    } catch (const scenarios::InputError& e) {
      return e.lines();
    }
    return std::vector<std::string>();
  };
  const auto cut =
      lines(StudyOnGraph("graph { Ada -- Bob; Cy -- Dan; Ada -- Eve; z -- Cy }"), StudyOnGraph::kOwners);
  REQUIRE(cut.size() == 1);
  CHECK_THAT(cut[0], Catch::Contains(
                         "s.json:3:31: /network/topology: expected a connected network, found 2 components"));
  const auto data = lines(StudyOnGraph(), R"({"type": "lending_like", "ownrs": 5})");
  // The protocol's rule fails after the events are read.
  const std::string rule = test::error_of<sim::Error>([&] {
    const StudyOnGraph graph;
    graph.refusal(both);
    scenarios::make_plan(
        graph.dir() / "s.json",
        {R"(protocol={"type": "muffliato", "step": 1, "accelerated": true, "aggregate": "median"})"}, {});
  });
  CHECK_THAT(rule, Catch::Contains("/protocol/aggregate: expected mean with accelerated"));
  REQUIRE(data.size() == 1);
  CHECK_THAT(data[0],
             Catch::Contains("/data/ownrs: unknown key 'ownrs' of 'lending_like'; did you mean 'owners'?"));
}
