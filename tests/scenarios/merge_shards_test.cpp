// hearsay merge: parts of a study, put together.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "analysis/results/store/stored_study.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using test::Scratch;
using test::shell;
using test::small_scenario;
using test::text_of;

namespace {

namespace fs = std::filesystem;

constexpr const char* kMergedTables[] = {"series.csv", "quantiles.csv", "scalars.csv",
                                         "runs.csv",   "owners.csv",    "nodes.csv",
                                         "links.csv",  "fits.csv",      "bounds.csv"};

const std::string kThreePoints = R"("sweep": {"privacy.epsilon": [0.1, 1, 10]}, "repeat": 7)";

// Equal tables, `count` of them.
void check_same_tables(const std::string& folder, const std::string& other, int count) {
  int compared = 0;
  for (const std::string file : kMergedTables) {
    INFO(folder << "/" << file);
    CHECK(fs::exists(folder + "/" + file) == fs::exists(other + "/" + file));
    const std::string text = text_of(folder + "/" + file);
    CHECK(text == text_of(other + "/" + file));
    compared += text.size() > 60 ? 1 : 0;
  }
  CHECK(compared == count);
}

test::Outcome ended_with(const std::string& command, int code = 0) {
  auto outcome = shell("hearsay " + command);
  INFO(command << "\n" << outcome.out << outcome.err);
  CHECK(outcome.code == code);
  return outcome;
}

// Runs DIR/s.json to DIR/NAME.
void run_to(const Scratch& dir, const std::string& name, const std::string& more = "") {
  ended_with("run " + dir / "s.json --no-progress -o " + dir / name + " " + more);
}

// Its parts, to DIR/1 ...
void run_parts(const Scratch& dir, int count, const std::string& more = "") {
  for (int k = 1; k <= count; ++k)
    run_to(dir, std::to_string(k), fmt::format("--shard {}/{} {}", k, count, more));
}

// Merges folders of DIR.
test::Outcome merge_to(const Scratch& dir, const std::string& names, const std::string& out, int code = 0) {
  return ended_with(fmt::format("merge {} -o {}", names, dir / out), code);
}

std::string folders_in(const Scratch& dir, std::initializer_list<const char*> names) {
  std::string all;
  for (const char* name : names) all += dir / name + " ";
  return all;
}

}  // namespace

