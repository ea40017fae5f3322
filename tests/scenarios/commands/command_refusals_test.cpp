// Commands that are refused in one line before anything is computed, and what others print.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "tests/support/process.hpp"

using namespace hearsay;
using namespace hearsay::test;

TEST_CASE("commands: a file or another folder in place of a folder of results is refused") {
  const test::StudyFolder dir;
  std::filesystem::create_directories(dir.path() / "runs" / "a");
  dir.write("runs/a/results.sqlite", "");
  CHECK_THAT(refusal(dir, "report s.json"), Catch::Contains("s.json' is a file; give the folder"));
  CHECK_THAT(refusal(dir, "diff runs/a runs"),
             Catch::EndsWith("runs' contains no results.sqlite; did you mean 'runs/a'?\n"));
}

TEST_CASE("commands: run names the files that it wrote") {
  const test::StudyFolder dir;
  const std::string run = "run s.json --no-progress -o out ";
  const std::string traced =
      output_of(dir, run + "--set 'record.trace={\"format\": [\"csv\", \"perfetto\"]}'");
  CHECK_THAT(traced, Catch::EndsWith("results: out/ (series.csv, scalars.csv, runs.csv, owners.csv, "
                                     "nodes.csv, links.csv, trace.csv, trace.perfetto.json, results.sqlite, "
                                     "manifest.json)\n"));
  CHECK_THAT(output_of(dir, run), !Catch::Contains("trace"));
}

TEST_CASE("commands: export names the table of models") {
  const test::StudyFolder dir;
  test::run_study(dir, "--set record.models=final -o out");
  CHECK_THAT(
      output_of(dir, "export out -o tables"),
      Catch::Contains("(series.csv, scalars.csv, runs.csv, models.csv, owners.csv, nodes.csv, links.csv)"));
}

TEST_CASE("commands: an empty name in place of a file or folder is refused") {
  const test::StudyFolder dir;
  CHECK(refusal(dir, "run s.json -o ''") ==
        "hearsay: --output: expected a folder for the results, found ''\n");
  CHECK(refusal(dir, "trace s.json -o ''") == "hearsay: --output: expected a file to write, found ''\n");
}

TEST_CASE("commands: privacy refuses options that its mechanism does not use") {
  const test::Scratch dir;
  const std::string laplace = "privacy --mechanism laplace --epsilon 1 --steps 10 ";
  CHECK_THAT(refusal(dir, laplace + "--calibration xyz"),
             Catch::Contains("--calibration: expected --mechanism gaussian, found laplace"));
  CHECK_THAT(refusal(dir, laplace + "--delta-step zzz"),
             Catch::Contains("--delta-step: expected --mechanism gaussian"));
  CHECK_THAT(refusal(dir, laplace + "--completion xyz"), Catch::Contains("--completion requires --tree"));
  for (const char* mechanism : {"laplace --epsilon 1", "gaussian --epsilon 1 --delta 1e-5"})
    CHECK_THAT(refusal(dir, std::string("privacy --steps 10 --dimension 500 --mechanism ") + mechanism),
               Catch::EndsWith("--dimension: only with --mechanism exponential_norm\n"));
}

TEST_CASE("commands: a trace for Perfetto has no payloads") {
  const test::StudyFolder dir;
  CHECK_THAT(refusal(dir, "trace s.json --format perfetto --payload"),
             Catch::EndsWith("--payload: only with --format csv\n"));
}

TEST_CASE("commands: names that only one of two sweeps has, or none") {
  const Scratch dir;
  dir.write("a.json", small_scenario(R"("sweep": {"privacy.epsilon": [1, 2]})"));
  dir.write("b.json", small_scenario(R"("sweep": {"protocol.rho": [0.1, 0.2], "seed": [1, 2]})"));
  for (const char* name : {"a", "b"})
    output_of(dir, std::string("run ") + name + ".json --no-progress -o out-" + name);
  const std::string a = dir / "out-a", b = dir / "out-b";
  CHECK_THAT(refusal(dir, "compare " + a + " " + b),
             Catch::Contains("; only " + a + " has the axis privacy.epsilon; only " + b +
                             " has the axes protocol.rho, seed; compare"));
  CHECK_THAT(refusal(dir, "forecast " + a + " --predict b.json"),
             Catch::Contains("; only b.json has the axes protocol.rho, seed; only " + a +
                             " has the axis privacy.epsilon\n"));
  CHECK_THAT(refusal(dir, "run b.json --points 'foo>1'"),
             Catch::Contains("found 'foo'; known names: protocol.rho, seed\n"));
}

TEST_CASE("commands: a report on a time after the end of the trace is refused") {
  const test::StudyFolder dir;
  output_of(dir, "run s.json --set 'record.trace={}' --no-progress -o out");
  CHECK_THAT(refusal(dir, "report out --from '1000 h'"),
             Catch::EndsWith("out/trace.csv has no event from 1000 h on\n"));
  CHECK_FALSE(std::filesystem::exists(dir / "out/report.html"));
  output_of(dir, "report out --from 0");
}

