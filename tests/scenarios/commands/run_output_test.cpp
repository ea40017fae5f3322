// What the commands print and refuse, as a user meets it.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

TEST_CASE("output: the command in the manifest is quoted for a shell and runs the same study again") {
  const test::StudyFolder dir;
  run_study(dir, R"(--set 'name=it'\''s $HOME "5" \' --set 'sweep.privacy.epsilon=[1, 2]' -o 'two words')");
  const auto manifest = nlohmann::json::parse(text_of(dir / "two words/manifest.json"));
  CHECK(manifest.at("scenario").at("name") == R"(it's $HOME "5" \)");
  const std::string command = manifest.at("command");
  CHECK_THAT(command,
             Catch::StartsWith("hearsay run s.json --no-progress --set 'name=it'\\''s $HOME \"5\" \\'"));
  const auto again = shell(dir, command);
  CHECK_THAT(again.err, Catch::StartsWith("2 runs: 2 cached, 0 to run; results: two words/"));
}

TEST_CASE("output: tables fit the terminal") {
  const test::StudyFolder dir(R"("sweep": {"privacy": [
    {"mechanism": "none"},
    {"label": "a label for the second value", "value": {"mechanism": "laplace", "epsilon": 1, "gradient_bound": 50}},
    {"mechanism": "laplace", "epsilon": 10, "gradient_bound": 50}]})");
  const std::string wide = test::output_of(dir, "run s.json --no-progress -o out");
  CHECK_THAT(wide, Contains("                     privacy  runs ") &&
                       Contains("\na label for the second value ") && !Contains("gradient_bound"));
  CHECK_THAT(text_of(dir / "out/runs.csv"),
             Contains("mechanism=laplace epsilon=10 gradient_bound=50,0,done"));
  const auto narrow = shell(dir, "COLUMNS=80 hearsay run s.json -o out --no-progress");
  std::stringstream lines(narrow.out.substr(0, narrow.out.find("\n3 points")));
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
  CHECK(occurrences(narrow.out, "a label for the second value") == 2);  // once for each metric
}

TEST_CASE("output: an error at some points of a sweep names the first of them") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [1, -1], "protocol.rho": [1, 2]})");
  CHECK(refusal(dir, "run s.json") ==
        "s.json:8:36: /privacy/epsilon: expected a value above 0, found -1 (point 2: privacy.epsilon=-1, "
        "protocol.rho=1)\n");
  // One at every point does not depend on the sweep.
  CHECK(refusal(dir, "run s.json --set 'sweep.privacy.epsilon=[1,2]' --set data.owners=0") ==
        "--set data.owners: /data/owners: expected a value in [1, 100000000], found 0\n");
  CHECK_THAT(
      refusal(dir, "validate s.json --set 'sweep.privacy.epsilon=[1,-1]' --set protocol.rho=-1"),
      Contains(
          "--set sweep.privacy.epsilon: /privacy/epsilon: expected a value above 0, found -1 (point 1: ") &&
          Contains("--set protocol.rho: /protocol/rho: expected a value above 0, found -1\n"));
  // An error that is found once the data are there.
  CHECK_THAT(refusal(dir, "run s.json --set 'sweep.privacy.epsilon=[1,[1,2]]'"),
             Catch::StartsWith(
                 "--set sweep.privacy.epsilon: /privacy/epsilon: expected a list of 3 numbers, found 2 "
                 "(point 1: protocol.rho=1, privacy.epsilon=1 2)"));
  CHECK_THAT(
      refusal(dir, "run s.json --set sweep=null --set 'privacy.epsilon=[1,2]'"),
      Catch::StartsWith("--set privacy.epsilon: /privacy/epsilon: expected a list of 3 numbers, found 2\n"));
}

TEST_CASE(
    "output: a trace with payloads has what is released, sent and delivered, and changes nothing else") {
  const test::StudyFolder dir("", 20);
  run_study(dir, R"(--set protocol.rho=1e-3 --set 'record.trace={}' -o plain)");
  run_study(dir, R"(--set protocol.rho=1e-3 --set 'record.trace={"payload":true}' -o full)");
  CHECK(text_of(dir / "full/series.csv") == text_of(dir / "plain/series.csv"));
  const auto printed = shell(dir, "hearsay trace s.json --payload --set protocol.rho=1e-3");
  CHECK(printed.out == text_of(dir / "full/trace.csv"));
  std::stringstream full(printed.out), plain(text_of(dir / "plain/trace.csv"));
  std::map<std::string, std::string> sent, released;  // by message, by agent
  std::size_t answers = 0, wrong = 0;
  for (std::string line, without; std::getline(full, line) && std::getline(plain, without);) {
    const std::size_t comma = line.rfind(',');
    CHECK(line.substr(0, comma) == without);
    std::vector<std::string> f;
    std::stringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) f.push_back(field);
    const std::string payload = line.substr(comma + 1);
    if (f[2] == "release") released[f[3]] = payload;
    if (f[2] == "send") sent[f[5]] = payload;
    if (f[2] == "deliver") wrong += payload == sent[f[5]] ? 0u : 1u;
    if (f[2] != "send" || f[3] == "0" || payload.empty()) continue;
    ++answers;  // all that an owner sends with numbers is its last release
    wrong += payload == released[f[3]] && occurrences(payload, " ") == 3 ? 0u : 1u;
  }
  CHECK(answers == 20);
  CHECK(wrong == 0);
}

