// hearsay audit, through the program.
#include <nlohmann/json.hpp>

#include "tests/support/audited.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using test::ended_with;

namespace {

const std::string kPrivate = R"("epsilon": 6, "steps": 2, "clip": 1)";

// The line of a refusal, whose exit code is 2.
void is_refused(const test::Scratch& dir, const std::string& words, const std::string& message) {
  const auto outcome = ended_with(dir, "audit " + words + " --no-progress", 2);
  CHECK_THAT(outcome.err, Catch::Contains(message));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  CHECK(outcome.out.empty());
}

}  // namespace

TEST_CASE("audit command: table, JSON and scores of the same runs") {
  const test::AuditFolder folder;
  folder.dir.write("s.json", test::audited_path(kPrivate));
  const std::string words = "audit s.json --adversary agent:1 --owner 'block 1' --runs 400 --no-progress";
  const auto table = ended_with(folder.dir, words);
  for (const char* line : {"block 1 towards agent:1, delta 1e-05, 400 runs with each of two data sets",
                           "view, fixed_gradients: not a guarantee", "ledger: everybody sees every release",
                           "certified, any mechanism, level 0.025", "certified, if Gaussian, level 0.025"})
    CHECK_THAT(table.out, Catch::Contains(line));
  const auto json = nlohmann::json::parse(ended_with(folder.dir, words + " --json -j 1").out);
  CHECK(json["owners"] == std::vector<std::string>{"block 1"});
  CHECK(json["ledger"]["epsilon"].get<double>() == Approx(6));
  CHECK(json["any"]["runs_with"] == 200);
  CHECK(json["view"]["label"] == "fixed_gradients");
  CHECK(json["view"]["guarantee"] == false);
}

TEST_CASE("audit command: the nearest owner is audited, or all of them by canaries") {
  const test::AuditFolder folder;
  folder.dir.write("s.json", test::audited_path(kPrivate));
  CHECK_THAT(ended_with(folder.dir, "audit s.json --adversary agent:2 --runs 40 --no-progress").out,
             Catch::StartsWith("block 1 towards"));
  CHECK_THAT(ended_with(folder.dir, "audit s.json --adversary agent:2 --canaries 2 --no-progress").out,
             Catch::StartsWith("2 owners towards"));
  CHECK_THAT(ended_with(folder.dir, "audit s.json --final --runs 40 --no-progress").out,
             Catch::Contains("towards final models"));
}

TEST_CASE("audit command: agents and links by the names of their nodes are those of the numbers") {
  const test::AuditFolder folder;
  folder.dir.write("s.json", test::audited_path(kPrivate));
  folder.dir.write("g.dot", R"(graph { "Aix-en-Provence" -- Oslo; "Aix-en-Provence" -- Rome })");
  const std::string words =
      R"(audit s.json --set 'network.topology={"type":"file","path":"g.dot"}' --runs 40 --adversary )";
  const auto json_of = [&](const std::string& adversary) {
    return ended_with(folder.dir, words + adversary + " --json --no-progress").out;
  };
  for (const auto& [name, number] : {std::pair("agent:Rome --owner Oslo", "agent:2 --owner 1"),
                                     {"agents:Oslo+2 --owner Aix-en-Provence", "agents:1+2 --owner 0"},
                                     {"link:Oslo-Aix-en-Provence", "link:1-0"},
                                     {"links:Oslo-0+Aix-en-Provence-Rome", "links:1-0+0-2"}}) {
    INFO(name);
    CHECK(json_of(name) == json_of(number));
  }
  CHECK_THAT(ended_with(folder.dir, words + "agent:Rome --no-progress").out,
             Catch::Contains(" towards agent:Rome, "));
  const std::string expected =
      "--adversary: expected an agent, by its number from 0 to 2 or its name, found ";
  is_refused(folder.dir, words.substr(6) + "agents:Oslo+Roma", expected + "'Roma'; did you mean 'Rome'?");
  is_refused(folder.dir, words.substr(6) + "link:Aix-en-Provence-Osl",
             expected + "'Osl'; did you mean 'Oslo'?");
  is_refused(folder.dir, words.substr(6) + "link:Oslo", "--adversary: expected agent:3, ");
}

