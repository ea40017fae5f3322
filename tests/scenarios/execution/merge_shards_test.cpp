// hearsay merge: parts of a study, put together.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/store/stored_study.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/parts.hpp"
#include "tests/support/results.hpp"

using namespace hearsay;
using Catch::Contains;
using namespace hearsay::test;
namespace fs = std::filesystem;

TEST_CASE("merge: parts in any order, merged again or bit by bit, have the tables of an undisturbed study") {
  const test::StudyFolder dir(kThreePoints + R"(, "baselines": ["isolated"],
    "analysis": {"slopes": [{"over": "privacy.epsilon"}], "bounds": [{"type": "cost_of_privacy_11"}]})");
  run_to(dir, "one", "-j 1");
  run_to(dir, "two", "-j 2");
  check_same_tables(dir / "two", dir / "one", 8);
  run_parts(dir, 3, "-j 2");
  merge_to(dir, "1 2 3", "out");
  check_same_tables(dir / "out", dir / "one", 8);
  merge_to(dir, "3 1 2 3", "other");
  check_same_tables(dir / "other", dir / "one", 8);
  // Again, with the output among the parts, as "merge DIR/* -o DIR/out" names it.
  const auto again = merge_to(dir, "1 2 out 3", "out");
  CHECK_THAT(again.out, Contains("21 runs (0 new)"));
  CHECK_THAT(again.err, Contains("21 runs: 0 to copy; results: out/"));
  check_same_tables(dir / "out", dir / "one", 8);
  merge_to(dir, "2", "grown", 4);
  merge_to(dir, "3", "grown", 4);
  merge_to(dir, "1", "grown");
  check_same_tables(dir / "grown", dir / "one", 8);
  // A whole study: nothing is left to run, and it is no part.
  CHECK_THAT(ended_with(dir, "run s.json --no-progress -o out").err,
             Contains("21 runs: 21 cached, 0 to run"));
  CHECK(analysis::StoredStudy(dir / "out").info("shard").empty());
  const auto manifest = test::manifest_of(dir / "grown");
  CHECK(manifest.at("done") == 21);
  CHECK(manifest.at("scenario_file") == "s.json");
  CHECK(manifest.at("fingerprint") == test::manifest_of(dir / "one").at("fingerprint"));
}

TEST_CASE("merge: series whose tables are quantiles, and points that are equal") {
  const test::StudyFolder dir(
      R"("repeat": 9, "sweep": {"description": ["a", "b"], "privacy.epsilon": [0.1, 1]})");
  const std::string aggregate = "--set record.keep=aggregate";
  run_to(dir, "one", aggregate);
  run_parts(dir, 4, aggregate);
  merge_to(dir, "4 2 1 3", "out");
  check_same_tables(dir / "out", dir / "one", 6);
  CHECK(fs::exists(dir / "out/quantiles.csv"));
  CHECK_THAT(ended_with(dir, "diff out one").out, Contains("36 runs, all equal"));
}

TEST_CASE("merge: parts that overlap, missing runs by part, and what makes them") {
  const test::StudyFolder dir(kThreePoints);
  run_to(dir, "one");
  run_parts(dir, 3);
  run_to(dir, "half", "--shard 1/2");
  const auto size = [&](const char* name) { return test::rows_of(dir / name + "/runs.csv").size() - 1; };
  REQUIRE(size("1") + size("2") + size("3") == 21);
  const auto lacking = merge_to(dir, "1 3", "out", 4);
  CHECK_THAT(lacking.err,
             Contains(fmt::format("missing: {0} of 21 runs: part 2/3 ({0} runs)\n", size("2"))) &&
                 Contains("or run the scenario with -o out"));
  CHECK_THAT(lacking.out, Contains(fmt::format("{0} of 21 runs ({0} new)", 21 - size("2"))));
  // Of parts of several divisions no part is named.
  const auto mixed = merge_to(dir, "1 half", "mixed", 4);
  CHECK_THAT(mixed.err, Contains(" of 21 runs\n"));
  // Running the scenario makes the rest.
  CHECK_THAT(ended_with(dir, "run s.json --no-progress -o out").err,
             Contains(fmt::format("{} cached, {} to run", 21 - size("2"), size("2"))));
  check_same_tables(dir / "out", dir / "one", 6);
  // So does a whole study.
  CHECK_THAT(merge_to(dir, "half one 1", "whole").out, Contains("21 runs (21 new)"));
  check_same_tables(dir / "whole", dir / "one", 6);
}

TEST_CASE("merge: the trace is that of the part that has made the run") {
  const test::StudyFolder dir(kThreePoints);
  const std::string traced =
      R"(--set 'record.trace={"format": ["csv", "perfetto"], "point": 1, "repetition": 4}')";
  run_to(dir, "one", traced);
  run_parts(dir, 3, traced);
  int parts = 0;
  for (const char* part : {"1", "2", "3"}) parts += fs::exists(dir / part + "/trace.csv") ? 1 : 0;
  CHECK(parts == 1);
  merge_to(dir, "1 2 3", "out");
  for (const std::string file : {"/trace.csv", "/trace.perfetto.json"}) {
    CHECK(text_of(dir / "one" + file).size() > 1000);
    CHECK(text_of(dir / "out" + file) == text_of(dir / "one" + file));
  }
}

