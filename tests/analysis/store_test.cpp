#include "analysis/store/store.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <thread>

#include "analysis/store/output_file.hpp"
#include "analysis/store/series_rows.hpp"
#include "analysis/store/store_writer.hpp"
#include "analysis/tables/export.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using analysis::KnownRun;
using analysis::RunResult;
using analysis::Store;
using analysis::StoredStudy;

namespace {

analysis::StudyPlan plan_of(const std::string& record = "r") {
  analysis::StudyPlan plan;
  plan.head.axes = {"epsilon"};
  plan.head.metrics = {{"objective", "f of the model.", "", false}, {"epsilon_spent_by_owner", "", "", true}};
  plan.head.models = true;
  plan.record_key = record;
  plan.points = {{"key-a", {"1"}, 3, "d"}, {"key-b", {"2, or so"}, 3, "d"}};
  plan.info = {{"scenario", "{}"}};
  return plan;
}

analysis::PointResult point_of(double optimum) {
  return {.labels = {},
          .scalars = {{"optimum", {}, optimum}, {"noise", 2, 0.5}},
          .unaccounted = {"pca"},
          .notes = {"a note"},
          .owners = 2,
          .first_owner = 1};
}

RunResult run_of(std::size_t point, std::uint32_t repetition) {
  const double x = static_cast<double>(point) * 100 + repetition;
  RunResult run;
  run.point = point;
  run.repetition = repetition;
  run.fingerprint = 0xfedcba9876543210u + repetition;
  run.events = 1u << 30;
  run.iterations = 7;
  run.time = 0.1 + x;
  run.traffic.messages = 5;
  run.traffic.lost[1] = 3;
  run.series.samples = {{0, 0, 0, 0}, {7, 0.1 + x, 14, 1024}};
  run.series.values = {x, 0.1, 0.2, 1.0 / 3, std::numeric_limits<double>::quiet_NaN(), -0.0};
  run.scalars = {{"reached_at.iterations", {}, 7}};
  run.models = {{1, {x + 0.1, -0.0}}, {2, {std::numeric_limits<double>::infinity(), 1.0 / 3}}};
  return run;
}

void fill(Store& store, std::vector<std::pair<std::size_t, std::uint32_t>> order) {
  store.begin_study(plan_of());
  store.put_point(0, point_of(1), {.owners = {}, .network = {}, .parameters = {"age", "a, \"b\""}});
  store.put_point(1, point_of(2));
  for (const auto& [point, repetition] : order) store.put_run(run_of(point, repetition));
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("store: results are read back bit for bit") {
  const test::Scratch dir;
  {
    Store store(dir.path());
    fill(store, {{1, 2}});
    store.close();
  }
  StoredStudy study(dir.path());
  CHECK(study.info("scenario") == "{}");
  CHECK(study.head().metrics == plan_of().head.metrics);
  const auto point = study.point(1);
  CHECK(point.labels == std::vector<std::string>{"2, or so"});
  CHECK(point.owners == 2);
  CHECK(point.first_owner == 1);
  CHECK(point.scalars.at(0).value == 2);
  CHECK(point.scalars.at(1).agent == 2u);
  CHECK(point.unaccounted == std::vector<std::string>{"pca"});
  const RunResult read = study.run(1, 2).value();
  const RunResult wrote = run_of(1, 2);
  CHECK(read.fingerprint == wrote.fingerprint);
  CHECK(read.time == wrote.time);
  CHECK(read.traffic.lost[1] == 3);
  CHECK(read.series.samples.at(1).bytes == 1024);
  REQUIRE(read.series.values.size() == 6);
  CHECK(read.series.values[3] == 1.0 / 3);
  CHECK(std::isnan(read.series.values[4]));
  CHECK(std::signbit(read.series.values[5]));
  CHECK(read.scalars.at(0).name == "reached_at.iterations");
  REQUIRE(read.models.size() == 2);
  CHECK(read.models[0].agent == 1);
  CHECK(read.models[0].parameters == wrote.models[0].parameters);
  CHECK(std::signbit(read.models[0].parameters[1]));
  CHECK(read.models[1].parameters == wrote.models[1].parameters);
  CHECK(study.parameters(0) == std::vector<std::string>{"age", "a, \"b\""});
  CHECK(study.parameters(1).empty());
  CHECK_FALSE(study.run(1, 1).has_value());
}

TEST_CASE("store: tables do not depend on the order in which runs finish") {
  const test::Scratch dir;
  for (const char* name : {"a", "b"}) {
    Store store(dir.path() / name);
    if (name[0] == 'a') {
      fill(store, {{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
    } else {
      fill(store, {{1, 2}, {0, 1}, {1, 0}, {0, 2}, {0, 0}, {1, 1}, {0, 1}});
    }
    store.close();
    StoredStudy study(dir.path() / name);
    const auto exported = analysis::export_tables(study, dir.path() / name);
    CHECK(exported.totals.runs == 6);
  }
  for (const char* file : {"series.csv", "scalars.csv", "runs.csv", "models.csv"})
    CHECK(text_of(dir.path() / "a" / file) == text_of(dir.path() / "b" / file));
  const std::string series = text_of(dir.path() / "a/series.csv");
  CHECK(
      series.starts_with("epsilon,repetition,metric,agent,iteration,time_s,vectors,bytes,value\n"
                         "1,0,objective,,0,0,0,0,0\n"
                         "1,0,epsilon_spent_by_owner,1,0,0,0,0,0.1\n"
                         "1,0,epsilon_spent_by_owner,2,0,0,0,0,0.2\n"));
  CHECK(text_of(dir.path() / "a/models.csv")
            .starts_with("epsilon,repetition,agent,parameter,name,value\n"
                         "1,0,1,0,age,0.1\n"
                         "1,0,1,1,\"a, \"\"b\"\"\",-0\n"
                         "1,0,2,0,age,inf\n"
                         "1,0,2,1,\"a, \"\"b\"\"\",0.3333333333333333\n"
                         "1,1,1,0,age,1.1\n"));
  CHECK(series.find("\"2, or so\",2,objective,,7,102.1,14,1024,0.3333333333333333\n") != std::string::npos);
}

TEST_CASE("store: runs are known as cached, unfinished, or recorded with other metrics") {
  const test::Scratch dir;
  Store store(dir.path());
  CHECK(store.known(plan_of()).runs[0][0].state == KnownRun::State::kNew);
  fill(store, {{0, 0}});
  RunResult failed = run_of(0, 1);
  failed.status = analysis::Status::kFailed;
  store.put_run(failed);
  RunResult timed = run_of(0, 2);
  timed.end = analysis::RunEnd::kWall;
  store.put_run(timed);
  const auto known = store.known(plan_of());
  CHECK(known.runs[0][0].state == KnownRun::State::kCached);
  CHECK(known.runs[0][1].state == KnownRun::State::kUnfinished);
  CHECK(known.runs[1][0].state == KnownRun::State::kNew);
  CHECK(known.described[0]);
  const auto other = store.known(plan_of("other record"));
  CHECK(other.runs[0][0].state == KnownRun::State::kUnrecorded);
  CHECK(other.runs[0][0].comparable);
  CHECK(other.runs[0][0].fingerprint == run_of(0, 0).fingerprint);
  CHECK(other.runs[0][1].state == KnownRun::State::kNew);
  CHECK_FALSE(other.runs[0][2].comparable);
}

TEST_CASE("store: of a run that cannot be stored completely nothing is stored") {
  const test::Scratch dir;
  {
    Store store(dir.path());
    fill(store, {{0, 0}});
    store.commit();
    RunResult broken = run_of(0, 1);
    broken.series.values.pop_back();  // noticed after its outcome has been written
    CHECK_THROWS(store.put_run(broken));
  }
  Store store(dir.path());
  const auto known = store.known(plan_of());
  CHECK(known.damaged.empty());
  CHECK(known.runs[0][0].state == KnownRun::State::kCached);
  CHECK(known.runs[0][1].state == KnownRun::State::kNew);
}

TEST_CASE("store: a commit is on disk when it returns") {
  const test::Scratch dir;
  constexpr int kFull = 2;
  CHECK(analysis::open_to_write(dir.path())->first<int>("PRAGMA synchronous") == kFull);
}

TEST_CASE("store: one of another format is refused, and stays as it is") {
  const auto [version, whose] = GENERATE(table<int, const char*>({{6, "an older"}, {8, "a newer"}}));
  const test::Scratch dir;
  {
    Store store(dir.path());
    fill(store, {{0, 0}});
    store.close();
  }
  const auto file = analysis::store_file(dir.path());
  analysis::Database(file, analysis::Database::Access::kRead)
      .run(fmt::format("PRAGMA journal_mode = DELETE; PRAGMA user_version = {}", version).c_str());
  const std::string before = text_of(file);
  const auto refused = Catch::Contains(fmt::format(
      "results.sqlite: written by {} hearsay (format {}, this one has format 7); read it with that version, or "
      "run the scenario in another folder with -o",
      whose, version));
  CHECK_THROWS_WITH(StoredStudy(dir.path()), refused);
  CHECK_THROWS_WITH(Store(dir.path()), refused);
  CHECK_THROWS_WITH(analysis::has_study(dir.path()), refused);
  CHECK(text_of(file) == before);
}

TEST_CASE("store: series of any length are read back bit for bit") {
  const test::Scratch dir;
  constexpr std::size_t kWidth = 3;
  // One sample less than a row of the store has, as many, one more; and counts that no double has.
  const std::size_t row = (analysis::kSeriesBlock + 5 + kWidth - 1) / (5 + kWidth);
  const std::size_t samples = GENERATE_COPY(std::size_t{0}, row - 1, row, row + 1);
  RunResult wrote = run_of(0, 0);
  wrote.series.samples.resize(samples);
  wrote.series.values.resize(kWidth * samples);
  for (std::size_t k = 0; k < samples; ++k) {
    wrote.series.samples[k] = {(1u << 30) * 8388608u * 1024u - 1 - k, 0.1 * static_cast<double>(k), k, 2 * k,
                               3 * k};
    for (std::size_t c = 0; c < kWidth; ++c)
      wrote.series.values[kWidth * k + c] = 1.0 / static_cast<double>(k + c);
  }
  Store store(dir.path());
  fill(store, {});
  store.put_run(wrote);
  store.close();
  const auto read = StoredStudy(dir.path()).run(0, 0).value().series;
  CHECK(read.values == wrote.series.values);
  REQUIRE(read.samples.size() == samples);
  for (std::size_t k = 0; k < samples; ++k) {
    const auto &a = read.samples[k], &b = wrote.series.samples[k];
    if (std::tuple(a.iteration, a.time, a.vectors, a.bytes, a.messages) !=
        std::tuple(b.iteration, b.time, b.vectors, b.bytes, b.messages))
      FAIL("sample " << k);
  }
  const auto rows = analysis::open_store(dir.path())->first<std::size_t>("SELECT count(*) FROM series");
  CHECK(rows == (samples == 0 ? 0 : samples > row ? 2 : 1));
}

TEST_CASE("store: a second writer of a folder is refused until the first has closed") {
  const test::Scratch dir;
  {
    const Store first(dir.path());
    CHECK_THROWS_WITH(Store(dir.path()),
                      Catch::Contains("another hearsay process is writing to this folder"));
  }
  CHECK_NOTHROW(Store(dir.path()));
}

TEST_CASE("store: a closed store keeps other writers out, but not readers, while its owner exports it") {
  const test::Scratch dir;
  Store first(dir.path());
  fill(first, {{0, 0}});
  first.close();
  CHECK_THROWS_WITH(Store(dir.path()), Catch::Contains("another hearsay process is writing to this folder"));
  CHECK(StoredStudy(dir.path()).run(0, 0).has_value());
}

TEST_CASE("store: a reader that stays does not keep the store from being closed") {
  const test::Scratch dir;
  const auto wal = dir.path() / "results.sqlite-wal";
  {
    Store store(dir.path());
    fill(store, {{0, 0}});
    store.commit();
    const auto reader = analysis::open_store(dir.path());
    reader->run("SELECT count(*) FROM run");
    CHECK_NOTHROW(store.close());
    CHECK(std::filesystem::exists(wal));
    CHECK(StoredStudy(dir.path()).run(0, 0).has_value());
  }
  Store(dir.path()).close();
  CHECK_FALSE(std::filesystem::exists(wal));
}

TEST_CASE("store: runs of several threads are all stored, and committed while others arrive") {
  const test::Scratch dir;
  auto plan = plan_of();
  plan.points.resize(1);
  plan.points[0].repetitions = 4000;
  Store store(dir.path());
  store.begin_study(plan);
  store.put_point(0, point_of(1));
  store.commit();
  {
    analysis::StoreWriter writer(store);
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t) {
      threads.emplace_back([&writer, t] {
        for (std::uint32_t r = t; r < 4000; r += 4) writer.add(run_of(0, r));
      });
    }
    for (std::thread& t : threads) t.join();
    writer.finish();
  }
  store.close();
  StoredStudy study(dir.path());
  std::uint32_t next = 0;
  study.each_run([](const auto&) {},
                 [&](const auto&, const RunResult& run) {
                   CHECK(run.repetition == next);
                   ++next;
                 });
  CHECK(next == 4000);
}
