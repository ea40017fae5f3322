// hearsay status: how far studies are.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scenarios/execution/study_state.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;

namespace {

// Whatever is damaged is named on standard error.
std::string status_of(const Scratch& dir, const std::string& folders, int code = 0) {
  const auto outcome = ended_with(dir, "status " + folders, code);
  CHECK(outcome.err.empty() == (code == 0));
  return outcome.out;
}

nlohmann::json status_json(const Scratch& dir, const std::string& folders, int code = 0) {
  return nlohmann::json::parse(status_of(dir, folders + " --json", code));
}

const std::string kTenRuns = R"("sweep": {"privacy.epsilon": [0.1, 1]}, "repeat": 5)";

}  // namespace

TEST_CASE("status: a complete study, and one of each outcome") {
  const test::StudyFolder dir(kTenRuns);
  run_study(dir, "-o out");
  const std::string out = dir / "out";
  CHECK(status_of(dir, out) == out + ": 10 runs: 10 done, 0 diverged, 0 failed; 0 left\n");
  test::rewrite(out, "UPDATE run SET status = 'diverged' WHERE point = 1 AND repetition = 0");
  test::rewrite(out, "UPDATE run SET status = 'failed' WHERE point = 1 AND repetition IN (1, 2)");
  test::rewrite(out, "UPDATE run SET status = 'interrupted' WHERE point = 2 AND repetition = 1");
  test::damage(out, "UPDATE run SET events = 1 WHERE point = 2 AND repetition = 2");
  test::damage(
      out,
      "DELETE FROM checksum WHERE part = 2 AND id = (SELECT id FROM run WHERE point = 2 AND repetition = 3)");
  test::damage(out, "DELETE FROM run WHERE point = 2 AND repetition = 3");
  const auto outcome = ended_with(dir, "status " + out, 4);
  CHECK(outcome.out == out +
                           ": 10 runs: 4 done, 1 diverged, 2 failed; 3 left (1 interrupted, 1 damaged); no "
                           "process is writing\n");
  CHECK_THAT(outcome.err, Contains("damaged: runs that were stored are not found") &&
                              Contains("1 damaged run left out, the first: "));
  const auto json = status_json(dir, out, 4).at("folders").at(0);
  const nlohmann::json expected{{"folder", out},
                                {"part", nullptr},
                                {"writing", false},
                                {"written_s_ago", nullptr},
                                {"begun", true},
                                {"runs", 10},
                                {"done", 4},
                                {"diverged", 1},
                                {"failed", 2},
                                {"left", 3},
                                {"interrupted", 1},
                                {"damaged", 1},
                                {"undecided", 0},
                                {"runs_per_s", nullptr},
                                {"seconds_left", nullptr}};
  CHECK(json == expected);
  // The study that tune selects on tells how many runs it can come to have.
  test::rewrite(out, "INSERT INTO info VALUES ('most_runs', '14')");
  CHECK_THAT(status_of(dir, out), Contains("; tune.budget may add 4; no process"));
}

TEST_CASE("status: parts of a study, and what none of the folders holds") {
  const test::StudyFolder dir(kTenRuns);
  run_study(dir, "-o a --shard 1/3");
  run_study(dir, "-o c --shard 3/3");
  const std::string a = dir / "a", c = dir / "c";
  const auto json = status_json(dir, a + " " + c);
  const std::size_t in_a = json["folders"][0]["done"], in_c = json["folders"][1]["done"];
  CHECK(json["folders"][0]["part"] == "1/3");
  CHECK(json["folders"][0]["runs"] == in_a);
  CHECK(json["total"]["done"] == in_a + in_c);
  CHECK(json["absent_parts"] == nlohmann::json({"2/3"}));
  CHECK(json["absent_runs"] == 10 - in_a - in_c);
  CHECK_THAT(status_of(dir, a + " " + c),
             Contains(a + ": part 1/3: ") && Contains(fmt::format("total: {} runs: ", in_a + in_c)) &&
                 Contains(fmt::format("not in these folders: part 2/3 ({} of 10 runs)\n", 10 - in_a - in_c)));
  // The same runs twice have no total.
  CHECK(status_json(dir, a + " " + a)["total"].is_null());
  CHECK_THAT(status_of(dir, a + " " + c + " " + a), !Contains("total"));
  // The rest, in a folder that holds another part already: only runs of that part count.
  run_study(dir, "-o c --shard 2/3");
  const auto both = status_json(dir, c)["folders"][0];
  CHECK(both["part"] == "2/3");
  CHECK(both["runs"] == 10 - in_a - in_c);
  CHECK(both["done"] == 10 - in_a - in_c);
  CHECK(both["left"] == 0);
}

