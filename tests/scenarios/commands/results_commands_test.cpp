// Commands on what a study has left.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/registry.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

const char* const kAxis = R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 4)";

}  // namespace

TEST_CASE("commands: each prints its usage, and errors in one line") {
  const Scratch dir;
  for (const char* name : {"run", "validate", "show", "explain", "list", "schema", "export", "verify", "diff",
                           "compare", "forecast", "trace", "report", "figures", "bench"}) {
    INFO(name);
    const auto help = shell(dir, std::string("hearsay ") + name + " --help");
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Catch::StartsWith(std::string("usage: hearsay ") + name));
    const auto wrong = shell(dir, std::string("hearsay ") + name + " --no-such-option");
    CHECK(wrong.code == 2);
    CHECK(std::count(wrong.err.begin(), wrong.err.end(), '\n') == 1);
  }
  for (const char* name : {"export", "verify", "compare", "forecast", "report", "figures"}) {
    const auto empty = shell(dir, std::string("hearsay ") + name + " none");
    CHECK(empty.code == 2);
    CHECK(empty.err == "hearsay: expected a folder of results: there is no folder 'none'\n");
    CHECK_FALSE(std::filesystem::exists(dir / "none"));
  }
}

TEST_CASE("commands: export writes the tables that run wrote") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o out");
  test::ended_with(dir, "export out -o again");
  check_same_files(dir / "out", dir / "again", {"series.csv", "scalars.csv", "runs.csv"});
  test::ended_with(dir, "export out --format xls", 2);
}

TEST_CASE(
    "commands: what is chosen, and compared with, by the text of a number is found again in the results") {
  const test::StudyFolder dir(
      R"("repeat": 2, "sweep": {"network.loss": [0.10, 1e-5], "privacy.epsilon": [1e-1, 1.0]},
    "tune": {"paths": {"protocol.rho": [1e0, 2.0]}, "minimise": "relative_fitness"})");
  run_study(dir, "-o out");
  CHECK_THAT(test::output_of(dir, "verify out"), Catch::StartsWith("8 of 8 runs repeated"));
  CHECK_THAT(test::output_of(dir, "trace out"), Catch::StartsWith("sequence,time_s"));
  dir.write("until.json",
            test::small_scenario(R"("sweep": {"privacy.epsilon": [1e-1, 1.0]}, "repeat": {"min": 2,
    "max": 3, "until": [{"metric": "relative_fitness", "half_width": 1e9, "against": ["privacy.epsilon=1e-1"]}]})"));
  test::ended_with(dir, "run until.json -o until");
  CHECK_THAT(test::output_of(dir, "verify until"), Catch::StartsWith("4 of 4 runs repeated"));
}

TEST_CASE("commands: verify repeats runs from the results alone and detects a changed one") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o out");
  std::filesystem::remove(dir / "s.json");
  const auto all = test::ended_with(dir, "verify out");
  CHECK_THAT(all.out, Catch::StartsWith("8 of 8 runs repeated"));
  CHECK_THAT(shell(dir, "hearsay verify out --sample 3").out, Catch::StartsWith("3 of 8 runs"));
  test::ended_with(dir, "verify out --sample 0", 2);
  std::filesystem::create_directories(dir.path() / "damaged");
  std::filesystem::copy_file(dir / "out/results.sqlite", dir / "damaged/results.sqlite");
  test::damage(dir / "damaged", "UPDATE document SET text = '[]'");
  test::ended_with(dir, "verify damaged", 4);
  test::rewrite(dir / "out", "UPDATE run SET fingerprint = 170 WHERE repetition = 2");
  const auto changed = test::ended_with(dir, "verify out", 70);
  CHECK_THAT(changed.err, Catch::Contains("privacy.epsilon=0.1, repetition 2") &&
                              Catch::Contains("expected 00000000000000aa"));
}