TEST_CASE("output: a trace of a run that the study does not have is refused") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [1, 2]}, "repeat": 3)");
  CHECK(refusal(dir, R"(run s.json --set 'record.trace={"point":2}')") ==
        "--set record.trace: /record/trace/point: expected a point of the study, 0 to 1, found 2\n");
  CHECK(
      refusal(dir, R"(run s.json --set 'record.trace={"repetition":3}')") ==
      "--set record.trace: /record/trace/repetition: expected a repetition of the study, 0 to 2, found 3\n");
  run_study(dir, R"(--set 'record.trace={"point":1,"repetition":2}' -o out)");
  CHECK(text_of(dir / "out/trace.csv").size() > 1000);
  test::ended_with(dir, "trace s.json --from 1 --to 1");
}

TEST_CASE("output: arguments that no command takes are named") {
  const test::StudyFolder dir;
  CHECK_THAT(refusal(dir, "run s.json extra"),
             Catch::StartsWith("hearsay: unexpected argument 'extra': expected one scenario; usage: "));
  CHECK_THAT(refusal(dir, "run s.json --set extends=t.json"),
             Catch::StartsWith("--set extends: a scenario is extended by a file"));
  CHECK_THAT(refusal(dir, "run s.json --set protocol.rho=null"),
             Contains("/protocol/rho: required key is missing; expected a number or \"auto\"\n"));
}

TEST_CASE("output: compare selects metrics, writes csv, and names points without a counterpart") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [1, 2]}, "repeat": 3)");
  run_study(dir, "-o a");
  run_study(dir, "-o b --set 'sweep.privacy.epsilon=[2,3]'");
  const auto both = test::ended_with(dir, "compare a b --metric relative_fitness --format csv");
  // Point 2 is the same in both.
  CHECK(both.out ==
        "privacy.epsilon,metric,pairs,mean_difference,low,high,variance_reduction,reference\n2,relative_"
        "fitness,3,0,0,"
        "0,inf,a\n");
  CHECK(both.err ==
        "not compared: only a has the point privacy.epsilon=1\n"
        "not compared: only b has the point privacy.epsilon=3\n"
        "options that differ: sweep.privacy.epsilon: [1,2] in a, [2,3] in b\n");
  const std::string within = shell(dir, "hearsay compare a --metric relative_fitness").out;
  CHECK_THAT(within, Contains("relative_fitness") && !Contains("epsilon_spent"));
  CHECK_THAT(refusal(dir, "compare a --metric relative_fitnes"),
             Contains("did you mean 'relative_fitness'?"));
  CHECK_THAT(refusal(dir, "compare a --format tsv"), Contains("--format: expected one of text, csv"));
  // Metrics that are not asked for may differ.
  run_study(dir, R"(-o c --set 'record.metrics=["objective","relative_fitness"]')");
  const std::string to_c = "hearsay compare a c --format csv --metric ";
  CHECK_THAT(shell(dir, to_c + "relative_fitness").out, Contains("\n2,relative_fitness,3,0,0,0,"));
  CHECK_THAT(refusal(dir, "compare a c"), Contains("only c has the metric objective"));
  CHECK_THAT(refusal(dir, "compare a c --metric epsilon_spent_by_owner"),
             Contains("only a has the metric epsilon_spent_by_owner"));
}

TEST_CASE("output: the first run that diverged is named, not one before with a warning") {
  const test::StudyFolder dir(R"("sweep": {"zip": [{"stop.iterations": [2000, 200],
      "protocol.budget_for": ["horizon", "horizon"], "protocol.rho": [1, 1e12]}]})",
                              2000);
  const auto outcome = shell(dir, "hearsay run s.json --no-progress -o out --set model.theta_max=null");
  CHECK_THAT(outcome.err, Contains("larger than needed"));
  CHECK_THAT(outcome.out,
             Contains("1 run diverged, 0 failed: see out/runs.csv; the first: point 1, repetition 0: "));
}

TEST_CASE("output: explain lists options of every type once") {
  const std::string text = shell("hearsay explain network.topology").out;
  for (const char* common : {"\n      overlay ", "\n      size ", "\n      nodes "})
    CHECK(occurrences(text, common) == 1);
  CHECK(occurrences(text, "\n      radius ") == 1);
  CHECK(occurrences(text, "    options of every type:\n") == 1);
  // One type alone has them all.
  CHECK(occurrences(shell("hearsay explain network.topology.ring").out, "\n    overlay ") == 1);
}

