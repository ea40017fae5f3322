// Warnings and refusals about networks, timeouts and plans, as a user meets them.
#include <algorithm>
#include <sstream>

#include "tests/support/process.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using Catch::EndsWith;
using namespace hearsay::test;

namespace {

Outcome command(const Scratch& dir, const std::string& words) {
  return shell(dir, "hearsay " + words);
}

// The lines of a text that begin with "warning: ", but for tables that are replaced: the tests here use a folder again.
std::vector<std::string> warnings_in(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    const bool replaced = line.find("the tables of another study are replaced") != std::string::npos;
    if (line.starts_with("warning: ") && !replaced) all.push_back(line);
  }
  return all;
}

// Those of a run of s.json.
std::vector<std::string> warned(const Scratch& dir, const std::string& options) {
  return warnings_in(shell(dir, "hearsay run s.json --no-progress " + options).err);
}

std::string with_sweep(const std::string& sweep) {
  return test::small_scenario(R"("sweep": )" + sweep);
}

}  // namespace

TEST_CASE("warnings: a run that ends long before its plan says so, once for a study") {
  const test::StudyFolder dir(R"("repeat": 2, "sweep": { "privacy.epsilon": [1, 2] })", 1000);
  const auto early = warned(dir, "-o out --set stop.time=5");
  REQUIRE(early.size() == 1);
  CHECK_THAT(early[0],
             Catch::StartsWith("warning: stop.time ended the run after ") &&
                 Contains(" of the 1000 iterations that the privacy budget is planned for, so the noise "
                          "is larger than needed: plan for fewer (stop.iterations) or extend stop.time (4 "
                          "of 4 runs"));
  // Three Poisson clocks of rate 1 tick 3000 times in 1000 s. Each owner gives a third of the 1000 answers that its budget
  // is planned for; ceil(1000/3 + 3 sqrt(1000/3)) = 389.
  const auto whole = warned(dir,
                            "-o out --set stop.time=1000 "
                            "--set protocol.budget_for=horizon");
  REQUIRE(whole.size() == 1);
  CHECK_THAT(whole[0],
             Contains(" of the 1000 answers that its privacy budget is planned for, so the noise is larger "
                      "than needed: set protocol.budget_for to expected_share, which plans for 389"));
  CHECK(warned(dir, "-o out --set stop.time=1000 --set protocol.budget_for=expected_share").empty());
  // Without privacy nothing is planned.
  const auto exact = command(
      dir,
      R"(run s.json --no-progress -o exact --set stop.time=5 --set 'privacy={"mechanism": "none"}' --set sweep=null)");
  CHECK(exact.code == 0);
  CHECK(warnings_in(exact.err).empty());
  const auto long_one = command(
      dir, R"(run s.json --no-progress -o exact --set stop.time=1000 --set protocol.budget_for=horizon )"
           R"(--set 'privacy={"mechanism": "none"}' --set sweep=null)");
  CHECK(long_one.code == 0);
  CHECK(warnings_in(long_one.err).empty());
}

TEST_CASE("warnings: a clip without a mechanism is noted, with one it is not") {
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 3, "records": 20, "features": 2},
    "protocol": {"type": "fedavg", "step": 0.01}, "privacy": {"mechanism": "none", "clip": 1},
    "stop": {"iterations": 3}})");
  const char* const note = "privacy.clip has no effect with mechanism none";
  CHECK(warned(dir, "-o none").empty());
  CHECK_THAT(text_of(dir / "none/manifest.json"), Contains(note));
  warned(dir, "-o noisy --set privacy.mechanism=laplace --set privacy.steps=3");
  CHECK_THAT(text_of(dir / "noisy/manifest.json"), !Contains(note));
}

TEST_CASE(
    "warnings: budgets of privacy.steps that stop.iterations leaves unused, or that end long before it") {
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 3, "records": 20, "features": 2},
    "model": {"theta_max": 10}, "protocol": {"type": "fedavg", "step": 0.01},
    "privacy": {"mechanism": "laplace", "epsilon": 10, "clip": 1, "steps": 20}, "stop": {"iterations": 20}})");
  // A round is a release of every owner.
  CHECK(warned(dir, "-o all").empty());
  const auto few = warned(dir, "-o few --set stop.iterations=9");
  REQUIRE(few.size() == 1);
  CHECK_THAT(few[0],
             Contains("stop.iterations ended the run after 9 of the 20 releases of the median agent") &&
                 Contains("plan for fewer (privacy.steps, or \"expected\")"));
  const auto reached = warned(
      dir,
      R"(-o reached --set 'stop.target={"metric": "releases_by_owner", "above": 1.5, "check_every": 1}')");
  REQUIRE(reached.size() == 1);
  CHECK_THAT(reached[0], Contains("the run ended after 2 of the 20 releases of the median agent"));
  // In round 21 all owners refuse; then nobody is left to ask.
  const auto early = warned(dir, "-o early --set stop.iterations=100");
  REQUIRE(early.size() == 1);
  CHECK_THAT(early[0],
             Contains("all releases that the budgets allow were made after 21 of stop.iterations 100"));
}