TEST_CASE("commands: verify reports a changed input file") {
  const Scratch dir;
  dir.write("a.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  dir.write("s.json", R"({"data": {"type": "csv", "path": "a.csv", "target": "y", "owner": {"blocks": 2}},
    "privacy": {"mechanism": "none"}, "protocol": {"type": "central_async", "rho": 1e-5}, "stop": {"iterations": 5}})");
  run_study(dir, "-o out");
  CHECK(shell(dir, "cd / && hearsay verify " + dir / "out").code == 0);
  dir.write("a.csv", "x,y\n1,2\n2,3\n3,5\n4,5\n");
  const auto changed = shell(dir, "cd / && hearsay verify " + dir / "out");
  CHECK(changed.code == 4);
  CHECK_THAT(changed.err, Catch::Contains("an input file or hearsay has changed"));
}

// The folder of results has an owners.csv too, and a second data folder another file of the same name.
TEST_CASE("commands: verify reads the input files that run has read") {
  const Scratch dir;
  dir.write("owners.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  for (const char* folder : {"first", "another"}) std::filesystem::create_directories(dir.path() / folder);
  dir.write("first/d.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  dir.write("another/d.csv", "x,y\n1,2\n2,3\n3,5\n4,8\n");
  for (const char* file : {"owners.csv", "d.csv"}) {
    dir.write(
        "s.json",
        fmt::format(R"({{"data": {{"type": "csv", "path": "{}", "target": "y", "owner": {{"blocks": 2}}}},
      "privacy": {{"mechanism": "none"}}, "protocol": {{"type": "central_async", "rho": 1e-5}}, "stop": {{"iterations": 5}}}})",
                    file));
    const std::string out = dir / "out-" + file;
    run_study(dir, "-o " + out + " --data-dir first --data-dir another");
    test::ended_with(dir, "verify " + out + " --allow-path " + dir.path().string());
  }
}

TEST_CASE("commands: verify reads the files of an extended scenario, whatever has their names elsewhere") {
  const Scratch dir;
  dir.write("s/base/d.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  dir.write("s/d.csv", "x,y\n1,2\n2,3\n3,5\n4,9\n");
  dir.write("s/base/e.csv", "x,y\n1,2\n2,3\n3,5\n4,7\n");
  dir.write("more/e.csv", "x,y\n1,2\n2,3\n3,5\n4,8\n");
  dir.write("s/base/base.json",
            R"({"data": {"type": "csv", "path": "d.csv", "target": "y", "owner": {"blocks": 2}},
    "privacy": {"mechanism": "none"}, "protocol": {"type": "central_async", "rho": 1e-5}, "stop": {"iterations": 5}})");
  dir.write("s/top.json", R"({"extends": "base/base.json"})");
  // A file that the extending scenario names is not searched for in the folder of the other.
  dir.write("s/own.json", R"({"extends": "base/base.json", "data": {"path": "e.csv"}})");
  for (const std::string name : {"top", "own"}) {
    INFO(name);
    test::ended_with(dir, "run s/" + name + ".json --no-progress -o " + name + " --data-dir more");
    test::ended_with(dir, "verify " + name);
    test::ended_with(dir, "trace " + name);
  }
  // A file that has changed is one.
  dir.write("s/base/d.csv", "x,y\n1,2\n2,3\n3,5\n4,5\n");
  test::ended_with(dir, "verify top", 4);
}

// A received store must not decide which files are read.
TEST_CASE("commands: input files of a stored study are read below the current folder and named folders") {
  const Scratch dir;
  dir.write("home/a.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
  dir.write("away/none", "");
  dir.write("other/a.csv", "x,y\n1,2\n2,3\n3,5\n4,5\n");
  dir.write("s.json", R"({"data": {"type": "csv", "path": "a.csv", "target": "y", "owner": {"blocks": 2}},
    "privacy": {"mechanism": "none"}, "protocol": {"type": "central_async", "rho": 1e-5}, "stop": {"iterations": 5}})");
  const std::string home = dir / "home";
  run_study(dir, "-o out --data-dir " + home);
  for (const std::string name : {"verify", "trace"}) {
    const std::string command = "hearsay " + name + " ../out";
    INFO(command);
    const auto in = [&](const char* folder, const std::string& line) {
      return shell(dir, std::string("cd ./") + folder + " && " + line);
    };
    CHECK(in("", "hearsay " + name + " out").code == 0);
    CHECK(in("home", command).code == 0);
    for (const char* folder : {"away", "other"}) {
      const auto refused = in(folder, command);
      CHECK(refused.code == 2);
      const std::string again = command + " --data-dir " + dir.path().string() + " --data-dir " + home;
      CHECK_THAT(refused.err,
                 Catch::EndsWith("files that the study has read in " + dir.path().string() + " and " + home +
                                 " are not read without --data-dir; to read " + "them, run " + again + "\n"));
      CHECK(std::ranges::count(refused.err, '\n') == 1);
      CHECK(in(folder, again).code == 0);
    }
    CHECK(in("away", command + " --allow-path " + home).code == 0);
    CHECK(in("away", "HEARSAY_DATA_DIR=" + home + " " + command).code == 0);
    CHECK(in("away", "HEARSAY_DATA_DIR=missing " + command).code == 2);
  }
}

