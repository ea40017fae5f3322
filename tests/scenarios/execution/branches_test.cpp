// Branches go on from one past: the branch without changes is the undisturbed run, one with events the run that has them
// from the start.
#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "analysis/store/stored_study.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using test::shell;
using test::text_of;

namespace {

namespace fs = std::filesystem;

// A scenario of agents that come and go, with more members and events.
std::string study(const std::string& more, const std::string& events = "") {
  return R"({
  "data": {"type": "linear_separators", "owners": 12, "features": 4, "records": 12}, "model": {"loss": "logistic"},
  "network": {"topology": "ring", "latency": "200 ms",
              "availability": {"type": "on_off", "up": {"type": "exponential", "mean": 5}, "down": 1}},
  "events": [{"at": "5 s", "leave": [3]}, {"at": "8 s", "crash": [4], "for": "9 s", "state_on_return": "keep"})" +
         events +
         R"(], "protocol": {"type": "gossip_learning", "step": 0.1}, "privacy": {"mechanism": "none"},
  "stop": {"time": "30 s"}, "record": {"metrics": ["objective", "messages_lost", "fraction_up"], "every": {"time": "1 s"}},
  "repeat": 2)" +
         more + "}";
}

// Joins, resets and partitions: laws that the undisturbed run does not have.
constexpr const char* kEvents =
    R"({"at": "12 s", "set": {"network.latency": "1 s"}}, {"at": "15 s", "join": [3]},
       {"at": "16 s", "crash": [5, 6], "for": "5 s", "state_on_return": "reset"}, {"at": "20 s", "partition": [1, 2]})";
constexpr const char* kChanges =
    R"({"network.latency": "1 s", "events": [{"at": "15 s", "join": [3]},
       {"at": "16 s", "crash": [5, 6], "for": "5 s", "state_on_return": "reset"}, {"at": "20 s", "partition": [1, 2]}]})";

std::string branches(const std::string& changes, const std::string& more = "") {
  return R"(, "branches": {"at": "12 s", "set": [{}, {"label": "events", "value": )" + changes + "}]" + more +
         "}";
}

// The lines of a table that begin with `label`, without it.
std::string lines(const std::string& file, const std::string& label) {
  std::string found;
  std::istringstream in(text_of(file));
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(label)) found += line.substr(label.size()) + "\n";
  return found;
}

// Without the header.
std::string body(const std::string& file) {
  const std::string text = text_of(file);
  return text.substr(text.find('\n') + 1);
}

}  // namespace

TEST_CASE("branches: the tables are those of runs that have the events from the start") {
  const test::Scratch dir;
  dir.write("plain.json", study(""));
  dir.write("events.json", study("", ", " + std::string(kEvents)));
  dir.write("branches.json", study(branches(kChanges)));
  for (const std::string name : {"plain", "events", "branches"})
    REQUIRE(shell(dir, "$program run " + name + ".json -o " + name + " -j 2 --no-progress").code == 0);
  const std::string series = lines(dir / "branches/series.csv", "{},");
  CHECK(series.size() > 1000);
  CHECK(series == body(dir / "plain/series.csv"));
  CHECK(lines(dir / "branches/runs.csv", "{},") == body(dir / "plain/runs.csv"));
  CHECK(lines(dir / "branches/series.csv", "events,") == body(dir / "events/series.csv"));
  CHECK(lines(dir / "branches/series.csv", "events,") != series);
}

// All agents tick at 12 s, after the law that changes then.
TEST_CASE("branches: what happens at their time is theirs") {
  const test::Scratch dir;
  dir.write("events.json", study("", ", " + std::string(kEvents)));
  dir.write("branches.json", study(branches(kChanges)));
  for (const std::string name : {"events", "branches"})
    REQUIRE(shell(dir, "$program run " + name + ".json -o " + name +
                           R"( --no-progress --set 'clocks={"type": "periodic", "period": 1}')")
                .code == 0);
  CHECK(body(dir / "events/series.csv").size() > 1000);
  CHECK(lines(dir / "branches/series.csv", "events,") == body(dir / "events/series.csv"));
}

