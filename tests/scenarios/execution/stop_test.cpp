// What ends a run, as the library's callers see it.
#include <fmt/format.h>

#include "analysis/store/stored_study.hpp"
#include "scenarios/execution/execute.hpp"
#include "tests/support/process.hpp"

using namespace hearsay;
using analysis::RunEnd;
using namespace hearsay::test;

namespace {

analysis::RunResult run_with(const std::vector<std::string>& sets, int iterations = 200) {
  const Scratch dir;
  const auto plan = scenarios::make_plan(dir.write("s.json", small_scenario("", iterations)), sets, {});
  scenarios::Execution execution(plan, {.threads = 1});
  execution.assemble();
  analysis::Store store(dir.path() / "out");
  CHECK(execution.run(store));
  store.close();
  return analysis::StoredStudy(dir.path() / "out").run(0, 0).value();
}

double scalar(const analysis::RunResult& run, const std::string& name) {
  for (const auto& s : run.scalars) {
    if (s.name == name) return s.value;
  }
  return -1;
}

const std::vector<std::string> kEach{"record.metrics=[\"relative_fitness\"]", "record.every.iterations=1"};

std::vector<std::string> with(std::vector<std::string> sets) {
  sets.insert(sets.end(), kEach.begin(), kEach.end());
  return sets;
}

}  // namespace

TEST_CASE("stop: each limit ends a run and is named") {
  CHECK(run_with({}).end == RunEnd::kIterations);
  CHECK(run_with({}).iterations == 200);
  CHECK(run_with({"stop.events=10"}).events == 10);
  CHECK(run_with({"stop.events=10"}).end == RunEnd::kEvents);
  CHECK(run_with({"stop.time=2"}).end == RunEnd::kTime);
  CHECK(run_with({"stop.time=2"}).time == 2);
  CHECK(run_with({"stop.vectors=9"}).end == RunEnd::kVectors);
  CHECK(run_with({"stop.bytes=500"}).end == RunEnd::kBytes);
}

TEST_CASE("stop: budgets_spent ends a run when every owner has made all its releases") {
  // Most answers are lost, and lost ones stay spent: the learner never sees the 5 that it plans for.
  const auto run =
      run_with({"stop.iterations=null", "protocol.horizon=5", "stop.budgets_spent=true", "network.loss=0.8",
                R"(record.metrics=["epsilon_spent_by_owner","releases_by_owner"])"});
  CHECK(run.end == RunEnd::kBudgets);
  const auto at = run.series.values.end() - 6;
  for (int owner = 0; owner < 3; ++owner) {
    CHECK(at[owner] == Approx(1));
    CHECK(at[3 + owner] == 5);
  }
}

TEST_CASE("stop: a target ends a run at the first sample where it holds, and reports the sample") {
  const auto full = run_with(kEach);
  // The least value on the way, so that the first time it is reached is known from the series.
  std::size_t least = 0;
  for (std::size_t k = 0; k < full.series.values.size(); ++k) {
    if (full.series.values[k] < full.series.values[least]) least = k;
  }
  REQUIRE(full.series.samples.size() == 201);
  const double level = std::nextafter(full.series.values[least], 1e300);
  const auto run =
      run_with(with({fmt::format(R"(stop.target={{"metric":"relative_fitness","below":{}}})", level)}));
  CHECK(run.end == RunEnd::kTarget);
  const analysis::Sample& mark = full.series.samples[least];
  CHECK(scalar(run, "reached_at.iterations") == static_cast<double>(mark.iteration));
  CHECK(scalar(run, "reached_at.seconds") == mark.time);
  CHECK(scalar(run, "reached_at.vectors") == static_cast<double>(mark.vectors));
  CHECK(scalar(run, "reached_at.bytes") == static_cast<double>(mark.bytes));
  CHECK(run.series.samples.size() == least + 1);
}

TEST_CASE("stop: check_every checks a target between samples, 'above' is the opposite of 'below'") {
  const std::string above = R"(stop.target={"metric":"messages","above":100,"check_every":5})";
  const auto run = run_with({above, "record.every.iterations=50"});
  CHECK(run.end == RunEnd::kTarget);
  CHECK(run.iterations % 5 == 0);
  CHECK(run.iterations < 50);
  CHECK(run.traffic.messages > 100);
  CHECK(scalar(run, "reached_at.iterations") == static_cast<double>(run.iterations));
  CHECK(scalar(run_with({}), "reached_at.iterations") == -1);
  // Reached before anything has happened.
  CHECK(run_with({R"(stop.target={"metric":"messages","below":1})"}).events == 0);
}

TEST_CASE("stop: the wall-clock limit ends a run in which nothing happens for the protocol") {
  // Every owner is down for good: there are only ticks that are skipped, or only observations.
  const std::string crash = R"(events=[{"at": 1, "crash": [1, 2, 3]}])",
                    many = "stop.events=1000000000000000";
  CHECK(run_with({"stop.wall=50 ms", crash, many}).end == RunEnd::kWall);
  CHECK(run_with({"stop.wall=50 ms", crash, many, "record.every={\"time\": 1e-6}"}).end == RunEnd::kWall);
}

TEST_CASE("stop: a run that waits for iterations ends when every owner is down for good, and says so") {
  for (const char* every : {"record.every.iterations=10", "record.every={\"time\": 0.5}"}) {
    const auto run = run_with({R"(events=[{"at": 1, "crash": [1, 2, 3]}])", every}, 1'000'000);
    CHECK(run.end == RunEnd::kIdle);
    CHECK(run.status == analysis::Status::kDone);
    CHECK(run.time < 10);
    CHECK_THAT(run.message, Catch::Contains("every agent is down for good"));
  }
}

TEST_CASE("stop: the wall-clock limit ends a run, whose fingerprint is then not compared") {
  const auto run = run_with({"stop.wall=50 ms"}, 2'000'000'000);
  CHECK(run.end == RunEnd::kWall);
  CHECK(run.status == analysis::Status::kDone);
  CHECK(run.wall >= 0.05);
}
