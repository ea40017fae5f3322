// Series of a point's repetitions kept together, and their quantiles.
#include <bit>
#include <limits>

#include "analysis/metrics/metric.hpp"
#include "analysis/store/store.hpp"
#include "analysis/store/store_file.hpp"
#include "analysis/store/stored_study.hpp"
#include "analysis/tables/export.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using analysis::RunResult;
using analysis::Store;
using analysis::StoredStudy;

namespace {

analysis::StudyPlan plan_of(std::uint32_t repetitions, bool by_time = false) {
  analysis::StudyPlan plan;
  plan.head.axes = {"epsilon"};
  plan.head.metrics = {analysis::find_metric("objective")->info(),
                       analysis::find_metric("epsilon_spent_by_owner")->info()};
  plan.head.aggregate = true;
  plan.head.by_time = by_time;
  plan.record_key = "r";
  plan.points = {{"key-a", {"1"}, repetitions, "d"}};
  return plan;
}

// Repetition r has r + 1 records, at iterations 0, 10, ... and times that are its own.
RunResult run_of(std::uint32_t repetition) {
  RunResult run;
  run.repetition = repetition;
  for (std::uint32_t k = 0; k <= repetition; ++k) {
    run.series.samples.push_back({10 * k, k * 1.5 + 0.1 * repetition, 4 * k, 100 * k});
    run.series.values.insert(run.series.values.end(), {repetition * 100.0 + k, 1.0 / (k + 3), -0.0});
  }
  return run;
}

void keep(const std::filesystem::path& folder, const analysis::StudyPlan& plan,
          const std::vector<std::uint32_t>& repetitions) {
  Store store(folder);
  store.begin_study(plan);
  store.put_point(0, {.owners = 2, .first_owner = 1});
  for (const std::uint32_t r : repetitions) store.put_run(run_of(r));
  store.close();
}

}  // namespace

TEST_CASE("quantiles: at equal iterations every run counts with its last value, computed by hand") {
  const test::Scratch dir;
  keep(dir.path(), plan_of(3), {0, 1, 2});
  StoredStudy study(dir.path());
  analysis::export_tables(study, dir.path());
  CHECK_FALSE(std::filesystem::exists(dir.path() / "series.csv"));
  const std::string table = test::text_of(dir / "quantiles.csv");
  CHECK(
      table.starts_with("epsilon,metric,agent,iteration,time_s,runs,mean,min,q25,median,q75,max\n"
                        "1,objective,,0,,3,100,0,50,100,150,200\n"));  // 0, 100, 200
  // 0, 101, 201, of which the first has ended: mean 302/3.
  CHECK(table.find("1,objective,,10,,3,100.66666666666667,0,50.5,101,151,201\n") != std::string::npos);
  CHECK(table.find("1,objective,,20,,3,101,0,50.5,101,151.5,202\n") != std::string::npos);  // 0, 101, 202
  // 1/3, 1/4, 1/5.
  CHECK(table.find("1,epsilon_spent_by_owner,1,20,,3,0.26") != std::string::npos);
}

TEST_CASE("quantiles: at equal times every run counts with its last value") {
  const test::Scratch dir;
  keep(dir.path(), plan_of(2, true), {0, 1});
  StoredStudy study(dir.path());
  analysis::export_tables(study, dir.path());
  const std::string table = test::text_of(dir / "quantiles.csv");
  // Run 0: 0 from time 0 on. Run 1: 100 from 0.1 on, 101 from 1.6 on.
  CHECK(table.find("1,objective,,,0,1,0,0,0,0,0,0\n") != std::string::npos);
  CHECK(table.find("1,objective,,,0.1,2,50,0,25,50,75,100\n") != std::string::npos);
  CHECK(table.find("1,objective,,,1.6,2,50.5,0,25.25,50.5,75.75,101\n") != std::string::npos);
}

TEST_CASE("aggregate: a larger repeat adds runs, all other results equal those of separate runs") {
  const test::StudyFolder dir(R"("sweep": {"privacy.epsilon": [1, 10]}, "repeat": 2)");
  const std::string run = "hearsay run s.json --no-progress -o ";
  const std::string together = " --set record.keep=aggregate";
  REQUIRE(shell(dir, run + "a" + together).code == 0);
  const auto more = shell(dir, run + "a --repeat 3" + together);
  CHECK(more.code == 0);
  CHECK_THAT(more.err, Catch::Contains("6 runs: 4 cached, 2 to run"));
  REQUIRE(shell(dir, run + "b --repeat 3").code == 0);
  test::check_same_files(dir / "a", dir / "b", {"scalars.csv", "runs.csv"});
  test::ended_with(dir, "verify a");
  // Kept by themselves from now on: nothing has to be made again.
  CHECK_THAT(shell(dir, run + "a --repeat 3").err, Catch::Contains("6 runs: 6 cached, 0 to run"));
  CHECK(test::text_of(dir / "a/series.csv") == test::text_of(dir / "b/series.csv"));
}
