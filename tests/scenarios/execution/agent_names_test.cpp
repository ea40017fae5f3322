// The names of agents: where they come from, and that commands take them where they take numbers.
#include "tests/support/figure_study.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

// A ring of four nodes, of which two have the same label and the last has none.
std::string ring(const test::Scratch& dir) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
      "<key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n<graph "
      "edgedefault=\"undirected\">\n";
  const char* const labels[] = {"Oslo", "Bergen", "Oslo", nullptr};
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("<node id=\"n{}\">", i);
    if (labels[i] != nullptr) text += fmt::format("<data key=\"label\">{}</data>", labels[i]);
    text += "</node>\n";
  }
  for (int i = 0; i < 4; ++i) text += fmt::format("<edge source=\"n{}\" target=\"n{}\"/>\n", i, (i + 1) % 4);
  return dir.write("ring.graphml", text + "</graph>\n</graphml>\n");
}

std::string peers(const std::string& graph, const std::string& data) {
  return fmt::format(R"({{"version": 1, "data": {}, "protocol": {{"type": "gossip_learning"}},
    "network": {{"topology": {{"type": "file", "path": "{}"}}}}, "privacy": {{"mechanism": "none"}},
    "stop": {{"time": "4 s"}}, "record": {{"every": {{"time": "1 s"}}, "metrics": ["objective"],
    "trace": {{"format": ["csv"]}}}}}})",
                     data, graph);
}

std::vector<std::string> names_in(const std::string& owners) {
  std::vector<std::string> all;
  for (const auto& row : rows_of(owners)) all.push_back(row.at(2));
  all.erase(all.begin());
  return all;
}

}  // namespace

TEST_CASE("names: agents have those of a graph file's nodes where the data do not name the owners") {
  const test::Scratch dir;
  const std::string graph = ring(dir);
  const std::string file = dir.write(
      "s.json", peers(graph, R"({"type": "lending_like", "owners": 4, "records": 20, "features": 2})"));
  const auto run = test::ended_with(dir, "run " + file + " -o out --no-progress");
  // The name of a node without a label is its number, which would be that of another agent.
  CHECK(names_in(dir / "out/owners.csv") == std::vector<std::string>{"Oslo", "Bergen", "Oslo", "owner 4"});
  CHECK_THAT(shell(dir, "hearsay trace " + file + " --format perfetto").out, Contains("Bergen"));

  dir.write("own.csv", "x,y,who\n1,2,a\n2,3,b\n3,5,c\n4,1,d\n");
  const std::string own = dir.write(
      "own.json",
      peers(graph, R"({"type": "csv", "path": "own.csv", "target": "y", "owner": {"column": "who"}})"));
  test::ended_with(dir, "run " + own + " -o own --no-progress");
  CHECK(names_in(dir / "own/owners.csv") == std::vector<std::string>{"a", "b", "c", "d"});
}

TEST_CASE("names: a run with agents by name is the run with their numbers, and keeps what was written") {
  const test::Scratch dir;
  std::string study =
      peers(ring(dir), R"({"type": "lending_like", "owners": 4, "records": 20, "features": 2})");
  const auto with = [&](const std::string& name, const std::string& agent) {
    std::string text = study;
    text.insert(1, fmt::format(R"("events": [{{"at": "1 s", "crash": [{}], "for": "2 s"}}], )", agent));
    return dir.write(name, text);
  };
  with("name.json", R"("Bergen")");
  with("number.json", "1");
  for (const char* name : {"name", "number"})
    test::ended_with(dir, fmt::format("run {0}.json -o {0} --no-progress", name));
  test::check_same_files(dir / "name", dir / "number", {"trace.csv", "series.csv"});
  CHECK_THAT(test::text_of(dir / "name/trace.csv"), Contains("crash"));
  CHECK_THAT(test::ended_with(dir, "run number.json -o name --no-progress").err,
             Contains("1 cached, 0 to run"));
  CHECK_THAT(
      test::refusal(dir, "validate name.json --set 'events.0.crash.0=Bregen'"),
      Contains("/events/0/crash/0: expected an agent, by its number from 0 to 3 or its name, found 'Bregen'; "
               "did you mean 'Bergen'?"));
}

TEST_CASE("names: a learner has that of its node, too") {
  const test::Scratch dir;
  dir.write("star.dot", "graph { edge [latency=1]; Ada -- Bob; Bob -- Cy }");
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 2, "records": 20, "features": 2},
    "protocol": {"type": "central_async", "rho": 1}, "privacy": {"mechanism": "none"}, "stop": {"iterations": 3},
    "network": {"topology": {"type": "file", "path": "star.dot", "latency_unit": "ms",
                             "overlay": {"type": "star", "hub": "Bob"}}, "latency": "1 ms"}})");
  const std::string by_number = test::ended_with(dir, "trace s.json --agent 0").out;
  CHECK(std::ranges::count(by_number, '\n') > 2);
  CHECK(test::ended_with(dir, "trace s.json --agent Bob").out == by_number);
  CHECK(test::ended_with(dir, "trace s.json --agent learner").out == by_number);
}

TEST_CASE("names: --agent takes a name that one agent has, or a number") {
  const test::Scratch dir;
  const std::string file = dir.write(
      "s.json", peers(ring(dir), R"({"type": "lending_like", "owners": 4, "records": 20, "features": 2})"));
  const auto by_name = test::ended_with(dir, "trace " + file + " --agent Bergen"),
             by_number = shell(dir, "hearsay trace " + file + " --agent 1");
  CHECK(by_name.out == by_number.out);
  CHECK(std::ranges::count(by_name.out, '\n') > 2);
  const auto refusal = [&](const std::string& agent) {
    return test::refusal(dir, "trace " + file + " --agent " + agent);
  };
  const std::string expected =
      "hearsay: --agent: expected an agent, by its number from 0 to 3 or its name, found ";
  CHECK(refusal("Oslo") == expected + "'Oslo', the name of agents 0 and 2\n");
  CHECK_THAT(refusal("Bregen"), Contains(expected + "'Bregen'") && Contains("did you mean 'Bergen'"));
  CHECK(refusal("4") == expected + "'4'\n");

  test::ended_with(dir, "run " + file + " -o out --no-progress");
  const auto report = shell(dir, "hearsay report out --agent Bergen");
  if (report.code == 4) return;  // built without the scripts that draw figures
  REQUIRE(report.code == 0);
  // Bergen and its two neighbours, of which one is as far away as it can be.
  const std::string page = test::text_of(dir / "out/report.html"), begin = R"(id="figures">)";
  const auto from = page.find(begin) + begin.size();
  const std::string drawn = test::drawings_of(page.substr(from, page.find("</script>", from) - from)).dump();
  CHECK_THAT(drawn, Contains("Shown is only what Bergen took part in.") &&
                        Contains(R"([\"Oslo (0)\",\"Bergen\",\"Oslo (2)\"][datum.value])"));
  test::ended_with(dir, "report out --agent Trondheim", 2);
}
