// Branches go on from one past: the branch without changes is the undisturbed run, one with events the run that has them
// from the start.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "analysis/store/stored_study.hpp"
#include "tests/support/parts.hpp"

using namespace hearsay;
using namespace hearsay::test;

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

std::string branches(const std::string& changes, const std::string& more = "",
                     const std::string& at = R"("12 s")") {
  return R"(, "branches": {"at": )" + at + R"(, "set": [{}, {"label": "events", "value": )" + changes + "}]" +
         more + "}";
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

// One repetition, of which the trace tells when the iteration was complete.
TEST_CASE("branches: after an iteration they are those of runs that have the events from then on") {
  const test::Scratch dir;
  const std::string clocks = GENERATE("poisson", R"({"type": "periodic", "period": 1})");
  const std::string more = R"( --no-progress --set repeat=1 --set 'clocks=)" + clocks + "' ";
  dir.write("plain.json", study(""));
  dir.write("branches.json",
            study(branches(
                R"({"network.latency": "1 s", "events": [{"at": "16 s", "crash": [5, 6], "for": "5 s"}]})",
                "", R"({"iterations": 100})")));
  for (const std::string name : {"plain", "branches"})
    REQUIRE(shell(dir, "$program run " + name + ".json -o " + name + more).code == 0);
  const auto trace = [&](const std::string& of) {
    REQUIRE(
        shell(dir, "$program trace " + of + " --set repeat=1 --set 'clocks=" + clocks + "' -o t.csv").code ==
        0);
    return text_of(dir / "t.csv");
  };
  const std::string undisturbed = trace("branches.json --point 0"), branch = trace("branches.json --point 1");
  CHECK(undisturbed == trace("plain.json"));
  const auto differ = std::ranges::mismatch(undisturbed, branch);
  const std::string same(branch.begin(), differ.in2);
  const std::size_t line = same.rfind('\n') + 1;
  std::istringstream cells(branch.substr(line, branch.find('\n', line) - line));
  std::string number, time, kind;
  std::getline(cells, number, ','), std::getline(cells, time, ','), std::getline(cells, kind, ',');
  CHECK(kind == "event");
  INFO(time);
  const double later = std::nextafter(std::stod(time), 1e9);
  for (const std::string table : {"series.csv", "runs.csv"})
    CHECK(lines(dir / "branches/" + table, "{},") == body(dir / "plain/" + table));
  dir.write("events.json",
            study("", R"(, {"at": )" + fmt::format("{}", later) + R"(, "set": {"network.latency": "1 s"}},
                         {"at": "16 s", "crash": [5, 6], "for": "5 s"})"));
  REQUIRE(shell(dir, "$program run events.json -o events" + more).code == 0);
  const std::string series = lines(dir / "branches/series.csv", "events,");
  CHECK(series != lines(dir / "branches/series.csv", "{},"));
  // With clocks that tick together the law of the events is there before all ticks of its time.
  if (clocks == "poisson") CHECK(series == body(dir / "events/series.csv"));
}

TEST_CASE("branches: an event that is not after their iteration fails its run, and names its place") {
  const test::Scratch dir;
  dir.write("s.json",
            study(branches(R"({"events": [{"at": "1 s", "leave": [1]}]})", "", R"({"iterations": 100})")));
  const auto outcome = shell(dir, "$program run s.json -o out --no-progress");
  CHECK(outcome.code == 6);
  const std::string message = lines(dir / "out/runs.csv", "events,");
  CHECK(std::regex_search(
      message, std::regex(R"(s\.json:\d+:\d+: /branches/set/1/value/events/0/at: expected a time after )"
                          R"(that of iteration 100 \([0-9.]+ s\), found 1 s \(point 1: branch=events\))")));
  CHECK(lines(dir / "out/runs.csv", "{},").find("failed") == std::string::npos);
}

TEST_CASE("branches: on any threads, in parts that are merged, and after a pause, the tables are the same") {
  const std::string at = GENERATE(R"("0.1 s")", R"({"iterations": 80})");
  const test::StudyFolder dir(test::kThreePoints + R"(, "branches": {"at": )" + at +
                              R"(, "set": [{}, {"network.latency": "20 ms"}]})");
  test::run_to(dir, "one", "-j 1");
  test::run_to(dir, "two", "-j 2");
  test::check_same_tables(dir / "two", dir / "one", 6);
  test::run_parts(dir, 3, "-j 2");
  test::merge_to(dir, "2 1 3", "out");
  test::check_same_tables(dir / "out", dir / "one", 6);
  for (const std::string time : {"0.05", "0.12"})
    REQUIRE(shell(dir, "$program run s.json -o paused --no-progress --pause " + time).code == 0);
  test::run_to(dir, "paused");
  test::check_same_tables(dir / "paused", dir / "one", 6);
  CHECK(test::ended_with(dir, "diff one two").out.find("42 runs, all equal") != std::string::npos);
  CHECK(test::ended_with(dir, "compare one --over branch").code == 0);
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
  test::check_same_files(dir / "out", dir / "whole", {"series.csv", "runs.csv"});
  CHECK_FALSE(fs::exists(dir / "out/snapshots"));
}

// As the Python package copies them.
TEST_CASE("branches: pasts go on from copied states of a study without branches, if these are earlier") {
  const test::Scratch dir;
  dir.write("plain.json", study(""));
  dir.write("s.json", study(branches(kChanges)));
  REQUIRE(shell(dir, "$program run s.json -o whole --no-progress").code == 0);
  for (const auto& [time, code] : {std::pair{"11", 0}, {"13", 6}}) {
    fs::remove_all(dir / "plain"), fs::remove_all(dir / "out");
    REQUIRE(shell(dir, "$program run plain.json -o plain --no-progress --pause " + std::string(time)).code ==
            0);
    fs::create_directories(dir / "out/snapshots");
    for (const auto& entry : fs::directory_iterator(dir / "plain/snapshots"))
      fs::copy_file(entry.path(), dir / "out/snapshots" / entry.path().stem() += ".copy");
    const auto outcome = shell(dir, "$program run s.json -o out -j 1 --no-progress");
    CHECK(outcome.code == code);
    if (code == 0) {
      CHECK(outcome.err.find("the past of point 0 repetition 1 goes on from 11 s ") != std::string::npos);
      test::check_same_files(dir / "out", dir / "whole", {"series.csv", "runs.csv"});
      CHECK_FALSE(fs::exists(dir / "out/snapshots"));
    } else {
      CHECK(text_of(dir / "out/runs.csv").find("let the branches part later") != std::string::npos);
    }
  }
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
  CHECK(rows.find("join") == std::string::npos);
  CHECK(rows.find("before crash") == std::string::npos);
  const std::string theirs = lines(dir / "out/runs.csv", "events,");
  CHECK(
      theirs.find(
          "set network.latency at 12 s; join 3 at 15 s; crash 5, 6 for 5 s at 16 s; partition 1, 2 at 20 s") !=
      std::string::npos);
  const std::regex message(",[^,\n]*(\"[^\"]*\")?\n");
  CHECK(std::regex_replace(rows, message, "\n") == std::regex_replace(theirs, message, "\n"));
}

TEST_CASE("branches: what does not fit is refused where it is written") {
  const test::Scratch dir;
  const auto refusal = [&dir](const std::string& changes, const std::string& arguments = "") {
    dir.write("s.json", study(branches(changes)));
    const std::string message = test::refusal(dir, "validate s.json " + arguments);
    return message.substr(message.find(": /") + 2);
  };
  CHECK(
      refusal(R"({"network.latancy": 1})") ==
      "/branches/set/1/value/network.latancy: unknown key 'network.latancy'; did you mean 'network.latency'?\n");
  CHECK(
      refusal(R"({"protocol.stepp": 1})") ==
      "/branches/set/1/value/protocol.stepp: unknown key 'protocol.stepp' of a branch; did you mean 'protocol.step'?\n");
  for (const std::string key : {"network.latency", "protocol.step", "events"})
    CHECK(refusal("{\"" + key + "\": null}") ==
          "/branches/set/1/value/" + key +
              ": expected a value, found null: leave out what the branch does not change\n");
  CHECK(refusal(R"({"rate": 1})") ==
        "/branches/set/1/value/rate: unknown key 'rate'; known keys: network.latency, network.loss, "
        "network.bandwidth, network.compute_time, events, protocol.step, protocol.momentum\n");
  CHECK(
      refusal(R"({"network": {"loss": 1}})") ==
      "/branches/set/1/value/network: expected the path of an option, such as 'network.latency', found "
      "'network'; known keys: network.latency, network.loss, network.bandwidth, network.compute_time, events, "
      "protocol.step, protocol.momentum\n");
  CHECK(refusal(R"({"network.loss": 1})", "--set branches.when=1") ==
        "/branches/when: unknown key 'when'; known keys: at, noise, continuations, set\n");
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
  dir.write("s.json", study(",\n \"branches\": {\"at\": \"30 s\",\n \"set\": [{}]}"));
  CHECK_THAT(test::refusal(dir, "validate s.json"),
             Catch::StartsWith("s.json:8:21: /branches/at: expected a time"));
  CHECK(refusal("{\"network.loss\": 1}", "--set branches.at=30") ==
        "/branches/at: expected a time before the end of the run (30 s), found 30 s\n");
  CHECK(refusal("{\"network.loss\": 1}",
                R"(--set 'branches.at={"iterations": 60}' --set stop.iterations=60)") ==
        "/branches/at/iterations: expected fewer iterations than those of the run (60), found 60\n");
  CHECK(refusal("{\"network.loss\": 1}", R"(--set 'branches.at={"iteration": 60}')")
            .find("did you mean 'iterations'?") != std::string::npos);
  CHECK(
      refusal("{\"network.loss\": 1}", "--set branches.continuations=2") ==
      "/branches/continuations: continuations with the same random numbers are equal: set noise to fresh\n");
}

TEST_CASE("branches: errors of the command line name the branch, and the keys of axes are no options") {
  const test::Scratch dir;
  dir.write("s.json", study(""));
  CHECK(test::refusal(dir, R"(validate s.json --set 'branches={"at":"12 s","set":[{},{"rate":1}]}')")
            .starts_with("--set branches: /branches/set/1/rate: unknown key 'rate'"));
  for (const std::string with : {"", R"( --set 'branches={"at":"12 s","set":[{}]}')"})
    CHECK(test::refusal(dir, "validate s.json --set branch=5" + with) ==
          "--set branch: /branch: unknown key 'branch'; did you mean 'branches'?\n");
  CHECK_THAT(test::refusal(dir, R"(validate s.json --set 'sweep={"branch":[1,2]}')"),
             Catch::Contains("/branch: unknown key 'branch'; did you mean 'branches'?\n"));
  CHECK_THAT(test::refusal(dir, "validate s.json --set continuation=2"),
             Catch::Contains("/continuation: unknown key 'continuation'"));
}

TEST_CASE("branches: options are tuned on other runs than those that are reported, with pasts of their own") {
  const test::Scratch dir;
  dir.write("s.json", study(branches(kChanges)));
  // As many as the study has, which are 2, and another number.
  const std::string repetitions = GENERATE("", R"(, "repetitions": 3)");
  const auto outcome = shell(dir,
                             "$program run s.json -o out --no-progress --set 'tune={\"paths\": "
                             R"({"protocol.step": [0.1, 0.2]}, "minimise": "objective")" +
                                 repetitions + "}'");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  std::set<std::uint64_t> tried;
  std::size_t runs = 0;
  analysis::StoredStudy selection(dir / "out/selection"), reported(dir / "out");
  selection.each_run([](const auto&) {},
                     [&](const auto&, const auto& run) { tried.insert(run.fingerprint), ++runs; });
  CHECK(runs == (repetitions.empty() ? 8u : 12u));  // of two branches and two steps
  reported.each_run([](const auto&) {},
                    [&](const auto&, const auto& run) { CHECK_FALSE(tried.contains(run.fingerprint)); });
  CHECK(shell(dir, "$program verify out/selection").code == 0);
}

TEST_CASE("branches: trials with other random numbers than the past's, and audits, are refused") {
  const test::Scratch dir;
  const auto refusal = [&dir](const std::string& arguments) {
    dir.write("s.json", study(branches(R"({"network.loss": 1})")));
    return test::refusal(dir, arguments);
  };
  CHECK(refusal(
            R"(validate s.json --set 'tune={"paths": {"protocol.step": [0.1, 0.2]}, "minimise": "objective",)"
            R"( "trials": {"type": "negative_binomial"}}')")
            .find("/tune/trials: trials have random numbers of their own") != std::string::npos);
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