TEST_CASE("commands: every reader says how many runs are missing, and a damaged set of runs is an error") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o whole");
  for (const char* part : {"partial", "damaged"}) {
    std::filesystem::create_directories(dir.path() / part);
    for (const char* file : {"results.sqlite", "manifest.json"})
      std::filesystem::copy_file(dir / "whole/" + file, dir / part + "/" + file);
  }
  // As an interrupted study leaves it, and as damage does: runs 2 and 3 of the first point and 3 of the second.
  const char* const gone =
      "DELETE FROM run WHERE id IN (SELECT run.id FROM run JOIN study ON study.point = run.point WHERE "
      "repetition = 3 "
      "OR (repetition = 2 AND number = 0))";
  test::rewrite(dir / "partial", gone);
  test::damage(dir / "damaged", gone);
  const std::string missing = ": 3 of 8 runs are missing: ", damage = "runs that were stored are not found";
  for (const std::string command :
       {"export", "report", "figures", "compare", "verify", "forecast --term 1 --coalition 200:1,200:1"}) {
    INFO(command);
    const auto on = [&](const std::string& folder) {
      return shell(dir, "hearsay " + command + " " + folder);
    };
    CHECK_THAT(on("whole").err, !Catch::Contains("missing"));
    const auto partial = on("partial"), damaged = on("damaged");
    CHECK(partial.code == 0);
    CHECK_THAT(partial.err, Catch::Contains("partial" + missing) && !Catch::Contains(damage));
    CHECK(damaged.code == 4);
    CHECK_THAT(damaged.err, Catch::Contains("damaged" + missing) && Catch::Contains(damage));
  }
  const auto diff = [&](const std::string& a, const std::string& b) {
    return shell(dir, "hearsay diff " + a + " " + b);
  };
  for (const auto& [a, b] : {std::pair{"partial", "whole"}, {"whole", "partial"}}) {
    const auto differs = diff(a, b);
    CHECK(differs.code == 1);
    CHECK(differs.out == "privacy.epsilon=0.1, repetition 2: missing in partial\n");
    CHECK_THAT(differs.err, Catch::Contains("partial" + missing));
  }
  CHECK(diff("partial", "partial").code == 0);
  CHECK(diff("damaged", "whole").code == 4);
  // The study is completed by running it again.
  run_study(dir, "-o damaged");
  CHECK(diff("damaged", "whole").code == 0);
}

TEST_CASE("commands: diff and compare name the options in which two studies differ") {
  const test::StudyFolder dir(R"("repeat": 3, "seed": 7)");
  run_study(dir, "-o a");
  run_study(dir, "-o b --set protocol.rho=0.5 --set network.loss=0.1 --set name=other");
  const std::string expected =
      "options that differ: network.loss: not given in a, 0.1 in b; protocol.rho: 1 in a, 0.5 in b\n";
  CHECK_THAT(shell(dir, "hearsay diff a b").out, Catch::EndsWith(expected));
  CHECK(shell(dir, "hearsay compare a b").err == expected);
  run_study(dir, "-o c --set name=other");
  CHECK(shell(dir, "hearsay compare a c").err.empty());
}

