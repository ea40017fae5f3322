// hearsay merge: folders that do not fit together, runs that are damaged, failed or missing.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/store/stored_study.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/parts.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;
namespace fs = std::filesystem;

TEST_CASE("merge: folders that are no parts of one study are refused, and nothing is written") {
  const test::StudyFolder dir(kThreePoints);
  run_to(dir, "1", "--shard 1/2");
  const auto refused = [&](const std::string& names, const std::string& message) {
    const auto outcome = merge_to(dir, names, "out", 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK_FALSE(fs::exists(dir / "out"));
  };
  const std::string a = "1", b = "2";
  const auto differs = [&](const std::string& more, const std::string& difference) {
    INFO(more);
    fs::remove_all(dir / b);
    run_to(dir, "2", "--shard 2/2 " + more);
    refused(a + " " + b, a + " and " + b + ": expected parts of one study, found " + difference);
  };
  differs("--seed 2", "different scenarios: seed: not given in " + a + ", 2 in " + b);
  differs("--repeat 8", "different scenarios: repeat: 7 in " + a + ", 8 in " + b);
  differs("--set 'sweep.privacy.epsilon=[0.1, 1]'",
          "different scenarios: sweep.privacy.epsilon: [0.1,1,10] in " + a + ", [0.1,1] in " + b);
  differs("--set 'record.metrics=[\"objective\"]'", "different scenarios: record.metrics: ");
  differs("--points 'privacy.epsilon > 0.5'", "different --points: '' in " + a);
  fs::remove_all(dir / b);
  run_to(dir, "2", "--shard 2/2");
  test::rewrite(dir / b, "UPDATE info SET value = 'hearsay 0.0.1 (x)' WHERE name = 'build'");
  refused(a + " " + b, "different programs: 'hearsay ");
  fs::remove_all(dir / b);
  run_to(dir, "2", "--shard 2/2");
  test::rewrite(dir / b, "UPDATE info SET value = 'other' WHERE name = 'record_key'");
  refused(a + " " + b, "different record keys");
  test::rewrite(dir / b, "DELETE FROM study WHERE number = 2");
  refused(a + " " + b, "3 points in " + a + ", 2 in " + b);
  refused(a + " none", "there is no folder 'none'");
  fs::create_directories(dir / "empty");
  refused(a + " empty", "contains no results.sqlite");
  dir.write("select.json", small_scenario(R"("sweep": {"privacy.epsilon": [1, 2],
              "select": {"over": "privacy.epsilon", "minimise": "relative_fitness", "on": "test"}})"));
  ended_with(dir, "run select.json --no-progress -o selected");
  refused(dir / "selected", "selects points by their results");
  CHECK_THAT(ended_with(dir, "merge " + a, 2).err, Contains("-o is missing"));
  CHECK_THAT(ended_with(dir, "merge -o out", 2).err, Contains("folders of parts"));
  // An output that is a part, or another study: as it was.
  const std::string before = text_of(dir / "1/runs.csv");
  CHECK_THAT(merge_to(dir, dir / "selected", "1", 2).err, Contains("holds part 1/2 of a study"));
  ended_with(dir, "run s.json --no-progress --seed 5 -o five");
  CHECK_THAT(merge_to(dir, a, "five", 2).err, Contains("seed: 5 in five, not given in " + a));
  CHECK(text_of(dir / "1/runs.csv") == before);
}

TEST_CASE("merge: another fingerprint of the same run is an internal error, and nothing is written") {
  const test::StudyFolder dir(kThreePoints);
  run_to(dir, "1");
  run_to(dir, "2");
  test::rewrite(dir / "2",
                "UPDATE run SET fingerprint = 81985529216486895 WHERE repetition = 3 AND point = 2");
  const auto outcome = merge_to(dir, "1 2", "out", 70);
  CHECK_THAT(outcome.err, Contains("point 1 repetition 3 (run key ") && Contains("0123456789abcdef in 2"));
  CHECK_FALSE(fs::exists(dir / "out"));
}

TEST_CASE("merge: damaged runs are left out or taken from another part") {
  const test::StudyFolder dir(kThreePoints);
  run_to(dir, "one");
  run_parts(dir, 2);
  const auto stored = analysis::StoredStudy(dir / "1").states(0);
  REQUIRE(stored.size() >= 1);
  const std::string damaged = std::to_string(stored.front().repetition);
  const std::string sql = "UPDATE run SET events = 1 WHERE point = 1 AND repetition = " + damaged;
  test::damage(dir / "1", sql.c_str());
  const auto outcome = merge_to(dir, "1 2", "out", 4);
  CHECK_THAT(outcome.err,
             Contains("1 damaged run left out, the first: privacy.epsilon=0.1, repetition " + damaged) &&
                 Contains("missing: 1 of 21 runs: part 1/2 (1 run)"));
  run_to(dir, "1", "--shard 1/2");
  merge_to(dir, "1 2", "out");
  check_same_tables(dir / "out", dir / "one", 6);
  test::damage(dir / "1", sql.c_str());
  merge_to(dir, "1 2 one", "whole");
  check_same_tables(dir / "whole", dir / "one", 6);
  // In the output itself.
  test::damage(dir / "out", sql.c_str());
  merge_to(dir, "one", "out");
  check_same_tables(dir / "out", dir / "one", 6);
}

TEST_CASE("merge: a part whose points are damaged is refused, and nothing is written") {
  const test::StudyFolder dir(kThreePoints);
  run_parts(dir, 2);
  test::damage(dir / "2", "UPDATE point SET owners = 4 WHERE id = 3");
  CHECK_THAT(merge_to(dir, "1 2", "out", 4).err, Contains("2/results.sqlite: damaged: point 2"));
  CHECK_FALSE(fs::exists(dir / "out"));
}

TEST_CASE("merge: failed runs are merged as failed unless another part has a result") {
  const test::StudyFolder dir(R"("repeat": 6)");
  run_to(dir, "one");
  run_parts(dir, 2);
  test::rewrite(dir / "1", "UPDATE run SET status = 'failed', end = 'failed', message = 'no memory'");
  const auto failed = merge_to(dir, "1 2", "out", 6);
  CHECK_THAT(failed.out, Contains("0 runs diverged, 3 failed") && Contains("no memory"));
  merge_to(dir, "one", "out");
  check_same_tables(dir / "out", dir / "one", 6);
  // Interrupted runs have no result.
  test::rewrite(dir / "1", "UPDATE run SET status = 'interrupted', end = 'interrupted'");
  CHECK_THAT(merge_to(dir, "2 1", "other", 4).err, Contains("missing: 3 of 6 runs: part 1/2 (3 runs)"));
}

TEST_CASE("merge: without the input files of the scenario there are tables, but no conclusions") {
  const Scratch dir;
  dir.write("data.csv", "x,y,bank\n1,2,a\n2,3,a\n3,5,a\n4,4,b\n5,7,b\n6,8,b\n");
  dir.write(
      "s.json",
      R"({"data": {"type": "csv", "path": "data.csv", "target": "y", "owner": {"column": "bank"}, "features": ["x"]},
    "network": {"topology": "star"}, "protocol": {"type": "central_async", "rho": 1e-5},
    "privacy": {"mechanism": "none"}, "stop": {"iterations": 20}, "repeat": 3})");
  run_to(dir, "one");
  run_parts(dir, 2);
  fs::remove(dir / "data.csv");
  const auto outcome = merge_to(dir, "1 2", "out", 4);
  CHECK_THAT(outcome.err,
             Contains("data.csv") && Contains("merge again where the scenario's input files are"));
  check_same_tables(dir / "out", dir / "one", 6);
  CHECK_FALSE(fs::exists(dir / "out/manifest.json"));
}