TEST_CASE("commands: a traced run is played, one without a trace is refused") {
  const test::StudyFolder dir;
  test::run_study(dir, "-o out");
  CHECK_THAT(refusal(dir, "play out"),
             Catch::Contains("there is no trace.csv with events in out: add record.trace"));
  CHECK_FALSE(std::filesystem::exists(dir / "out/player.html"));
  output_of(dir, "run s.json --set 'record.trace={}' --no-progress -o traced");
  CHECK_THAT(output_of(dir, "play traced"), Catch::Contains(" events, "));
  CHECK(std::filesystem::exists(dir / "traced/player.html"));
  // A user's file of that name stays.
  dir.write("traced/report.html", "<h1>mine</h1>\n");
  CHECK_THAT(refusal(dir, "report traced"),
             Catch::EndsWith(
                 "traced/report.html: not a page of hearsay, which the page would replace; choose another "
                 "file with -o\n"));
  CHECK(text_of(dir / "traced/report.html") == "<h1>mine</h1>\n");
  output_of(dir, "play traced");
  // Of a part it says so.
  CHECK_THAT(output_of(dir, "play traced --to '1 s' -o part.html"), Catch::Contains("of a part of the run"));
  output_of(dir, "run s.json --set 'record.trace={\"from\": \"1 s\"}' --no-progress -o later");
  CHECK_THAT(output_of(dir, "play later"), Catch::Contains("of a part of the run"));
  CHECK_THAT(text_of(dir / "later/player.html"),
             Catch::Contains(R"("begin":1.0,)") && Catch::Contains(R"("whole":false)"));
}

TEST_CASE("commands: whole numbers may have exponents, and are whole") {
  const test::StudyFolder dir(R"("repeat": 2)");
  test::run_study(dir, "-j 1e0 --max-runs 1e1 --repeat 20e-1 -o out");
  output_of(dir, "verify out --sample 2e0");
  CHECK(output_of(dir, "trace out --repetition 1.0 --agent 2e0") ==
        output_of(dir, "trace out --repetition 1 --agent 2"));
  CHECK(output_of(dir, "bench hold --agents 1e2 --operations 1e3 --rounds 1e0 --json")
            .find("\"agents\": 100") != std::string::npos);
  const std::string privacy = "privacy --mechanism laplace --epsilon 1 --steps ";
  CHECK(output_of(dir, privacy + "1e2") == output_of(dir, privacy + "100"));
  const std::string run = "run s.json --dry-run ";
  for (const char* text : {"1.5", "1e5.5", "1e", "1e-1", "e5", "0x10", "inf", "nan", "1e400", "1e16"}) {
    for (const std::string& command :
         std::vector<std::string>{run + "--jobs ", run + "--max-runs ", "bench hold --agents ", privacy}) {
      const std::string line = refusal(dir, command + text);
      CHECK_THAT(line, Catch::Contains(": expected a whole number from "));
      CHECK_THAT(line, Catch::EndsWith("found '" + std::string(text) + "'\n"));
    }
  }
}

TEST_CASE("commands: agents, repetitions and times that a study does not have are refused") {
  const test::StudyFolder dir(R"("repeat": 2)");
  test::run_study(dir, "-o out");
  const std::string trace = "trace out ", report = "report out ";
  CHECK(refusal(dir, trace + "--agent 9") ==
        "hearsay: --agent: expected an agent, by its number from 0 to 3 or its name, found '9'\n");
  CHECK(refusal(dir, trace + "--repetition 2") ==
        "hearsay: --repetition: expected a whole number from 0 to 1, found '2'\n");
  for (const std::string& command : {trace, report}) {
    CHECK(refusal(dir, command + "--from -1") ==
          "hearsay: --from: expected a time of at least 0 s, found '-1'\n");
    CHECK(refusal(dir, command + "--to '-1 ms'") ==
          "hearsay: --to: expected a time of at least 0 s, found '-1 ms'\n");
    CHECK(refusal(dir, command + "--from 5 --to '1 s'") ==
          "hearsay: --to: expected at least the value of --from (5 s), found 1 s\n");
  }
  CHECK_THAT(refusal(dir, report + "--from 0"), Catch::Contains("--from: there is no trace.csv in"));
  CHECK_THAT(refusal(dir, "run s.json --set 'record.trace={\"agent\": 4}' -o new"),
             Catch::Contains("/record/trace/agent: expected an agent from 0 to 3, found 4"));
}