TEST_CASE("commands: diff and compare know equal values that are written otherwise") {
  const test::StudyFolder dir(R"("repeat": 2)");
  run_study(dir, R"(-o a --set 'sweep={"network.latency.max":["15 ms","30 ms"]}')");
  run_study(dir, R"(-o b --set 'sweep={"network.latency.max":[0.015,0.03]}')");
  CHECK_THAT(test::ended_with(dir, "diff a b").out, Catch::StartsWith("4 runs, all equal\n"));
  CHECK(test::ended_with(dir, "compare a b --metric relative_fitness --format csv").out ==
        "network.latency.max,metric,pairs,mean_difference,low,high,variance_reduction,reference\n"
        "15 ms,relative_fitness,2,0,0,0,inf,a\n30 ms,relative_fitness,2,0,0,0,inf,a\n");
  run_study(dir, R"(-o c --set 'sweep={"network.latency.max":["20 ms"]}')");
  CHECK_THAT(test::refusal(dir, "compare a c"),
             Catch::Contains("hearsay: a and c have no point in common\n"));
}

TEST_CASE("commands: run warns when it replaces the tables of another study") {
  const test::StudyFolder dir(R"("repeat": 3)");
  const auto run = [&](const std::string& more) {
    const auto outcome = test::ended_with(dir, "run s.json --no-progress -o out " + more);
    return outcome.err;
  };
  CHECK_THAT(run(""), !Catch::Contains("tables of another study"));
  CHECK_THAT(run("--repeat 4"),
             !Catch::Contains("tables of another study"));  // these tables contain the earlier ones
  const std::string warning =
      "warning: out: the tables of another study are replaced; its runs stay in results.sqlite. options that "
      "differ: ";
  CHECK_THAT(run("--repeat 2"), Catch::Contains(warning + "repeat: 4 before, 2 now\n"));
  CHECK_THAT(run("--repeat 2 --set protocol.rho=0.5"),
             Catch::Contains(warning + "protocol.rho: 1 before, 0.5 now\n"));
}

TEST_CASE("commands: diff finds the first run and number in which two studies differ") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o a");
  run_study(dir, "-o b -j 1");
  const auto same = test::ended_with(dir, "diff a b");
  CHECK(same.out == "8 runs, all equal\n");
  // Agents 1 to 3 hold data; iterations 0, 50, ... are recorded. A sample has 5 numbers, the fitness and one for each
  // agent, in 8 bytes each: 2.0 in place of agent 2's at the second.
  test::rewrite(dir / "b",
                "UPDATE series SET data = substr(data, 1, 128) || x'0000000000000040' || substr(data, 137) "
                "WHERE run IN (SELECT run.id FROM run JOIN study ON study.point = run.point "
                "WHERE number = 1 AND repetition = 3)");
  const auto number = test::ended_with(dir, "diff a b", 1);
  CHECK_THAT(number.out,
             Catch::StartsWith("privacy.epsilon=1, repetition 3:\n  epsilon_spent_by_owner of agent 2 at "
                               "iteration 50: ") &&
                 Catch::EndsWith(" and 2\n  events: equal by their fingerprints\n"));
}

TEST_CASE("commands: diff compares models, and the numbers of runs and points") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o a --set record.models=final");
  const auto changed = [&](const char* sql) {
    run_study(dir, "-o b --set record.models=final");
    test::rewrite(dir / "b", sql);
    const std::string text = test::ended_with(dir, "diff a b", 1).out;
    std::filesystem::remove_all(dir / "b");
    return text;
  };
  // 2.0 in place of the second of the learner's parameters.
  CHECK_THAT(changed("UPDATE model SET data = substr(data, 1, 8) || x'0000000000000040' || substr(data, 17) "
                     "WHERE run IN (SELECT run.id FROM run JOIN study ON study.point = run.point "
                     "WHERE number = 1 AND repetition = 3)"),
             Catch::StartsWith("privacy.epsilon=1, repetition 3:\n  parameter 1 of the model of agent 0: ") &&
                 Catch::EndsWith(" and 2\n  events: equal by their fingerprints\n"));
  CHECK_THAT(changed("UPDATE scalar SET value = -1 WHERE run IS NULL AND name = 'optimum.objective' "
                     "AND point IN (SELECT point FROM study WHERE number = 1)"),
             Catch::StartsWith("point 1:\n  optimum.objective: ") && Catch::EndsWith(" and -1\n"));
}