// Laws that end, laws that a branch removes, pasts in which nothing is left to happen, and agents that are away for good in
// the past alone. The runs are of agents without other down times, or with random ones, until 600 iterations.
TEST_CASE("branches: who is away for good, and what is left to happen, are those of the branch") {
  const std::string all = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]";
  const std::string ended = R"(' --set 'clocks={"type": "trace", "path": "ticks.csv"})";
  const auto random = [](const std::string& law) {
    const std::string keep = law == "crash" ? R"(, "state_on_return": "keep")" : "";
    return R"({"type": ")" + law + R"(", "up": {"type": "exponential", "mean": 5}, "down": 1)" + keep + "}";
  };
  struct Case {
    std::string name, before, after, more;
  };
  for (const Case& c : std::vector<Case>{
           {"a join at the time of a leave", R"({"at": 20, "leave": [3]})", R"({"at": 20, "join": [3]})", ""},
           {"all leave and return", R"({"at": 10, "leave": )" + all + "}",
            R"({"at": 30, "join": )" + all + "}", ""},
           {"all leave while messages travel", R"({"at": 11.9, "leave": )" + all + "}",
            R"({"at": 30, "join": )" + all + "}", ""},
           {"clocks have ended", R"({"at": 3, "leave": [3]})", R"({"at": 20, "join": [3]})", ended},
           {"a law that never takes agents down", R"({"at": 5, "leave": [3]})", R"({"at": 15, "join": [3]})",
            R"(' --set 'network.availability=[{"type": "diurnal", "mean": 1, "amplitude": 0}])"}}) {
    for (const std::string& availability : {std::string("always"), random("on_off"), random("crash")}) {
      const test::Scratch dir;
      INFO(c.name << ", " << availability);
      dir.write("ticks.csv", "agent,time\n0,2\n1,7\n2,8.5\n");
      dir.write("events.json", study(""));
      dir.write("branches.json", study(branches(R"({"events": [)" + c.after + "]}")));
      const auto run = [&](const std::string& name, const std::string& events) {
        const auto outcome =
            shell(dir, "$program run " + name + ".json -o " + name + " --no-progress --set 'events=[" +
                           events + "]' --set 'network.availability=" + availability + c.more +
                           R"(' --set network.latency=1 --set 'stop={"iterations": 600}')");
        INFO(outcome.err);
        REQUIRE(outcome.code == 0);
      };
      run("events", c.before + ", " + c.after);
      run("branches", c.before);
      CHECK(body(dir / "events/series.csv").size() > 500);
      CHECK(body(dir / "events/runs.csv").find("failed") == std::string::npos);
      // Where a branch has fewer or more laws than the past, random changes have other names, and fingerprints differ.
      const auto unnamed = [](const std::string& text) {
        return std::regex_replace(text, std::regex(",[0-9a-f]{16},"), ",");
      };
      for (const std::string table : {"series.csv", "runs.csv"})
        CHECK(unnamed(lines(dir / "branches/" + table, "events,")) == unnamed(body(dir / "events/" + table)));
    }
  }
}

TEST_CASE("branches: fresh random numbers draw again what is pending by clocks and exponential periods") {
  const test::Scratch dir;
  dir.write("s.json", study(branches(R"({"network.loss": 0})", R"(, "noise": "fresh", "continuations": 2)")));
  const auto next = [&dir](const std::string& point, const std::string& kind) {
    const auto trace = shell(dir, "$program trace s.json --from 12 --kinds " + kind + " --point " + point);
    REQUIRE(trace.code == 0);
    std::istringstream in(trace.out);
    std::string header, first;
    std::getline(in, header), std::getline(in, first);
    const std::size_t time = first.find(',') + 1;
    return first.substr(time, first.find(',', time) - time);
  };
  for (const std::string kind : {"tick", "down"}) CHECK(next("0", kind) != next("1", kind));
}

TEST_CASE("branches: one that changes nothing has the key of the undisturbed run") {
  const test::Scratch dir;
  dir.write("plain.json", study(""));
  dir.write("branches.json", study(branches(R"({"protocol.step": 0.1})")));
  REQUIRE(shell(dir, "$program run plain.json -o out --no-progress").code == 0);
  const auto outcome = shell(dir, "$program run branches.json -o out --no-progress --dry-run");
  CHECK(outcome.code == 0);
  CHECK((outcome.err + outcome.out).find("4 cached, 0 to run") != std::string::npos);
}