TEST_CASE("commands: validate checks events against the agents and the end") {
  const test::StudyFolder dir;
  const auto refused_event = [&](const std::string& event) {
    return shell(dir, "hearsay validate s.json --set stop.time=10 --set 'events=[" + event + "]'").err;
  };
  CHECK_THAT(refused_event(R"({"at": 1, "crash": [3, 4]})"),
             Catch::EndsWith("/events/0/crash: expected agents 0 to 3, found agent 4\n"));
  CHECK_THAT(refused_event(R"({"at": 1, "crash": [3]}, {"at": 11, "crash": [1]})"),
             Catch::Contains("/events/1/at: expected a time before the end of the run (10 s), found 11 s"));
  CHECK(refused_event(R"({"at": 1, "crash": [3]})").empty());
}

TEST_CASE("commands: a table of differences names the reference in each row") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 2)");
  test::run_study(dir, "-o out");
  const std::string table =
      output_of(dir, "compare out --reference 1 --metric relative_fitness --format csv");
  CHECK_THAT(table,
             Catch::StartsWith("privacy.epsilon,metric,pairs,mean_difference,low,high,variance_reduction,"
                               "reference\n0.1,relative_fitness,2,"));
  CHECK_THAT(table, Catch::EndsWith(",privacy.epsilon=1\n"));
  CHECK_THAT(output_of(dir, "compare out out --metric relative_fitness --format csv"),
             Catch::EndsWith(",out\n"));
}

TEST_CASE("commands: explain finds a name below the top level") {
  const test::Scratch dir;
  CHECK_THAT(output_of(dir, "explain fedavg"), Catch::StartsWith("protocol.fedavg\n"));
  CHECK(output_of(dir, "explain steps") == output_of(dir, "explain privacy.steps"));
  CHECK_THAT(refusal(dir, "explain local_steps"),
             Catch::Contains("give a path: protocol.p2p_admm.local_steps, "));
  CHECK_THAT(refusal(dir, "explain dropout"),
             Catch::Contains("no option has this name; about it: network.availability"));
  CHECK_THAT(refusal(dir, "explain protcol"), Catch::Contains("did you mean 'protocol'?"));
}

TEST_CASE("commands: what is no JSON") {
  const Scratch dir;
  dir.write("s.yaml", "version: 1\n");
  CHECK_THAT(
      refusal(dir, "validate s.yaml"),
      Catch::Contains("s.yaml:1:1: expected a scenario in JSON, which begins with '{', found version"));
  dir.write("s.csv", "a,b\n1,2\n");
  CHECK_THAT(refusal(dir, "validate s.csv"), Catch::Contains("expected a scenario in JSON"));
  dir.write("s.json", small_scenario());
  CHECK_THAT(refusal(dir, "validate s.json --set network.compute_time=fast"),
             Catch::Contains(R"(/network/compute_time: expected a duration such as "15 ms")"));
}

TEST_CASE("commands: explain knows the keys that are of no run") {
  const test::Scratch dir;
  CHECK_THAT(output_of(dir, "explain extends"),
             Catch::StartsWith("extends\n  type      path of another scenario"));
  CHECK_THAT(output_of(dir, "explain sweep"), Catch::StartsWith("sweep\n"));
  CHECK_THAT(output_of(dir, "explain"), Catch::Contains("\n    extends ") && Catch::Contains("\n    sweep "));
}

TEST_CASE("commands: a trace tells timeouts of answered queries from others") {
  const test::StudyFolder dir;
  // Round trips of exactly 0.2 s: every reply that is not lost is earlier than the timeout.
  const auto timers = [&](const std::string& loss) {
    const std::string table = output_of(dir,
                                        "trace s.json --kinds timer --set network.latency=0.1 "
                                        "--set 'protocol.timeout=300 ms' --set network.loss=" +
                                            loss);
    return table.substr(table.find('\n') + 1);
  };
  const std::string reliable = timers("0"), lossy = timers("0.5");
  INFO(lossy.substr(0, 300));
  CHECK(occurrences(reliable, ",timeout (no effect),") > 0);
  CHECK(occurrences(reliable, ",timeout (no effect),") == occurrences(reliable, "\n"));
  CHECK(occurrences(lossy, ",timeout,") > 0);
  CHECK(occurrences(lossy, ",timeout,") + occurrences(lossy, ",timeout (no effect),") ==
        occurrences(lossy, "\n"));
}

TEST_CASE("commands: dashes alone are no option") {
  const test::Scratch dir;
  for (const char* command : {"run ----", "privacy ----", "status ---"})
    CHECK_THAT(refusal(dir, command), Catch::Contains("unrecognised option '---"));
}

TEST_CASE("commands: an option that looks like a placeholder of boost's messages is refused by its name") {
  const test::Scratch dir;
  for (const char* name : {"%canonical_option%", "a%option%b", "%original_token%%prefix%", "100%"}) {
    CHECK_THAT(refusal(dir, "status --" + std::string(name)),
               Catch::Contains("unrecognised option '--" + std::string(name) + "'"));
    CHECK_THAT(refusal(dir, "privacy --" + std::string(name) + "="), Catch::Contains(name));
  }
}
