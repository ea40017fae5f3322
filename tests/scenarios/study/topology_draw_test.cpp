// When the network is drawn, and what of it makes a run another one.
#include <set>

#include "scenarios/execution/experiment.hpp"
#include "scenarios/study/plan.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

// Three owners and a hub at random places; a link to the hub has the length of the shortest path.
std::string geometric(const std::string& more) {
  return R"(network.topology={"type": "random_geometric", "radius": 2, "overlay": {"type": "star", "hub": "0"})" +
         more + "}";
}

std::set<std::string> notes(const scenarios::Plan& plan) {
  std::set<std::string> all;
  for (std::uint32_t r = 0; r < plan.points[0].repeat; ++r) {
    const auto instance = plan.points[0].scenario->draws_anew() ? r : 0;
    const scenarios::Experiment one(*plan.points[0].scenario, scenarios::solve(*plan.points[0].scenario, 0),
                                    instance);
    for (const std::string& note : one.describe_point({}).notes) {
      if (note.starts_with("topology")) all.insert(note);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("topology draw: one graph for the study, or another for each repetition") {
  const Scratch dir;
  // The centre of four random places is another one in some of twelve repetitions.
  const auto plan = [&](const std::string& more) {
    return scenarios::make_plan(
        dir.write("s.json", small_scenario(R"("repeat": 12)")),
        {R"(network.topology={"type": "random_geometric", "radius": 2, "overlay": {"type": "star"})" + more +
         "}"},
        {});
  };
  CHECK(notes(plan("")).size() == 1);
  CHECK(notes(plan(R"(, "draw": "repetition")")).size() > 1);
}

TEST_CASE(
    "topology draw: runs with their own graphs are the same for any number of threads, and are cached") {
  const test::StudyFolder dir(R"("repeat": 6)");
  const std::string set = " --no-progress --set '" + geometric(R"(, "draw": "repetition")") + "'";
  const std::string at = "hearsay run s.json";
  REQUIRE(shell(dir, at + set + " -o one -j 1").code == 0);
  REQUIRE(shell(dir, at + set + " -o four -j 4").code == 0);
  test::check_same_files(dir / "one", dir / "four", {"series.csv", "scalars.csv"});
  const auto again = shell(dir, at + set + " -o one");
  CHECK(again.code == 0);
  CHECK(test::text_of(dir / "one/series.csv") == test::text_of(dir / "four/series.csv"));
  // The scalars of a point are then those of each of its runs.
  const std::string scalars = test::text_of(dir / "one/scalars.csv");
  CHECK(test::occurrences(scalars, "optimum.objective") == 6);
}

TEST_CASE("topology draw: a graph file counts in the key of a run by its contents") {
  const test::StudyFolder dir;
  const auto key = [&](const std::string& name, const std::string& text) {
    dir.write(name, text);
    const std::string set = R"(network.topology={"type": "file", "path": ")" + name + "\"}";
    return scenarios::make_plan(dir / "s.json", {set}, {}).points[0].key;
  };
  const std::string star = "0,1\n0,2\n0,3\n";
  CHECK(key("a.csv", star) == key("b.csv", star));
  CHECK(key("a.csv", star) != key("b.csv", star + "1,2\n"));
  CHECK(key("a.csv", star) != scenarios::make_plan(dir / "s.json", {}, {}).points[0].key);
}

TEST_CASE("topology draw: a graph file runs, and the manifest notes its changes") {
  const test::StudyFolder dir;
  dir.write("graph.csv", "b,a\na,b\na,c\na,d\na,e\n");
  test::ended_with(dir, R"(run s.json -o out --no-progress )"
                        R"(--set 'network.topology={"type": "file", "path": "graph.csv"}')");
  const std::string manifest = test::text_of(dir / "out/manifest.json");
  CHECK_THAT(manifest, Catch::Contains("topology: 1 of 5 links are parallel to another one and are merged"));
  CHECK_THAT(manifest, Catch::Contains("topology: 4 of 5 nodes have agents (first)"));
}