TEST_CASE(
    "merge: what is added to points once all runs are stored, and what was damaged, is described again") {
  const test::StudyFolder dir(kThreePoints);
  const std::string more =
      R"( --set 'baselines=["isolated"]' --set 'analysis.bounds=[{"type": "cost_of_privacy_11"}]')";
  run_to(dir, "one", more);
  run_parts(dir, 2);
  run_parts(dir, 2, more);
  merge_to(dir, "1 2", "out");
  check_same_tables(dir / "out", dir / "one", 8);
  test::damage(dir / "1", "UPDATE scalar SET value = value + 1 WHERE run IS NULL");
  ended_with(dir, "status 1", 4);
  CHECK_THAT(ended_with(dir, "run s.json --no-progress -o 1 --shard 1/2" + more).err, Contains(", 0 to run"));
  ended_with(dir, "status 1");
  merge_to(dir, "1 2", "repaired");
  check_same_tables(dir / "repaired", dir / "one", 8);
  // Each of 3 runs is of another point: part 1 describes those of part 2 again that its folder has.
  run_to(dir, "single", "--repeat 1" + more);
  for (const char* part : {"1/2", "2/2"}) run_to(dir, "both", fmt::format("--repeat 1 --shard {}", part));
  run_to(dir, "both", "--repeat 1 --shard 1/2" + more);
  merge_to(dir, "both", "of-both");
  check_same_tables(dir / "of-both", dir / "single", 8);
}

TEST_CASE("merge: the trace of a run that is no longer asked for does not stay in the folder of a part") {
  const test::StudyFolder dir(kThreePoints);
  const auto traced = [](std::uint32_t repetition) {
    return fmt::format(R"( --set 'record.trace={{"format": ["csv"], "repetition": {}}}')", repetition);
  };
  run_parts(dir, 2);
  std::uint32_t own = 7, other = 7;  // repetitions of point 0 that part 1 has, and that part 2 has
  for (std::uint32_t r = 0; r < 7; ++r) (analysis::StoredStudy(dir / "1").run(0, r) ? own : other) = r;
  REQUIRE((own < 7 && other < 7));
  run_to(dir, "1", "--shard 1/2" + traced(own));
  CHECK(fs::exists(dir / "1/trace.csv"));
  run_to(dir, "1", "--shard 1/2" + traced(other));
  CHECK_FALSE(fs::exists(dir / "1/trace.csv"));
  // A whole study that becomes a part has both runs.
  run_to(dir, "whole", traced(own));
  run_to(dir, "whole", "--shard 1/2" + traced(other));
  run_to(dir, "2", "--shard 2/2" + traced(other));
  merge_to(dir, "whole 2", "out");
  run_to(dir, "one", traced(other));
  CHECK(text_of(dir / "one/trace.csv").size() > 1000);
  CHECK(text_of(dir / "out/trace.csv") == text_of(dir / "one/trace.csv"));
  // Of the same run it stays.
  run_to(dir, "2", "--shard 1/2" + traced(other));
  CHECK(text_of(dir / "2/trace.csv") == text_of(dir / "one/trace.csv"));
}

TEST_CASE("merge: wall-clock times and hosts are those of the parts") {
  const test::StudyFolder dir(R"("repeat": 4)");
  run_parts(dir, 2);
  test::rewrite(dir / "1", "UPDATE run SET host = 'node7', wall_s = 12.5");
  test::rewrite(dir / "2", "UPDATE run SET host = 'node9', wall_s = 0.25");
  merge_to(dir, "1 2", "out");
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

TEST_CASE("merge: more parts than runs") {
  const test::StudyFolder dir(R"("repeat": 2)");
  run_to(dir, "one");
  run_parts(dir, 4);
  CHECK(test::rows_of(dir / "4/runs.csv").size() + test::rows_of(dir / "3/runs.csv").size() +
            test::rows_of(dir / "2/runs.csv").size() + test::rows_of(dir / "1/runs.csv").size() ==
        4 + 2);  // headers, runs
  merge_to(dir, "1 2 3 4", "out");
  check_same_tables(dir / "out", dir / "one", 6);
}

TEST_CASE("merge: broken off at any moment, the same command completes it") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [0.1, 1, 10]}, "repeat": 100)");
  run_to(dir, "one");
  run_parts(dir, 2);
  // From when there is a file of its results on.
  for (const char* seconds : {"0", "0.01", "0.02", "0.05"}) {
    const std::string out = std::string("out") + seconds;
    shell(dir,
          fmt::format("$program merge 1 2 -o {0} &\nuntil [ -e {0}/results.sqlite ]; do sleep 0.002; done; "
                      "sleep {1}; kill -KILL $!; wait $!",
                      out, seconds));
    INFO(seconds);
    merge_to(dir, "1 2", out);
    check_same_tables(dir / out, dir / "one", 6);
  }
}