TEST_CASE("commands: diff finds what splitting adds to equal runs, and names options that change nothing") {
  const test::Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 10, "records": 5},
    "network": {"topology": "star", "latency": "10 ms", "availability": {"type": "on_off", "start": "up",
      "up": {"type": "exponential", "mean": "20 s"}, "down": {"type": "exponential", "mean": "1 s"}}},
    "protocol": "fedavg", "privacy": {"mechanism": "none"}, "stop": {"time": "2 s"},
    "record": {"every": {"time": "0.1 s"}, "metrics": ["fraction_up"]},
    "splitting": {"level": "fraction_up", "towards": "below", "levels": [0.8, 0.6, 0.4], "effort": 10}})");
  run_study(dir, "-o a");
  run_study(dir, "-o b --set 'splitting.levels=[0.8,0.6,0.4,0.2]'");
  CHECK_THAT(
      test::ended_with(dir, "diff a b", 1).out,
      Catch::StartsWith("repetition 0:\n  splitting.level.4: none and 0.2\n  events: equal by their fing") &&
          Catch::EndsWith(
              "\noptions that differ: splitting.levels: [0.8,0.6,0.4] in a, [0.8,0.6,0.4,0.2] in b\n"));
  run_study(dir, "-o c --set stop.events=1000000");
  CHECK_THAT(output_of(dir, "diff a c"),
             Catch::StartsWith("1 run, all equal\noptions that differ: stop.events: "));
}

TEST_CASE("commands: diff repeats two runs and finds the first different event") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o a --set protocol.timeout=1");
  // Another seed: only the start is the same, and the first to happen after it is a tick.
  run_study(dir, "-o b --set protocol.timeout=1 --seed 2");
  const auto seed = test::ended_with(dir, "diff a b", 1);
  CHECK_THAT(seed.out, Catch::StartsWith("privacy.epsilon=0.1, repetition 0:\n  fingerprint: ") &&
                           Catch::Contains("  first different event: number 1 (from 0)\n    a: 0.") &&
                           Catch::Contains(" s  tick  agent "));
  // The same random numbers, but some messages are lost: the traces part where the first of them is.
  run_study(dir, "-o c --set protocol.timeout=1 --set network.loss=0.02");
  std::stringstream left(shell(dir, "hearsay trace a").out), right(shell(dir, "hearsay trace c").out);
  std::string x, y;
  long number = -2;  // a header, and counting from 0
  do {
    ++number;
  } while (std::getline(left, x) && std::getline(right, y) && x == y);
  REQUIRE_THAT(y, Catch::Contains(",lose,"));
  const auto loss = shell(dir, "hearsay diff a c").out;
  CHECK_THAT(loss,
             Catch::Contains(fmt::format("  first different event: number {} (from 0)\n", number)) &&
                 Catch::Contains(" s  lose  agent ") &&
                 Catch::EndsWith("  loss\noptions that differ: network.loss: not given in a, 0.02 in c\n"));
  // A scenario that cannot be planned again.
  test::rewrite(dir / "c", "DELETE FROM info WHERE name = 'scenario'");
  CHECK_THAT(shell(dir, "hearsay diff a c").out,
             Catch::Contains("  events: not compared, because the runs cannot be repeated: c"));
}

TEST_CASE("commands: compare pairs repetitions, within a study and between two") {
  const test::StudyFolder dir(kAxis);
  run_study(dir, "-o a");
  const auto within = test::ended_with(dir, "compare a");
  CHECK_THAT(within.out, Catch::Contains("differences from point 0 (privacy.epsilon=0.1)") &&
                             Catch::Contains("Student's t intervals of 95 % confidence") &&
                             Catch::Contains("relative_fitness"));
  // The same study twice: no difference at all.
  run_study(dir, "-o b");
  const auto between = test::ended_with(dir, "compare a b --confidence 0.9");
  CHECK_THAT(between.out, Catch::Contains("      4                0    [0, 0]"));
  test::ended_with(dir, "compare a --reference 2", 2);
  test::ended_with(dir, "compare a --confidence 1", 2);
}