TEST_CASE(
    "warnings: a network that delivers almost nothing, a step that diverges, a batch that no owner has") {
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 3, "records": 20, "features": 2},
    "protocol": {"type": "fedavg", "step": 0.01}, "privacy": {"mechanism": "none"}, "stop": {"iterations": 20}})");
  const auto warned = [&](const std::string& sets) {
    return command(dir, "run s.json --no-progress -o out " + sets).err;
  };
  CHECK(warnings_in(warned("")).empty());
  CHECK_THAT(warned("--set network.loss=0.99"),
             Contains(" messages were lost (") && Contains(" loss): see network.loss"));
  CHECK_THAT(warned("--set network.loss=0.2"), !Contains("messages were lost"));
  CHECK_THAT(warned("--set protocol.step=1000"),
             Contains("protocol.step is 1000, above 2/h_max") && Contains("diverge"));
  CHECK_THAT(warned("--set protocol.batch=10000"),
             Contains("protocol.batch: no owner has 10000 records, the most are 20"));
  CHECK(warnings_in(warned("--set protocol.batch=20")).empty());
}

TEST_CASE("warnings: a timeout that some points exceed is one line that names them") {
  const Scratch dir;
  dir.write(
      "s.json",
      with_sweep(R"({ "network.latency.max": ["15 ms", "700 ms", "900 ms"], "privacy.epsilon": [1, 2] })"));
  const auto run = command(dir,
                           "run s.json --no-progress -o out --set protocol.timeout=1 --set protocol.rho=0.1 "
                           "--set protocol.budget_for=expected_share");
  CHECK(run.code == 0);
  const auto late = warnings_in(run.err);
  REQUIRE(late.size() == 1);
  CHECK_THAT(late[0],
             Contains("protocol.timeout is 1 s") &&
                 EndsWith(" (4 of 6 points: network.latency.max=700 ms, 900 ms; numbers of the first)"));
}

TEST_CASE("warnings: a timeout within which no reply can come is refused, unless late replies are used") {
  const test::StudyFolder dir;
  const std::string slow =
      "run s.json --no-progress -o out --set network.latency='600 ms' --set stop.time=20 ";
  const auto refused = command(dir, slow + "--set protocol.timeout=1");
  CHECK(refused.code == 2);
  CHECK(refused.err ==
        "--set protocol.timeout: /protocol/timeout: expected at least the smallest possible round trip (1.2 "
        "s), "
        "found 1 s: every reply would be discarded; leave out protocol.timeout or increase it\n");
  CHECK(command(dir, slow + "--set protocol.timeout=1.3").code == 0);
  const std::string sync =
      R"(--set 'protocol={"type": "central_sync", "c1": 0.1, "round_timeout": "1 s", "missing": ")";
  CHECK(command(dir, slow + sync + "reweight\"}'").code == 2);
  CHECK(command(dir, slow + sync + "last\"}'").code == 0);
}

TEST_CASE("warnings: an unstable step is warned of, and its numbers are in scalars.csv") {
  const test::StudyFolder dir;
  const auto run = command(dir,
                           "run s.json --no-progress -o out --set protocol.rho=1e6 --set model.theta_max=1 "
                           "--set protocol.budget_for=expected_share");
  const auto unstable = warnings_in(run.err);
  REQUIRE(unstable.size() == 1);
  CHECK_THAT(unstable[0],
             Contains("protocol.rho is 1e+06: a h_max = ") && Contains("within the box of theta_max"));
  double rho = 0, a = 0, stability = 0;
  for (const auto& row : test::rows_of(dir / "out/scalars.csv")) {
    if (row[1] == "step.rho") rho = std::stod(row[3]);
    if (row[1] == "step.a") a = std::stod(row[3]);
    if (row[1] == "step.a_h_max") stability = std::stod(row[3]);
  }
  // sigma = 2e-5, T = 200: a = 1e6/(200^2 2e-5).
  CHECK(rho == 1e6);
  CHECK(a == Approx(1.25e6));
  CHECK(stability > 2);
}

TEST_CASE("warnings: a latency of a second or more without a unit, which may mean milliseconds") {
  const test::StudyFolder dir;
  const auto warned = [&](const std::string& latency) {
    const auto run = command(
        dir,
        "run s.json --no-progress -o out --set protocol.rho=0.1 --set 'network.latency=" + latency + "'");
    REQUIRE(run.code == 0);
    return warnings_in(run.err);
  };
  CHECK(warned("20") ==
        std::vector<std::string>{
            R"(warning: /network/latency: 20 without a unit means 20 s; write "20 s" or "20 ms")"});
  REQUIRE(warned(R"({"type": "uniform", "min": 0, "max": 15})").size() == 1);
  dir.write("r.json", test::small_scenario(
                          R"("sweep": {"network.latency": {"from": "0 s", "to": "2 s", "step": "500 ms"}})"));
  const auto range = command(dir, "run r.json --no-progress -o range");
  REQUIRE(range.code == 0);
  CHECK_THAT(range.err, !Contains("without a unit"));
  CHECK_THAT(test::text_of(dir / "range/runs.csv"), Contains("\n2,2000 ms,0,"));
  for (const char* meant : {R"("20 s")", "0.02", R"({"type": "lognormal", "median": "1 s", "sigma": 2})"})
    CHECK(warned(meant).empty());
}