TEST_CASE("branches: traces are equal until the first event that differs") {
  const test::Scratch dir;
  dir.write("events.json", study("", ", " + std::string(kEvents)));
  dir.write("branches.json", study(branches(kChanges)));
  const auto trace = [&dir](const std::string& what, const std::string& file) {
    REQUIRE(shell(dir, "$program trace " + what + " -o " + file).code == 0);
    return text_of(dir / file);
  };
  const std::string undisturbed = trace("branches.json --point 0", "0.csv");
  const std::string branch = trace("branches.json --point 1", "1.csv");
  // Changes of state are numbered by the laws of a run, of which the past has fewer.
  const auto unnumbered = [](const std::string& text) {
    return std::regex_replace(text, std::regex("(up|down):([0-9]+):[0-9]+"), "$1:$2");
  };
  CHECK((unnumbered(branch) == unnumbered(trace("events.json", "2.csv"))));
  const auto differ = std::ranges::mismatch(undisturbed, branch);
  const std::string same(branch.begin(), differ.in2);
  const std::size_t line = same.rfind('\n') + 1;
  CHECK(branch.substr(line, branch.find('\n', line) - line).find(",12,event,") != std::string::npos);
  REQUIRE(
      shell(
          dir,
          R"($program run branches.json -o out --no-progress --set 'record.trace={"format": ["csv"], "point": 1}')")
          .code == 0);
  CHECK((text_of(dir / "out/trace.csv") == branch));
}

TEST_CASE("branches: a study that is paused goes on, in the past and after it") {
  const test::Scratch dir;
  dir.write("s.json", study(branches(kChanges)));
  REQUIRE(shell(dir, "$program run s.json -o whole --no-progress").code == 0);
  for (const std::string time : {"7", "20"}) {
    const auto paused = shell(dir, "$program run s.json -o out -j 1 --no-progress --pause " + time);
    CHECK(paused.code == 0);
    CHECK(fs::exists(dir / "out/snapshots"));
  }
  const auto outcome = shell(dir, "$program run s.json -o out -j 2 --no-progress");
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find("point 1 repetition 1 goes on from ") != std::string::npos);
  for (const std::string file : {"series.csv", "runs.csv"})
    CHECK(text_of(dir / "out/" + file) == text_of(dir / "whole/" + file));
  CHECK_FALSE(fs::exists(dir / "out/snapshots"));
}

TEST_CASE("branches: fresh random numbers change what comes later, equally in all branches") {
  const test::Scratch dir;
  dir.write("s.json",
            study(branches(R"({"protocol.step": 0.01})", R"(, "noise": "fresh", "continuations": 2)")));
  REQUIRE(shell(dir, "$program run s.json -o out --no-progress").code == 0);
  // Of one repetition, the share of agents that are up: until 12 s and after it.
  const auto up = [&dir](const std::string& point, bool later) {
    std::string found;
    std::istringstream in(lines(dir / "out/series.csv", point + ",0,fraction_up,,"));
    for (std::string line; std::getline(in, line);) {
      const double time = std::stod(line.substr(line.find(',') + 1));
      if ((time > 12) == later) found += line + "\n";
    }
    return found;
  };
  CHECK(up("{},1", false).size() > 100);
  CHECK(up("{},1", false) == up("{},2", false));
  CHECK(up("{},1", true) != up("{},2", true));
  CHECK(up("{},1", true) == up("events,1", true));
}

TEST_CASE("branches: all of them end as a past that ends before them") {
  const test::Scratch dir;
  dir.write("s.json", study(branches(kChanges)));
  REQUIRE(shell(dir, "$program run s.json -o out --no-progress --set stop.iterations=20").code == 0);
  const std::string rows = lines(dir / "out/runs.csv", "{},");
  CHECK(rows.find("done,iterations,20,") != std::string::npos);
  CHECK(rows == lines(dir / "out/runs.csv", "events,"));
}