TEST_CASE("commands: trace shows the events of one run, of a scenario or of results") {
  const test::StudyFolder dir(std::string(kAxis) + R"(, "model": {"l2": 0.01})", 20);
  run_study(dir, "-o a");
  const std::string of_scenario = shell(dir, "hearsay trace s.json --point 1 --repetition 2").out;
  CHECK(of_scenario.starts_with(
      "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,iteration,detail,origin\n0,0,start"));
  CHECK(shell(dir, "hearsay trace a --point 1 --repetition 2").out == of_scenario);
  const std::string sends = shell(dir, "hearsay trace s.json --kinds send --agent 2 --to '5 s'").out;
  CHECK(std::count(sends.begin(), sends.end(), '\n') > 3);
  for (std::size_t line = sends.find('\n') + 1; line < sends.size(); line = sends.find('\n', line) + 1) {
    const std::string text = sends.substr(line, sends.find('\n', line) - line);
    CHECK(text.find(",send,") != std::string::npos);
    CHECK((text.find(",send,2,") != std::string::npos || text.find(",send,0,2,") != std::string::npos));
  }
  test::ended_with(dir, "trace s.json -o t.csv");
  CHECK(text_of(dir / "t.csv") == shell(dir, "hearsay trace s.json").out);
  const std::string perfetto = shell(dir, "hearsay trace s.json --format perfetto").out;
  CHECK(perfetto.starts_with("{\"displayTimeUnit\":\"ms\",\"traceEvents\":["));
  run_study(dir, R"(-o p --set 'record.trace={"format":["perfetto"]}')");
  CHECK(text_of(dir / "p/trace.perfetto.json") == perfetto);
  CHECK_FALSE(std::filesystem::exists(dir / "p/trace.csv"));
  CHECK_THAT(shell(dir, "hearsay trace s.json --format perfeto").err,
             Catch::Contains("did you mean 'perfetto'?"));
  CHECK_THAT(shell(dir, "hearsay trace s.json --kinds sent").err, Catch::Contains("did you mean 'send'?"));
  test::ended_with(dir, "trace s.json --point 2", 2);
  CHECK(test::refusal(dir, "trace a --set privacy.epsilon=5") ==
        "hearsay: --set: a run of the folder a has its options; trace a scenario\n");
  CHECK_THAT(shell(dir, "hearsay trace s.json > /dev/full").err, Catch::Contains("writing failed"));
}

TEST_CASE("commands: show --runs lists points, --dry-run reports missing runs and writes nothing") {
  const test::StudyFolder dir(kAxis);
  CHECK(shell(dir, "hearsay show s.json --runs").out ==
        "0  privacy.epsilon=0.1  x 4\n1  privacy.epsilon=1  x 4\n");
  const std::string dry = "hearsay run s.json --dry-run -o out";
  CHECK_THAT(shell(dir, dry).out, Catch::StartsWith("8 runs: 0 cached, 8 to run; results: "));
  CHECK_FALSE(std::filesystem::exists(dir / "out"));
  run_study(dir, "-o out --points 'privacy.epsilon < 1'");
  CHECK_THAT(shell(dir, dry).out,
             Catch::StartsWith("8 runs: 4 cached, 4 to run; results: ") && Catch::Contains("2 points"));
  CHECK_THAT(shell(dir, dry).out, Catch::Contains("\nprivacy: unit record, trust owner, adjacency "));
}