TEST_CASE("refusals: a fraction of test records that rounds to none, or is not set") {
  const Scratch dir;
  dir.write("d.csv", "x,y,o\n1,2,a\n2,3,b\n3,4,a\n");
  dir.write("s.json", test::small_scenario());
  const std::string data =
      R"("type": "csv", "path": "d.csv", "target": "y", "owner": {"column": "o"}, "records": 1)";
  const auto refusal = [&](const std::string& more) {
    return test::refusal(
        dir, R"(run s.json -o out --set 'record.metrics=["test_error"]' --set 'data={)" + data + more + "}'");
  };
  CHECK_THAT(
      refusal(R"(, "test_fraction": 0.3)"),
      EndsWith(
          "test_error requires test records: data.test_fraction 0.3 of each owner's records rounds to none; "
          "raise it, or the number of records\n"));
  CHECK_THAT(refusal(""), EndsWith("test_error requires test records: set data.test_fraction\n"));
  CHECK_THAT(refusal(R"(, "validation_fraction": 0.1, "instances": "validation")"),
             EndsWith("test_error is of validation records, and none is held out: raise "
                      "data.validation_fraction\n"));
}

TEST_CASE("refusals: agents of events, and lists of another length, at their places") {
  const test::StudyFolder dir;
  CHECK_THAT(refusal(dir, R"(validate s.json --set 'events=[{"at": 1, "crash": [4], "for": 1}]')"),
             EndsWith("/events/0/crash: expected agents 0 to 3, found agent 4\n"));
  CHECK_THAT(refusal(dir, R"(validate s.json --set 'events=[{"at": 1, "partition": [0, 1, 2, 3]}]')"),
             Contains("/events/0/partition: expected some of the agents, found all"));
  CHECK_THAT(
      refusal(dir, R"(run s.json -o out --set 'network.loss={"type": "partition", "agents": [0, 1, 2, 3]}')"),
      Contains("/network/loss: partition: expected some of the agents, found all"));
  CHECK_THAT(refusal(dir, R"(run s.json -o out --set 'clocks={"type": "poisson", "rate": [1, 2]}')"),
             EndsWith("/clocks/rate: expected a list of 3 numbers, found 2\n"));
  CHECK_THAT(refusal(dir, R"(run s.json -o out --set 'network.latency={"default": 1, "agents": {"7": 2}}')"),
             EndsWith("/network/latency: expected agents 0 to 3, found agent 7\n"));
}

TEST_CASE("links: the latency of one agent, by its number, is in links.csv") {
  const test::StudyFolder dir;
  REQUIRE(command(dir,
                  R"(run s.json --no-progress -o out --set 'network.latency={"default": "20 ms", "agents": )"
                  R"({"3": {"type": "uniform", "min": "100 ms", "max": "300 ms"}}}')")
              .code == 0);
  const auto rows = test::rows_of(dir / "out/links.csv");
  const auto column =
      static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), "latency_s") - rows[0].begin());
  REQUIRE(column < rows[0].size());
  REQUIRE(rows.size() == 4);
  CHECK(std::stod(rows[1][column]) == Approx(0.02));
  CHECK(std::stod(rows[3][column]) == Approx(0.2));
}

TEST_CASE("warnings: ADMM that exchanges models only, on links that lose messages") {
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "linear_separators", "owners": 4, "features": 2, "records": 5},
    "model": {"loss": "logistic"}, "network": {"topology": "similarity", "loss": 0.1},
    "protocol": {"type": "p2p_admm", "exchange": "models"}, "privacy": {"mechanism": "none"},
    "stop": {"iterations": 5}, "record": {"metrics": ["q_gap"]}})");
  const auto lossy = warned(dir, "-o out");
  REQUIRE(lossy.size() == 1);
  CHECK_THAT(lossy[0], Contains("protocol.exchange models") && Contains("use full"));
  CHECK(warned(dir, "-o out --set protocol.exchange=full").empty());
  CHECK(warned(dir, "-o out --set network.loss=0").empty());
}

TEST_CASE("warnings: bounds of coordinate descent for clocks of different rates") {
  const Scratch dir;
  dir.write("s.json", R"({"data": {"type": "linear_separators", "owners": 4, "features": 2, "records": 5},
    "model": {"loss": "logistic"}, "network": {"topology": "similarity"},
    "clocks": {"type": "poisson", "rate": [1, 1, 1, 2]}, "protocol": {"type": "p2p_coordinate_descent"},
    "privacy": {"mechanism": "none"}, "stop": {"iterations": 5}, "record": {"metrics": ["bound_proposition_1"]}})");
  const auto differ = warned(dir, "-o out");
  REQUIRE(differ.size() == 1);
  CHECK_THAT(differ[0],
             Contains("the metrics bound_* are proved for agents whose clocks have the same rate"));
  CHECK(warned(dir, "-o out --set clocks.rate=2").empty());
  CHECK(warned(dir, R"(-o out --set record.metrics='["q_gap"]')").empty());
}