TEST_CASE("audit command: refusals are one line with the nearest valid name") {
  const test::AuditFolder folder;
  const test::Scratch& dir = folder.dir;
  dir.write("s.json", test::audited_path(kPrivate));
  dir.write("none.json", test::audited_path(R"("epsilon": 6, "steps": 2, "clip": 1)",
                                            R"("stop": {"time": "1.7 s", "wall": 5}, )"));
  is_refused(dir, "s.json", "--adversary is missing");
  is_refused(dir, "s.json --adversary agent:1 --final", "give either --adversary or --final");
  is_refused(dir, "s.json --adversary agent:1 --runs 10 --canaries 5", "give either --runs or --canaries");
  is_refused(dir, "s.json --adversary agnt:1", "found 'agnt:1'; did you mean 'agent:'?");
  is_refused(dir, "s.json --adversary agent:7",
             "--adversary: expected an agent, by its number from 0 to 2 or its name, found '7'");
  is_refused(dir, "s.json --adversary hub", "--adversary: protocol push_sum has no hub");
  is_refused(dir,
             R"(s.json --adversary agent:1 --set 'adversaries={"agents": [2], "behaviour": "bit_flip"}')",
             "--adversary: what adversaries see can not be worked out with behaviour bit_flip");
  is_refused(dir, "s.json --adversary link:1-2", "there is no link from agent 1 to agent 2");
  is_refused(dir, "s.json --adversary agent:1 --owner 'block 9'", "did you mean 'block");
  is_refused(dir, "s.json --adversary agent:1 --owner 1", "--owner: agent 1 is part of the adversary");
  is_refused(dir, "s.json --adversary agents:0+1+2",
             "no owner who is not part of the adversary releases anything");
  is_refused(dir, "s.json --adversary agent:1 --record 1",
             "--record: agent 0 has no record 1 for a canary: its last one is 0");
  is_refused(dir, "s.json --adversary agent:1 --canaries 3",
             "--canaries: agent 0 has no record 1 for a canary: its last one is 0");
  is_refused(dir, "s.json --adversary agent:1 --guesses 3", "--guesses requires --canaries");
  is_refused(dir, "none.json --adversary agent:1",
             "/stop: an audit requires that all runs have the same events");
  is_refused(dir, "s.json --adversary agent:1 --set 'privacy={\"mechanism\":\"none\"}'",
             "/privacy: an audit requires a scenario with noise: set privacy.mechanism");
  is_refused(dir, "s.json --adversary agent:1 --set 'sweep={\"privacy.epsilon\":[1,2]}'",
             "--point is missing: s.json has 2 points");
  is_refused(dir, "s.json --adversary agent:1 --set 'privacy.bound_from_data=true' --set 'privacy.clip=null'",
             "no guarantee covers all that is used");
}

TEST_CASE("audit command: a run that waits in vain is no defect of the program") {
  const test::Scratch dir;
  dir.write("s.json", R"({"data": {"type": "lending_like", "owners": 3, "records": 2, "features": 1},
    "network": {"topology": "star", "latency": "10 ms", "loss": 0.3},
    "protocol": {"type": "fedavg", "step": 0.5, "round_timeout": "1 s"},
    "privacy": {"mechanism": "gaussian", "epsilon": 6, "delta": 1e-5, "accountant": "zcdp", "clip": 1, "steps": 3},
    "stop": {"iterations": 50}, "events": [{"at": "1.2 s", "leave": [0]}]})");
  is_refused(dir, "s.json --adversary everybody --runs 10",
             "the run waits in vain for stop.iterations 50, of which there are ");
}

TEST_CASE("audit command: a difference of equal models, which rounding leaves, is no release") {
  const test::Scratch dir;
  dir.write("s.json", R"({
    "data": {"type": "lending_like", "owners": 2, "records": 2, "features": 1}, "seed": 8,
    "network": {"topology": "star", "latency": 0}, "protocol": {"type": "ad_psgd"},
    "privacy": {"mechanism": "laplace", "clip": 1, "epsilon": 30, "steps": 1}, "stop": {"iterations": 5}})");
  test::output_of(dir, "audit s.json --adversary link:0-1 --runs 4 --no-progress");
}

TEST_CASE("audit command: an interrupt ends it") {
  const test::AuditFolder folder;
  folder.dir.write("s.json", test::audited_path(kPrivate));
  const auto outcome =
      test::shell(folder.dir,
                  "$program audit s.json --adversary agent:1 --runs 1000000 --no-progress & "
                  "until grep -qE 'SigCgt:.*[2367abef]$' /proc/$!/status; do sleep 0.02; done; "
                  "kill -INT $!; wait $!");
  CHECK(outcome.code == 130);
  CHECK_THAT(outcome.err, Catch::StartsWith("hearsay: interrupted"));
}