TEST_CASE("commands: what show prints is the same scenario") {
  const test::StudyFolder dir;
  for (const char* bandwidth :
       {R"("1 kB/s")", R"({"rate": "1 kB/s"})", R"({"rate": ["1 kB/s", 2, 3, 4]})",
        R"({"rate": {"type": "pareto", "min": "1 kB/s", "alpha": 2}})",
        R"({"rate": {"default": 5, "agents": {"1": 7}}})", R"({"uplink": {"type": "uniform", "max": 9}})"}) {
    INFO(bandwidth);
    const auto shown =
        shell(dir, std::string("hearsay show s.json --set 'network.bandwidth=") + bandwidth + "'");
    REQUIRE(shown.code == 0);
    dir.write("shown.json", shown.out);
    CHECK(shell(dir, "hearsay show shown.json").out == shown.out);
  }
}

TEST_CASE("commands: bench measures every protocol, or a scenario") {
  const test::StudyFolder dir;
  const auto all = test::ended_with(dir, "bench --seconds 0");
  CHECK_THAT(all.out, Catch::Contains("events/s  iterations/s  simulated s/s"));
  CHECK(test::has_words(all.out, "central_async none 1"));
  CHECK(test::has_words(all.out, "central_async laplace 1"));
  // Every protocol has a row without noise, and one with noise or the reason why not.
  for (const models::ProtocolRow& row : models::protocols()) {
    const std::string name(row.entry.name);
    INFO(name);
    CHECK(test::has_words(all.out, name + " none 1"));
    const bool noisy = test::has_words(all.out, name + " laplace 1") ||
                       test::has_words(all.out, name + " gaussian 1") ||
                       test::has_words(all.out, name + " exponential_norm 1");
    CHECK(noisy != (all.out.find(name + " with noise could not be measured: ") != std::string::npos));
  }
  CHECK(all.out.find("without noise could not be measured") == std::string::npos);
  const auto one = test::ended_with(dir, "bench --seconds 0 s.json --set protocol.rho=2");
  CHECK(test::has_words(one.out, "central_async laplace"));
  test::ended_with(dir, "bench --seconds never", 2);
  test::ended_with(dir, "bench /nowhere.json", 2);
}

TEST_CASE("commands: no differential privacy is claimed where no point has a mechanism") {
  const Scratch dir;
  const auto statement_of = [&](const std::string& sweep) {
    dir.write("s.json", small_scenario(sweep));
    run_study(dir, "-o out --set protocol.rho=1e-3 --set 'record.metrics=[\"objective\"]'");
    const auto manifest = nlohmann::json::parse(text_of(dir / "out/manifest.json"));
    return manifest.at("privacy").at("statement").get<std::string>();
  };
  CHECK(statement_of(R"("sweep": {"privacy.mechanism": ["none"]})") ==
        "mechanism \"none\": no privacy guarantee");
  if (const auto report = shell(dir, "hearsay report out"); report.code == 0)
    CHECK(text_of(dir / "out/report.html").find("simulated differential privacy") == std::string::npos);
  // Of a study that has been interrupted, by its scenario.
  dir.write("s.json", small_scenario());
  run_study(dir, "-o none --set protocol.rho=1e-3 --set 'privacy={\"mechanism\": \"none\"}'");
  std::filesystem::remove(dir / "none/manifest.json");
  if (const auto report = shell(dir, "hearsay report none"); report.code == 0)
    CHECK_THAT(text_of(dir / "none/report.html"),
               Catch::Contains("no privacy guarantee") && !Catch::Contains("simulated differential privacy"));
  // Not only of the first point.
  CHECK(statement_of(R"("sweep": {"privacy.mechanism": ["none", "laplace"]})") ==
        "simulated differential privacy: not for release");
}