TEST_CASE("merge: parts in any order, merged again or bit by bit, have the tables of an undisturbed study") {
  const Scratch dir;
  dir.write("s.json", small_scenario(kThreePoints + R"(, "baselines": ["isolated"],
    "analysis": {"slopes": [{"over": "privacy.epsilon"}], "bounds": [{"type": "cost_of_privacy_11"}]})"));
  run_to(dir, "one", "-j 1");
  run_to(dir, "two", "-j 2");
  check_same_tables(dir / "two", dir / "one", 8);
  run_parts(dir, 3, "-j 2");
  merge_to(dir, folders_in(dir, {"1", "2", "3"}), "out");
  check_same_tables(dir / "out", dir / "one", 8);
  merge_to(dir, folders_in(dir, {"3", "1", "2", "3"}), "other");
  check_same_tables(dir / "other", dir / "one", 8);
  // Again, with the output among the parts, as "merge DIR/* -o DIR/out" names it.
  const auto again = merge_to(dir, folders_in(dir, {"1", "2", "out", "3"}), "out");
  CHECK_THAT(again.out, Contains("21 runs (0 new)"));
  check_same_tables(dir / "out", dir / "one", 8);
  merge_to(dir, folders_in(dir, {"2"}), "grown", 4);
  merge_to(dir, folders_in(dir, {"3"}), "grown", 4);
  merge_to(dir, folders_in(dir, {"1"}), "grown");
  check_same_tables(dir / "grown", dir / "one", 8);
  // A whole study: nothing is left to run, and it is no part.
  CHECK_THAT(ended_with("run " + dir / "s.json --no-progress -o " + dir / "out").err,
             Contains("21 runs: 21 cached, 0 to run"));
  CHECK(analysis::StoredStudy(dir / "out").info("shard").empty());
  const auto manifest = test::manifest_of(dir / "grown");
  CHECK(manifest.at("done") == 21);
  CHECK(manifest.at("scenario_file") == dir / "s.json");
  CHECK(manifest.at("fingerprint") == test::manifest_of(dir / "one").at("fingerprint"));
}

TEST_CASE("merge: series that are stored together, and points that are equal") {
  const Scratch dir;
  dir.write(
      "s.json",
      small_scenario(R"("repeat": 9, "sweep": {"description": ["a", "b"], "privacy.epsilon": [0.1, 1]})"));
  const std::string aggregate = "--set record.keep=aggregate";
  run_to(dir, "one", aggregate);
  run_parts(dir, 4, aggregate);
  merge_to(dir, folders_in(dir, {"4", "2", "1", "3"}), "out");
  check_same_tables(dir / "out", dir / "one", 6);
  CHECK(fs::exists(dir / "out/quantiles.csv"));
  CHECK_THAT(ended_with("diff " + dir / "out " + dir / "one").out, Contains("36 runs, all equal"));
}

TEST_CASE("merge: parts that overlap, missing runs by part, and what makes them") {
  const Scratch dir;
  dir.write("s.json", small_scenario(kThreePoints));
  run_to(dir, "one");
  run_parts(dir, 3);
  run_to(dir, "half", "--shard 1/2");
  const auto size = [&](const char* name) { return test::rows_of(dir / name + "/runs.csv").size() - 1; };
  REQUIRE(size("1") + size("2") + size("3") == 21);
  const auto lacking = merge_to(dir, folders_in(dir, {"1", "3"}), "out", 4);
  CHECK_THAT(lacking.err,
             Contains(fmt::format("missing: {0} of 21 runs: part 2/3 ({0} runs)\n", size("2"))) &&
                 Contains("or run the scenario with -o " + dir / "out"));
  CHECK_THAT(lacking.out, Contains(fmt::format("{0} of 21 runs ({0} new)", 21 - size("2"))));
  // Of parts of several divisions no part is named.
  const auto mixed = merge_to(dir, folders_in(dir, {"1", "half"}), "mixed", 4);
  CHECK_THAT(mixed.err, Contains(" of 21 runs\n"));
  // Running the scenario makes the rest.
  CHECK_THAT(ended_with("run " + dir / "s.json --no-progress -o " + dir / "out").err,
             Contains(fmt::format("{} cached, {} to run", 21 - size("2"), size("2"))));
  check_same_tables(dir / "out", dir / "one", 6);
  // So does a whole study.
  CHECK_THAT(merge_to(dir, folders_in(dir, {"half", "one", "1"}), "whole").out, Contains("21 runs (21 new)"));
  check_same_tables(dir / "whole", dir / "one", 6);
}

TEST_CASE("merge: the trace is that of the part that has made the run") {
  const Scratch dir;
  dir.write("s.json", small_scenario(kThreePoints));
  const std::string traced =
      R"(--set 'record.trace={"format": ["csv", "perfetto"], "point": 1, "repetition": 4}')";
  run_to(dir, "one", traced);
  run_parts(dir, 3, traced);
  int parts = 0;
  for (const char* part : {"1", "2", "3"}) parts += fs::exists(dir / part + "/trace.csv") ? 1 : 0;
  CHECK(parts == 1);
  merge_to(dir, folders_in(dir, {"1", "2", "3"}), "out");
  for (const std::string file : {"/trace.csv", "/trace.perfetto.json"}) {
    CHECK(text_of(dir / "one" + file).size() > 1000);
    CHECK(text_of(dir / "out" + file) == text_of(dir / "one" + file));
  }
}

TEST_CASE("merge: wall-clock times and hosts are those of the parts") {
  const Scratch dir;
  dir.write("s.json", small_scenario(R"("repeat": 4)"));
  run_parts(dir, 2);
  test::rewrite(dir / "1", "UPDATE timing SET host = 'node7', wall_s = 12.5");
  test::rewrite(dir / "2", "UPDATE timing SET host = 'node9', wall_s = 0.25");
  merge_to(dir, folders_in(dir, {"1", "2"}), "out");
  analysis::StoredStudy part(dir / "1"), out(dir / "out");
  int of_first = 0;
  for (std::uint32_t r = 0; r < 4; ++r) {
    const bool first = part.run(0, r).has_value();
    of_first += first ? 1 : 0;
    const auto merged = out.run(0, r);
    REQUIRE(merged);
    CHECK(merged->host == (first ? "node7" : "node9"));
    CHECK(merged->wall == (first ? 12.5 : 0.25));
  }
  CHECK(of_first == 2);
}

TEST_CASE("merge: folders that are no parts of one study are refused, and nothing is written") {
  const Scratch dir;
  dir.write("s.json", small_scenario(kThreePoints));
  run_to(dir, "1", "--shard 1/2");
  const auto refused = [&](const std::string& names, const std::string& message) {
    const auto outcome = merge_to(dir, names, "out", 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK(std::ranges::count(outcome.err, '\n') == 1);
    CHECK_FALSE(fs::exists(dir / "out"));
  };
  const std::string a = dir / "1", b = dir / "2";
  const auto differs = [&](const std::string& more, const std::string& difference) {
    INFO(more);
    fs::remove_all(b);
    run_to(dir, "2", "--shard 2/2 " + more);
    refused(a + " " + b, a + " and " + b + ": expected parts of one study, found " + difference);
  };
  differs("--seed 2", "different scenarios: seed: not given in " + a + ", 2 in " + b);
  differs("--repeat 8", "different scenarios: repeat: 7 in " + a + ", 8 in " + b);
  differs("--set 'sweep.privacy.epsilon=[0.1, 1]'",
          "different scenarios: sweep.privacy.epsilon: [0.1,1,10] in " + a + ", [0.1,1] in " + b);
  differs("--set 'record.metrics=[\"objective\"]'", "different scenarios: record.metrics: ");
  differs("--points 'privacy.epsilon > 0.5'", "different --points: '' in " + a);
  fs::remove_all(b);
  run_to(dir, "2", "--shard 2/2");
  test::rewrite(b, "UPDATE info SET value = 'hearsay 0.0.1 (x)' WHERE name = 'build'");
  refused(a + " " + b, "different programs: 'hearsay ");
  fs::remove_all(b);
  run_to(dir, "2", "--shard 2/2");
  test::rewrite(b, "UPDATE info SET value = 'other' WHERE name = 'record_key'");
  refused(a + " " + b, "different record keys");
  test::rewrite(b, "DELETE FROM study WHERE number = 2");
  refused(a + " " + b, "3 points in " + a + ", 2 in " + b);
  refused(a + " " + dir / "none", "there is no folder '" + dir / "none'");
  fs::create_directories(dir / "empty");
  refused(a + " " + dir / "empty", "contains no results.sqlite");
  dir.write("select.json", small_scenario(R"("sweep": {"privacy.epsilon": [1, 2],
              "select": {"over": "privacy.epsilon", "minimise": "relative_fitness", "on": "test"}})"));
  ended_with("run " + dir / "select.json --no-progress -o " + dir / "selected");
  refused(dir / "selected", "selects points by their results");
  CHECK_THAT(ended_with("merge " + a, 2).err, Contains("-o is missing"));
  CHECK_THAT(ended_with("merge -o " + dir / "out", 2).err, Contains("folders of parts"));
  // An output that is a part, or another study: as it was.
  const std::string before = text_of(a + "/runs.csv");
  CHECK_THAT(merge_to(dir, dir / "selected", "1", 2).err, Contains("holds part 1/2 of a study"));
  ended_with("run " + dir / "s.json --no-progress --seed 5 -o " + dir / "five");
  CHECK_THAT(merge_to(dir, a, "five", 2).err, Contains("seed: 5 in " + dir / "five, not given in " + a));
  CHECK(text_of(a + "/runs.csv") == before);
}

TEST_CASE("merge: another fingerprint of the same run is an internal error, and nothing is written") {
  const Scratch dir;
  dir.write("s.json", small_scenario(kThreePoints));
  run_to(dir, "1");
  run_to(dir, "2");
  test::rewrite(dir / "2",
                "UPDATE run SET fingerprint = '0123456789abcdef' WHERE repetition = 3 AND point = 2");
  const auto outcome = merge_to(dir, folders_in(dir, {"1", "2"}), "out", 70);
  CHECK_THAT(outcome.err,
             Contains("point 1 repetition 3 (run key ") && Contains("0123456789abcdef in " + dir / "2"));
  CHECK_FALSE(fs::exists(dir / "out"));
}

TEST_CASE("merge: damaged runs are left out or taken from another part") {
  const Scratch dir;
  dir.write("s.json", small_scenario(kThreePoints));
  run_to(dir, "one");
  run_parts(dir, 2);
  const auto stored = analysis::StoredStudy(dir / "1").states(0);
  REQUIRE(stored.size() >= 1);
  const std::string damaged = std::to_string(stored.front().repetition);
  const std::string sql = "UPDATE run SET events = 1 WHERE point = 1 AND repetition = " + damaged;
  test::damage(dir / "1", sql.c_str());
  const auto outcome = merge_to(dir, folders_in(dir, {"1", "2"}), "out", 4);
  CHECK_THAT(outcome.err,
             Contains("1 damaged run left out, the first: privacy.epsilon=0.1, repetition " + damaged) &&
                 Contains("missing: 1 of 21 runs: part 1/2 (1 run)"));
  run_to(dir, "1", "--shard 1/2");
  merge_to(dir, folders_in(dir, {"1", "2"}), "out");
  check_same_tables(dir / "out", dir / "one", 6);
  test::damage(dir / "1", sql.c_str());
  merge_to(dir, folders_in(dir, {"1", "2", "one"}), "whole");
  check_same_tables(dir / "whole", dir / "one", 6);
  // In the output itself.
  test::damage(dir / "out", sql.c_str());
  merge_to(dir, folders_in(dir, {"one"}), "out");
  check_same_tables(dir / "out", dir / "one", 6);
}

TEST_CASE("merge: failed runs are merged as failed unless another part has a result") {
  const Scratch dir;
  dir.write("s.json", small_scenario(R"("repeat": 6)"));
  run_to(dir, "one");
  run_parts(dir, 2);
  test::rewrite(dir / "1", "UPDATE run SET status = 'failed', end = 'failed', message = 'no memory'");
  const auto failed = merge_to(dir, folders_in(dir, {"1", "2"}), "out", 6);
  CHECK_THAT(failed.out, Contains("0 runs diverged, 3 failed") && Contains("no memory"));
  merge_to(dir, folders_in(dir, {"one"}), "out");
  check_same_tables(dir / "out", dir / "one", 6);
  // Interrupted runs have no result.
  test::rewrite(dir / "1", "UPDATE run SET status = 'interrupted', end = 'interrupted'");
  CHECK_THAT(merge_to(dir, folders_in(dir, {"2", "1"}), "other", 4).err,
             Contains("missing: 3 of 6 runs: part 1/2 (3 runs)"));
}

TEST_CASE("merge: more parts than runs") {
  const Scratch dir;
  dir.write("s.json", small_scenario(R"("repeat": 2)"));
  run_to(dir, "one");
  run_parts(dir, 4);
  CHECK(test::rows_of(dir / "4/runs.csv").size() + test::rows_of(dir / "3/runs.csv").size() +
            test::rows_of(dir / "2/runs.csv").size() + test::rows_of(dir / "1/runs.csv").size() ==
        4 + 2);  // headers, runs
  merge_to(dir, folders_in(dir, {"1", "2", "3", "4"}), "out");
  check_same_tables(dir / "out", dir / "one", 6);
}

TEST_CASE("merge: broken off at any moment, the same command completes it") {
  const Scratch dir;
  dir.write("s.json", small_scenario(R"("sweep": {"privacy.epsilon": [0.1, 1, 10]}, "repeat": 100)"));
  run_to(dir, "one");
  run_parts(dir, 2);
  for (const char* seconds : {"0.02", "0.05", "0.1", "0.15"}) {
    const Scratch out;
    shell(fmt::format("$program merge {} -o {} &\nsleep {}; kill -KILL $!; wait $!",
                      folders_in(dir, {"1", "2"}), out / "out", seconds));
    INFO(seconds);
    merge_to(out, folders_in(dir, {"1", "2"}), "out");
    check_same_tables(out / "out", dir / "one", 6);
  }
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
  const auto outcome = merge_to(dir, folders_in(dir, {"1", "2"}), "out", 4);
  CHECK_THAT(outcome.err,
             Contains("data.csv") && Contains("merge again where the scenario's input files are"));
  check_same_tables(dir / "out", dir / "one", 6);
  CHECK_FALSE(fs::exists(dir / "out/manifest.json"));
}
