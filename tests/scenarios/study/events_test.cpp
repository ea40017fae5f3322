// A scenario's events and values by agent, through the program: in the trace, in tables, in run keys and in sweeps.
#include <cmath>
#include <map>
#include <set>

#include "tests/support/results.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using Catch::Contains;
using test::rows_of;

namespace {

// Six owners with periodic clocks: owner i asks at 0.1 i s, 1 + 0.1 i s, ...
std::string eventful_scenario(const std::string& more) {
  return R"({
  "data": { "type": "lending_like", "owners": 6, "records": 50, "features": 2 },
  "network": { "topology": "star", "latency": "10 ms",
               "compute_time": { "default": "20 ms", "agents": { "3": "300 ms" } } },
  "clocks": { "type": "periodic", "phase": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] },
  "protocol": { "type": "central_async", "rho": 1, "horizon": 1000 },
  "privacy": { "mechanism": "none" },
  "stop": { "time": "10 s" },
  "record": { "every": { "time": "1 s" }, "metrics": ["objective"], "trace": {} })" +
         (more.empty() ? "" : ",\n  " + more) + "\n}\n";
}

const char* const kThreeEvents = R"("events": [
    { "at": "4 s", "crash": [2], "for": "2 s", "name": "storm" },
    { "at": "2 s", "set": { "network.latency": "100 ms" } },
    { "at": "7 s", "partition": [1], "for": "1 s" } ])";

test::Outcome run_eventful(const test::Scratch& dir, const std::string& arguments) {
  return shell(dir, "hearsay run s.json --no-progress " + arguments);
}

}  // namespace

TEST_CASE("events: a trace has the events, and their effects at their times") {
  const test::Scratch dir;
  dir.write("s.json", eventful_scenario(kThreeEvents));
  REQUIRE(run_eventful(dir, "-o out").code == 0);
  const auto rows = rows_of(dir / "out/trace.csv");
  std::vector<std::string> events;
  std::map<std::string, std::vector<double>> down, computing;
  std::size_t wrong = 0, cut = 0, late = 0;
  for (const auto& row : rows) {
    if (row[0] == "sequence") continue;
    const double at = std::stod(row[1]);
    const std::string& kind = row[2];
    if (kind == "event") events.push_back(row[1] + " " + row[10]);
    if (kind == "down" || kind == "up" || kind == "reset") down[row[3] + " " + kind].push_back(at);
    if (kind == "compute") computing[row[3]].push_back(-at);
    if (kind == "computed") computing[row[3]].back() += at;
    if (kind == "deliver") {
      const double sent = at - std::stod(row[8]), latency = sent < 2 ? 0.01 : 0.1;
      wrong += std::abs(std::stod(row[8]) - latency) > 1e-9 ? 1u : 0u;
      late += sent >= 2 ? 1u : 0u;
    }
    if (kind == "lose" && row[10] == "partition") {
      ++cut;
      wrong += (row[3] == "1" || row[4] == "1") && at >= 7 && at < 8 ? 0u : 1u;
    }
  }
  CHECK(events == std::vector<std::string>{"2 set network.latency", "4 storm", "7 partition 1 for 1 s",
                                           "8 partition 1 ends"});
  CHECK(wrong == 0);
  CHECK(late > 50);
  CHECK(cut >= 1);
  using Times = std::vector<double>;
  CHECK(down == std::map<std::string, Times>{{"2 down", {4}}, {"2 reset", {6}}, {"2 up", {6}}});
  // Agent 3 takes 300 ms, the others 20 ms. (Agent 2's computations may be cut off by its crash.)
  for (const auto& [agent, times] : computing) {
    CHECK(times.size() >= 3);
    for (const double t : times) {
      if (agent != "2" && t > 0)  // the last may not have ended
        CHECK(t == Approx(agent == "3" ? 0.3 : 0.02).epsilon(1e-9));
    }
  }
}