TEST_CASE("status: a part with a run of a repetition that cannot be") {
  const test::StudyFolder dir(kTenRuns);
  run_study(dir, "-o a --shard 1/3");
  const std::size_t done = status_json(dir, "a")["folders"][0]["done"];
  for (const char* repetition : {"-1", "10", "4294967295"}) {
    INFO(repetition);
    test::damage(dir / "a",
                 fmt::format("UPDATE run SET repetition = {} WHERE rowid = 1", repetition).c_str());
    const auto json = status_json(dir, "a", 4)["folders"][0];
    CHECK(json["done"] == done - 1);
    CHECK(json["left"] == 1);
  }
}

TEST_CASE("status: a study with a damaged point is refused") {
  const test::StudyFolder dir(kTenRuns);
  run_study(dir, "-o out");
  test::damage(dir.path() / "out", "UPDATE point SET owners = owners + 1 WHERE id = 1");
  CHECK_THAT(ended_with(dir, "status out", 4).err, Contains("damaged: point 0 is not as it was written"));
}

TEST_CASE("status: a part with points that equal those of another part") {
  const test::StudyFolder dir(R"("sweep": {"description": ["a", "b"]}, "repeat": 5)");
  for (const char* part : {"1", "2"}) run_study(dir, fmt::format("-o {0} --shard {0}/2", part));
  const auto json = status_json(dir, "1 2");
  CHECK(json["total"]["done"] == 10);
  CHECK(json["total"]["left"] == 0);
}

TEST_CASE("status: a study that selects points shows the study that it selects on, too") {
  const test::StudyFolder dir(R"("repeat": 2, "sweep": {"privacy.epsilon": [0.1, 1, 10],
    "select": {"over": "privacy.epsilon", "minimise": "relative_fitness", "on": "test"}})");
  run_study(dir, "-o out");
  CHECK_THAT(status_of(dir, "out"),
             Contains("out/selection: 6 runs: 6 done") && Contains("out: 2 runs: 2 done"));
}

TEST_CASE("status: whether a process writes, without disturbing it") {
  const Scratch dir;
  // Four short runs, and four that do not end before the process is killed, however fast the machine is.
  dir.write("s.json", small_scenario(R"("sweep": {"stop.iterations": [200, 1000000000]}, "repeat": 4)"));
  // Asks all the time until the short ones are stored and a time left is known, then kills the process.
  dir.write("ask.py",
            "import json, os, subprocess, sys, time\n"
            "program, folder, process = sys.argv[1:]\n"
            "try:\n"
            "  while True:\n"
            "    time.sleep(0.05)\n"
            "    if not os.path.exists(folder + '/results.sqlite'): continue\n"
            "    asked = subprocess.run([program, 'status', '--json', folder], capture_output=True)\n"
            "    if asked.returncode != 0: sys.exit(asked.stderr.decode())\n"
            "    one = json.loads(asked.stdout)['folders'][0]\n"
            "    if one['begun'] and not one['writing']: sys.exit('ended before it was seen')\n"
            "    if one['done'] == 4 and one['seconds_left'] is not None: break\n"
            "  print(one['runs'], one['done'], one['left'], one['runs_per_s'] > 0, flush=True)\n"
            "  subprocess.run([program, 'status', folder])\n"
            "finally:\n"
            "  os.kill(int(process), 9)\n");
  const auto outcome = shell(dir,
                             "$program run s.json -j 1 --no-progress -o out &\n"
                             "/usr/bin/python3 ask.py $program out $!; wait $!");
  INFO(outcome.err << outcome.out);
  CHECK(outcome.code == 137);
  CHECK_THAT(outcome.out, Catch::StartsWith("8 4 4 True\n") && Contains("; 4 left; a process is writing: ") &&
                              Contains(" runs/s, about ") && Contains(" left\n"));
  CHECK_THAT(status_of(dir, "out"), Contains("; 4 left; no process is writing\n"));
  run_study(dir, "-o out --points 'stop.iterations == 200'");
  CHECK_THAT(status_of(dir, "out"), Contains("4 runs: 4 done, 0 diverged, 0 failed; 0 left\n"));
}

