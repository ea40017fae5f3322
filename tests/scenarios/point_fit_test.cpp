// Options that do not fit each other, refused by `validate` and by a dry run, before data are made.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using test::Scratch;
using test::shell;

namespace {

const std::string kPersonalOnRing =
    R"( --set 'protocol={"type": "p2p_coordinate_descent"}' --set network.topology=ring --set model.l2=0)"
    R"( --set privacy.mechanism=none --set 'record.metrics=["objective_q"]')";

// The line with which both refuse small_scenario() with these settings.
std::string misfit(const std::string& sets) {
  const Scratch dir;
  dir.write("s.json", test::small_scenario());
  std::string line;
  for (const char* command : {"validate s.json", "run s.json --dry-run"}) {
    const auto outcome = shell(fmt::format("cd {} && hearsay {} {}", dir.path().string(), command, sets));
    INFO(command << sets << "\n" << outcome.out << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    if (!line.empty()) CHECK(outcome.err == line);
    line = outcome.err;
  }
  return line;
}

}  // namespace

TEST_CASE("point fit: a delayed direction requires a hub") {
  const std::string to_hub = " --set network.delayed_direction=to_hub";
  CHECK_THAT(
      misfit(kPersonalOnRing + to_hub),
      Contains("/network/delayed_direction: expected both, because protocol p2p_coordinate_descent has "
               "no hub"));
  const Scratch dir;
  dir.write("s.json", test::small_scenario());
  CHECK(shell("hearsay validate " + dir / "s.json" + to_hub).code == 0);
  CHECK(shell("hearsay validate " + dir / "s.json" + kPersonalOnRing).code == 0);
}

TEST_CASE("point fit: numbers of records that no data set can have") {
  CHECK_THAT(misfit(R"(--set 'data.records={"type": "uniform", "min": 1, "max": 1e20}')"),
             Contains("/data/records: expected at most 1099511627776 (2^40) records, found up to 1e+20"));
  CHECK_THAT(misfit(R"(--set 'data.records={"type": "exponential", "mean": 1e15}')"),
             Contains("found up to 1e+15"));
}

TEST_CASE("point fit: more repetitions than a 32-bit number counts") {
  CHECK_THAT(misfit("--set repeat=4294967296"), Contains("[1, 4294967295], found 4294967296"));
}

TEST_CASE("point fit: a graph that cannot be made, or does not suit the protocol") {
  CHECK_THAT(
      misfit("--set network.topology=ring --set data.owners=5"),
      Contains("/network/topology: protocol central_async requires a link from agent 0 to every owner; "
               "agent 2 has none"));
  CHECK_THAT(misfit(kPersonalOnRing + R"( --set 'network.topology={"type": "random_regular", "degree": 7}')"),
             Contains("/network/topology: no simple graph of 3 agents has degree 7"));
  CHECK_THAT(misfit(kPersonalOnRing + " --set network.topology=similarity"),
             Contains("/network/topology: the data define no similarity graph"));
  CHECK_THAT(misfit("--set network.latency=distance"), Contains("/network/latency: "));
}

TEST_CASE("point fit: metrics that cannot be measured, and limits that cannot be reached") {
  CHECK_THAT(misfit(R"(--set 'record.metrics=["objective_q"]')"),
             Contains("/record/metrics/0: objective_q is a metric of p2p_coordinate_descent"));
  CHECK_THAT(misfit(R"(--set 'record.metrics=["test_error"]')"),
             Contains("/record/metrics/0: test_error requires test records"));
  CHECK_THAT(misfit("--set privacy.mechanism=none --set stop.budgets_spent=true"),
             Contains("/stop/budgets_spent: requires privacy budgets"));
  CHECK_THAT(misfit("--set privacy.schedule=lemma_3"),
             Contains("/privacy/schedule: central_async spreads its budget uniformly"));
}

TEST_CASE("point fit: the point of a sweep that does not fit is named") {
  CHECK_THAT(misfit(R"(--set 'sweep={"network.topology": ["star", "ring"]}' --set data.owners=5)"),
             Contains("agent 2 has none") && Contains("(point 1: network.topology=ring)"));
}