TEST_CASE("events: the iteration of a row counts the learner's updates, and timers have names") {
  const test::Scratch dir;
  dir.write("s.json", eventful_scenario(""));
  REQUIRE(run_eventful(dir, "-o out").code == 0);
  std::uint64_t updates = 0, answers = 0;
  for (const auto& row : rows_of(dir / "out/trace.csv")) {
    if (row[0] == "sequence") continue;
    // The arrival of an answer, which carries a vector, is recorded before the update that it makes.
    CHECK(std::stoull(row[9]) == updates);
    const bool answer = row[2] == "deliver" && row[3] == "0" && std::stoull(row[7]) > 64;
    updates += answer ? 1u : 0u;
    answers += answer ? 1u : 0u;
    if (row[2] == "timer") CHECK((row[10] == "timeout" || row[10] == "timeout (no effect)"));
    if (row[2] == "skip") CHECK(row[10] == "busy");
  }
  CHECK(answers > 50);
}

TEST_CASE("events: they belong to the run key, but for their names") {
  const test::Scratch dir;
  dir.write("s.json", eventful_scenario(kThreeEvents));
  REQUIRE(run_eventful(dir, "-o out").code == 0);
  CHECK_THAT(run_eventful(dir, "-o out --set record.trace=null --set events.0.name=gale").err,
             Contains("1 cached, 0 to run"));
  CHECK_THAT(run_eventful(dir, "-o out --set events.0.at='5 s'").err, Contains("0 cached, 1 to run"));
  test::ended_with(dir, "verify out");
  // What show prints is the same scenario.
  dir.write("shown.json", shell(dir, "hearsay show s.json").out);
  test::ended_with(dir, "run s.json -o a && hearsay run shown.json -o b");
  CHECK(test::text_of(dir / "a/runs.csv") == test::text_of(dir / "b/runs.csv"));
}

TEST_CASE("events: a run that ends before them says so") {
  const test::Scratch dir;
  dir.write("s.json", eventful_scenario(kThreeEvents));
  const auto outcome = run_eventful(
      dir,
      "-o out --set protocol.horizon=null --set protocol.rho=1e-4 --set protocol.budget_for=expected_share --set stop='{\"iterations\": 15}'");
  CHECK(outcome.code == 0);
  CHECK_THAT(
      outcome.err,
      Contains("warning: the run ended at ") &&
          Contains("before storm at 4 s; partition 1 for 1 s at 7 s; partition 1 ends at 8 s (1 of 1 runs)"));
  CHECK_THAT(test::text_of(dir / "out/runs.csv"), Contains("before storm at 4 s"));
}

TEST_CASE("events: a sweep varies them, and tables have SI numbers with the text beside") {
  const test::Scratch dir;
  dir.write("s.json", eventful_scenario(std::string(kThreeEvents) + R"(, "sweep": {
    "events.1.set.network.latency": ["50 ms", "2 s"], "network.compute_time.agents.3": ["10 ms", "1 min"],
    "protocol.rho": [1, 0.5] })"));
  REQUIRE(run_eventful(dir, "-o out --set record.trace=null --set protocol.timeout=1").code == 0);
  const auto rows = rows_of(dir / "out/runs.csv");
  REQUIRE(rows.size() == 9);
  const auto head = [&](std::size_t row) { return std::vector(rows[row].begin(), rows[row].begin() + 6); };
  using Fields = std::vector<std::string>;
  CHECK(head(0) == Fields{"events.1.set.network.latency", "events.1.set.network.latency.text",
                          "network.compute_time.agents.3", "network.compute_time.agents.3.text",
                          "protocol.rho", "repetition"});
  CHECK(head(1) == Fields{"0.05", "50 ms", "0.01", "10 ms", "1", "0"});
  CHECK(head(8) == Fields{"2", "2 s", "60", "1 min", "0.5", "0"});
  std::set<std::string> fingerprints;
  for (std::size_t k = 1; k < rows.size(); ++k) fingerprints.insert(rows[k][rows[k].size() - 2]);
  CHECK(fingerprints.size() == 8);
}