TEST_CASE("status: a lock is seen as long as it is held, and asking for it does not take it") {
  const Scratch dir;
  const std::filesystem::path folder = dir.path() / "out";
  CHECK_FALSE(analysis::locked(folder).has_value());  // there is none
  {
    const analysis::FolderLock lock(folder);
    CHECK(analysis::locked(folder) == true);
    CHECK(analysis::locked(folder) == true);
    std::optional<analysis::StoredStudy> none;
    CHECK(scenarios::state_of(folder, {}, none).writing == true);
    const analysis::FolderLock selection(folder / "selection");
    CHECK(scenarios::state_of(folder, {}, none).writing == false);
    CHECK(scenarios::state_of(folder / "selection", {}, none).writing == true);
  }
  CHECK(analysis::locked(folder) == false);
  const analysis::FolderLock again(folder);
}

TEST_CASE("status: the rate is that of the last 100 runs") {
  std::vector<analysis::RunState> runs;
  for (int k = 0; k < 200; ++k)
    runs.push_back({.wall = k % 2 == 0 ? 1.5 : 0.5, .finished = k % 2 == 0 ? k : 1000 + k});
  // 200 s of wall-clock time in 100 s: two runs at a time; the last 100 take 0.5 s each.
  CHECK(scenarios::runs_per_second(runs, 100) == Approx(4));
  CHECK_FALSE(scenarios::runs_per_second({}, 100).has_value());
  CHECK_FALSE(scenarios::runs_per_second(runs, 0).has_value());
  CHECK(
      scenarios::StudyState{.runs = 10, .done = 1, .diverged = 2, .failed = 3, .rate = 0.5}.seconds_left() ==
      8.0);
}

TEST_CASE("status: folders without results are refused, and a study that has not begun is none") {
  const test::StudyFolder dir(kTenRuns);
  const std::string none = refusal(dir, "status none");
  CHECK_THAT(none, Contains("there is no folder"));
  ended_with(dir, "status", 2);
  ended_with(dir, "status s.json", 2);
  std::filesystem::create_directories(dir.path() / "out");
  analysis::open_to_write(dir.path() / "out");
  CHECK(status_of(dir, "out") == "out: no study yet\n");
  run_study(dir, "-o begun --shard 1/2");
  CHECK(status_json(dir, "out begun out")["absent_parts"] == nlohmann::json({"2/2"}));
}

TEST_CASE("status, merge: a folder whose part is none is damaged") {
  const test::StudyFolder dir(kTenRuns);
  run_study(dir, "-o out --shard 1/2");
  test::rewrite(dir.path() / "out", "UPDATE info SET value = '0/x' WHERE name = 'shard'");
  for (const std::string& command :
       {std::string("hearsay status "), std::string("hearsay merge -o whole ")}) {
    const auto outcome = shell(dir, command + "out");
    CHECK(outcome.code == 4);
    CHECK(outcome.err == "out/results.sqlite: damaged: expected a part such as 2/3, found '0/x'\n");
  }
}