TEST_CASE("commands: manifest and report state each guarantee of a study, with a point that has it") {
  const test::StudyFolder dir(R"("sweep": {"privacy": [{"label": "none", "value": {"mechanism": "none"}},
    {"label": "laplace", "value": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 50}},
    {"label": "gaussian", "value": {"mechanism": "gaussian", "epsilon": 1, "delta": 1e-5, "clip": 5,
      "accountant": "zcdp", "adjacency": "add_remove"}}], "data.heterogeneity": [0, 1]})",
                              20);
  run_study(dir, "-o out --set protocol.rho=1e-3");
  const auto manifest = nlohmann::json::parse(text_of(dir / "out/manifest.json"));
  // That of the first point with noise is first, then those that differ from it.
  CHECK(manifest.at("privacy").at("mechanism") == "laplace");
  CHECK(manifest.at("privacy").at("first_at") ==
        nlohmann::json{{"privacy", "laplace"}, {"data.heterogeneity", "0"}});
  REQUIRE(manifest.at("other_privacy").size() == 2);
  CHECK(manifest.at("other_privacy")[0].at("statement") == "mechanism \"none\": no privacy guarantee");
  CHECK(manifest.at("other_privacy")[1].at("delta") == 1e-5);
  CHECK(manifest.at("other_privacy")[1].at("first_at").at("privacy") == "gaussian");
  if (shell(dir, "hearsay report out").code != 0) return;
  const std::string page = text_of(dir / "out/report.html");
  for (
      const char* text :
      {"Points such as privacy = laplace, data.heterogeneity = 0: simulated differential privacy: not for "
       "release. Guarantee and sensitivity bound of the noise: unit record, trust owner, adjacency replace_one;",
       "Points such as privacy = none, data.heterogeneity = 0: mechanism &quot;none&quot;: no privacy guarantee",
       "adjacency add_remove; clip: every record"}) {
    INFO(text);
    CHECK(page.find(text) != std::string::npos);
  }
}

TEST_CASE("commands: play says where a scenario has traced a part of the run") {
  const test::StudyFolder dir("", 20);
  // The run ends after some 5 s.
  for (const auto& [trace, part] : {std::pair(R"({"to": "1000000 s"})", false),
                                    {R"({"to": "1 s"})", true},
                                    {R"({"kinds": ["send", "deliver", "lose"]})", true}}) {
    run_study(dir, std::string("-o out --set protocol.rho=1e-3 --set 'record.trace=") + trace + "'");
    const auto play = shell(dir, "hearsay play out");
    if (play.code == 4) return;
    INFO(trace);
    CHECK((play.out.find(" of a part of the run") != std::string::npos) == part);
    if (part) continue;
    // The last event completes iteration 20.
    const std::string page = text_of(dir / "out/player.html"), begin = "id=\"figures\">";
    const auto at = page.find(begin) + begin.size();
    const auto tables = nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
    CHECK(tables.at("study").at("trace").at("rows").at("done").back() == 20);
  }
}

TEST_CASE("commands: report writes one page from a study and its manifest") {
  const test::StudyFolder dir(std::string(R"("name": "A & B", "description": "<i>", )") + kAxis);
  run_study(dir, "-o out --seed 17");
  const auto report = shell(dir, "hearsay report out");
  if (report.code == 4) {
    CHECK(
        report.err ==
        "this hearsay was built without the scripts that draw figures: install npm, run script/bootstrap and "
        "build again\n");
    CHECK_FALSE(std::filesystem::exists(dir / "out/report.html"));
    return;
  }
  REQUIRE(report.code == 0);
  const std::string page = text_of(dir / "out/report.html"), manifest = text_of(dir / "out/manifest.json");
  const auto at = manifest.find("\"fingerprint\": \"");
  REQUIRE(at != std::string::npos);
  const std::string fingerprint = manifest.substr(at + 16, 16);
  for (const std::string& text :
       {std::string("<h1>A &amp; B</h1>"), std::string("<p>&lt;i&gt;</p>"),
        std::string("simulated differential privacy: not for release"),
        std::string("<dt>seed</dt><dd><code>17</code></dd>"),
        "<dt>fingerprint</dt><dd><code>" + fingerprint + "</code></dd>",
        std::string("<code>hearsay verify out</code>"), std::string("&quot;rho&quot;: 1")}) {
    INFO(text);
    CHECK(page.find(text) != std::string::npos);
  }
  // The same study gives the same page; a missing manifest is reported.
  test::ended_with(dir, "report out -o again.html");
  CHECK(text_of(dir / "again.html") == page);
  std::filesystem::remove(dir / "out/manifest.json");
  test::ended_with(dir, "report out");
  CHECK_THAT(text_of(dir / "out/report.html"), Catch::Contains("There is no manifest.json"));
}