TEST_CASE("branches: what does not fit is refused where it is written") {
  const test::Scratch dir;
  const auto refusal = [&dir](const std::string& changes, const std::string& arguments = "") {
    dir.write("s.json", study(branches(changes)));
    const auto outcome = shell(dir, "$program validate s.json " + arguments);
    CHECK(outcome.code == 2);
    return outcome.err.substr(outcome.err.find(": /") + 2);
  };
  CHECK(
      refusal(R"({"network.latancy": 1})") ==
      "/branches/set/1/value/network.latancy: unknown key 'network.latancy'; did you mean 'network.latency'?\n");
  CHECK(
      refusal(R"({"protocol.stepp": 1})") ==
      "/branches/set/1/value/protocol.stepp: unknown key 'protocol.stepp' of a branch; did you mean 'protocol.step'?\n");
  CHECK(refusal(R"({"events": [{"at": "3 s", "leave": [1]}]})") ==
        "/branches/set/1/value/events/0/at: expected a time from that of the branch on (12 s), found 3 s\n");
  CHECK(
      refusal(R"({"events": [{"at": "13 s", "join": [1]}]})") ==
      "/branches/set/1/value/events: agent 1 joins, but has been there from the start: let it leave before\n");
  CHECK(refusal(R"({"events": [{"at": "13 s", "leave": [5]}]})",
                R"(--set 'events=[{"at": "20 s", "join": [5]}]')") ==
        "/branches/set/1/value/events: agent 5 leaves before it joins\n");
  CHECK(
      refusal(
          R"({"network.loss": 1, "events": [{"at": "13 s", "leave": [1]}, {"at": "13 s", "leave": [12]}]})") ==
      "/branches/set/1/value/events/1/leave: expected agents 0 to 11, found agent 12 "
      "(point 1: branch=events)\n");
  CHECK(
      refusal(R"({"network.latency": 1, "events": [{"at": "12 s", "set": {"network.latency": 2}}]})") ==
      "/branches/set/1/value/events/0/set: network.latency is set twice at 12 s; give one event for each time "
      "(point 1: branch=events)\n");
  CHECK(refusal(R"({"protocol.step": -1})") ==
        "/branches/set/1/value/protocol.step: expected a value above 0, found -1\n");
  CHECK(refusal("{\"network.loss\": 1}", "--set branches.at=30") ==
        "/branches/at: expected a time before the end of the run (30 s), found 30 s\n");
  CHECK(
      refusal("{\"network.loss\": 1}", "--set branches.continuations=2") ==
      "/branches/continuations: continuations with the same random numbers are equal: set noise to fresh\n");
}

TEST_CASE("branches: tuning with other random numbers than the past's, and audits, are refused") {
  const test::Scratch dir;
  const auto refusal = [&dir](const std::string& arguments) {
    dir.write("s.json", study(branches(R"({"network.loss": 1})")));
    const auto outcome = shell(dir, "$program " + arguments);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(refusal(
            R"(validate s.json --set 'tune={"paths": {"protocol.step": [0.1, 0.2]}, "minimise": "objective",)"
            R"( "repetitions": 2}')")
            .find("/tune/repetitions: these runs have random numbers of their own") != std::string::npos);
  CHECK(refusal("audit s.json --final --point 1")
            .find("/branches: an audit is of undisturbed runs: remove branches\n") != std::string::npos);
}

// A round trip takes 5 s until 12 s, then 0.2 s.
TEST_CASE("branches: a given timeout is one of the branch, as in the run with its events from the start") {
  const test::Scratch dir;
  const std::string fedavg =
      R"( --set 'protocol={"type": "fedavg", "round_timeout": 2}' --set network.topology=star)"
      R"( --set network.availability=always --set events=[] --set network.latency=)";
  const std::string change = R"({"network.latency": 0.1})";
  dir.write("branches.json",
            study(R"(, "branches": {"at": "12 s", "set": [{"label": "events", "value": )" + change + "}]}"));
  dir.write("events.json", study(""));
  REQUIRE(shell(dir, "$program run branches.json -o branches --no-progress" + fedavg + "2.5").code == 0);
  REQUIRE(shell(dir, "$program run events.json -o events --no-progress" + fedavg +
                         R"(2.5 --set 'events=[{"at": 12, "set": )" + change + "}]'")
              .code == 0);
  for (const std::string table : {"series.csv", "runs.csv"})
    CHECK(lines(dir / "branches/" + table, "events,") == body(dir / "events/" + table));
  // The undisturbed run is refused as without branches, and a branch for the round trips that remain.
  const std::string refused = "expected at least the smallest possible round trip (5 s), found 2 s";
  dir.write("both.json", study(branches(change)));
  for (const std::string file :
       {"both.json", "branches.json --set branches.set.0.value.network\\.latency=3"}) {
    const auto outcome = shell(dir, "$program validate " + file + fedavg + "2.5");
    INFO(file << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find(refused) != std::string::npos);
  }
}