TEST_CASE("output: a run that fails ended by its failure") {
  const test::StudyFolder dir(R"("repeat": 2)");
  // A graph drawn by each repetition: at some of these densities it is not connected.
  const auto failed = test::ended_with(
      dir,
      R"(run s.json --no-progress -o out --repeat 40 --set 'protocol={"type":"p2p_coordinate_descent"}' --set )"
      R"('network.topology={"type":"erdos_renyi","probability":0.7,"draw":"repetition"}' --set 'data={"type":"linear_separators","owners":5}' --set privacy='{"mechanism":"none"}' )"
      R"(--set 'model={"loss":"logistic"}' --set 'record.metrics=["objective_q"]')",
      6);
  const std::string runs = text_of(dir / "out/runs.csv");
  CHECK(occurrences(runs, ",failed,") == 2 * occurrences(runs, ",failed,failed,"));  // status and end
  CHECK(occurrences(runs, ",failed,failed,") > 0);
}

TEST_CASE("run, export, merge: files that hearsay has not written are not replaced or removed") {
  const test::StudyFolder dir;
  run_study(dir, "-o out");
  for (const std::string name : {"models.csv", "tuning.csv", "trace.csv", "links.csv", "manifest.json"}) {
    const std::string folder = "of-" + name, file = folder + "/" + name;
    dir.write(file, "mine");
    const std::string refused =
        file +
        ": not a file of hearsay's results, which results would replace; choose another folder with -o\n";
    for (const std::string command : {"run s.json", "export out", "merge out"})
      CHECK(refusal(dir, command + " -o " + folder) == refused);
    CHECK(text_of(dir / file) == "mine");
    CHECK_FALSE(std::filesystem::exists(dir / (folder + "/results.sqlite")));
  }
  // A graph is no table.
  test::ended_with(dir, "export out --format graphml -o of-links.csv");
  CHECK(text_of(dir / "of-links.csv/links.csv") == "mine");
  run_study(dir, R"(-o star --set 'network.topology={"type":"file","path":"of-links.csv/network.graphml"}')");
  CHECK_THAT(refusal(dir, "export star --format graphml -o of-links.csv"),
             Contains("network.graphml: an input file of the scenario"));
  // Other files stay, and results are replaced.
  dir.write("new/notes.csv", "mine");
  run_study(dir, "-o new");
  run_study(dir, "-o new --set record.models=final");
  CHECK(text_of(dir / "new/notes.csv") == "mine");
  std::filesystem::remove(dir / "new/results.sqlite");
  run_study(dir, "-o new");
  test::ended_with(dir, "export out -o tables");
  test::ended_with(dir, "export out -o tables");
  test::ended_with(dir, "merge out -o new");
}

TEST_CASE("run: input files of the scenario are not replaced by tables") {
  const test::StudyFolder dir;
  const std::string links = "source,target\n0,1\n0,2\n0,3\n";
  dir.write("links.csv", links);
  const std::string file = R"( --set 'network.topology={"type":"file","path":"links.csv"}')";
  CHECK_THAT(refusal(dir, "run s.json -o ." + file),
             Contains("links.csv: not a file of hearsay's results, which results would replace"));
  std::filesystem::remove(dir / "links.csv");
  run_study(dir, "-o .");
  dir.write("links.csv", links);
  CHECK_THAT(refusal(dir, "run s.json --no-progress -o ." + file),
             Contains("links.csv: an input file of the scenario, which results would replace"));
  CHECK(text_of(dir / "links.csv") == links);
  run_study(dir, "-o out" + file);
  CHECK_THAT(refusal(dir, "export out -o ."), Contains("links.csv: an input file of the scenario"));
  CHECK(text_of(dir / "links.csv") == links);
}

TEST_CASE("run: a study with a selection goes on where its own folder has no runs yet") {
  const test::StudyFolder dir(R"("tune": {"paths": {"protocol.rho": [0.5, 1]}, "minimise": "relative_fitness",
                                          "on": "test"})");
  run_study(dir, "-o out");
  const std::string runs = text_of(dir / "out/runs.csv");
  // As if it had been killed after the choice.
  for (const auto& entry : std::filesystem::directory_iterator(dir / "out"))
    if (entry.is_regular_file() && entry.path().filename() != "tuning.csv") std::filesystem::remove(entry);
  run_study(dir, "-o out");
  CHECK(text_of(dir / "out/runs.csv") == runs);
}

TEST_CASE("run: tables and traces of an earlier scenario are removed from the folder") {
  const test::Scratch dir;
  const std::string run = "hearsay run " + dir.write("s.json", test::small_scenario("", 10)) +
                          " -o out --no-progress --set protocol.rho=1e-3 ";
  REQUIRE(shell(dir, run + "--set record.trace='{\"format\": [\"csv\", \"perfetto\"]}'").code == 0);
  CHECK(std::filesystem::exists(dir / "out/trace.csv"));
  CHECK(std::filesystem::exists(dir / "out/trace.perfetto.json"));
  REQUIRE(shell(dir, run + "--set record.keep=aggregate").code == 0);
  CHECK_FALSE(std::filesystem::exists(dir / "out/trace.csv"));
  CHECK_FALSE(std::filesystem::exists(dir / "out/trace.perfetto.json"));
  CHECK_FALSE(std::filesystem::exists(dir / "out/series.csv"));
  CHECK(std::filesystem::exists(dir / "out/quantiles.csv"));
}
