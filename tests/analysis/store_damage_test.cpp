// A store whose file was changed by anything but hearsay: nothing of it is taken for a result.
#include <catch2/catch.hpp>

#include "analysis/store/output_file.hpp"
#include "analysis/store/store.hpp"
#include "analysis/tables/export.hpp"
#include "tests/support/changed_store.hpp"
#include "tests/support/process.hpp"
#include "tests/support/scratch.hpp"

using namespace hearsay;
using analysis::KnownRun;
using analysis::RunResult;
using analysis::Store;
using analysis::StoredStudy;
using test::text_of;
namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kRepetitions = 3;
const std::array<std::string, 6> kTables{"series.csv", "quantiles.csv", "scalars.csv",
                                         "runs.csv",   "owners.csv",    "models.csv"};

analysis::StudyPlan small_plan(bool aggregate) {
  analysis::StudyPlan plan;
  plan.head.axes = {"epsilon"};
  plan.head.metrics = {{"objective", "f of the model.", "", false}, {"epsilon_spent_by_owner", "", "", true}};
  plan.head.aggregate = aggregate;
  plan.head.models = true;
  plan.record_key = "r";
  plan.points = {{"key-a", {"1"}, kRepetitions, "d"}, {"key-b", {"2"}, kRepetitions, "d"}};
  plan.info = {{"scenario", "{}"}};
  return plan;
}

RunResult small_run(std::size_t point, std::uint32_t repetition) {
  const double x = static_cast<double>(point) * 100 + repetition;
  RunResult run;
  run.point = point;
  run.repetition = repetition;
  run.fingerprint = 0xfedcba9876543210u + repetition;
  run.iterations = 7;
  run.time = 0.1 + x;
  run.series.samples = {{0, 0, 0, 0}, {7, 0.1 + x, 14, 1024}};
  run.series.values = {x, 0.1, 0.2, 1.0 / 3, 4, -0.0};
  run.scalars = {{"reached_at.iterations", {}, 7}};
  run.models = {{1, {x, 2}}, {2, {0.25, -x}}};
  return run;
}

// Makes what a store does not have.
void complete(const fs::path& folder, bool aggregate) {
  Store store(folder);
  const analysis::StudyPlan plan = small_plan(aggregate);
  const analysis::KnownStudy known = store.known(plan);
  store.begin_study(plan);
  for (std::size_t p = 0; p < plan.points.size(); ++p) {
    const std::vector<analysis::OwnerFacts> owners(2);
    if (!known.described[p])
      store.put_point(
          p, {.scalars = {{"optimum", {}, 1.0 + static_cast<double>(p)}}, .owners = 2, .first_owner = 1},
          {.owners = owners, .network = {}, .parameters = {"age", "income"}});
    for (std::uint32_t r = 0; r < kRepetitions; ++r) {
      if (known.runs[p][r].state != KnownRun::State::kCached) store.put_run(small_run(p, r));
    }
  }
  store.close();
}

std::string tables(const fs::path& folder, std::size_t* damaged = nullptr) {
  StoredStudy study(folder);
  analysis::export_tables(study, folder);
  std::string all;
  for (const std::string& name : kTables) {
    if (fs::exists(folder / name)) all += text_of(folder / name);
  }
  if (damaged != nullptr) *damaged = study.damaged().size();
  return all;
}

void flip(const fs::path& file, std::size_t bit) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto place = static_cast<std::streamoff>(bit / 8);
  stream.seekg(place);
  const int old = stream.get();
  stream.seekp(place);
  stream.put(static_cast<char>(old ^ (1 << bit % 8)));
}

}  // namespace

TEST_CASE("store: with any one bit flipped, tables are those of the runs or the damage is reported") {
  const bool aggregate = GENERATE(false, true);
  const test::Scratch dir;
  complete(dir.path() / "whole", aggregate);
  const std::string whole = tables(dir.path() / "whole");
  const fs::path trial = dir.path() / "trial", file = trial / "results.sqlite";
  const std::size_t bits = 8 * fs::file_size(dir.path() / "whole/results.sqlite");
  std::size_t noticed = 0;
  constexpr std::size_t kTrials = 250;
  for (std::size_t k = 0; k < kTrials; ++k) {
    fs::remove_all(trial);
    fs::create_directories(trial);
    fs::copy_file(dir.path() / "whole/results.sqlite", file);
    const std::size_t bit = k * 7919 * 8191 % bits;  // primes: spread over all bytes and all places in them
    flip(file, bit);
    INFO("bit " << bit);
    std::size_t damaged = 0;
    try {
      const std::string read = tables(trial, &damaged);
      CHECK((damaged > 0 || read == whole));
    } catch (const analysis::OutputError&) {
      damaged = 1;
    }
    noticed += damaged > 0 ? 1 : 0;
    // The study completed again in that folder is whole, unless it is refused.
    try {
      complete(trial, aggregate);
    } catch (const analysis::OutputError&) {
      continue;
    }
    CHECK(tables(trial, &damaged) == whole);
    CHECK(damaged == 0);
  }
  CHECK(noticed >= 5);  // most of the small file is free space
}

TEST_CASE("store: a changed number costs its run, which is made again") {
  const test::Scratch dir;
  const fs::path folder = dir.path() / "a";
  complete(folder, false);
  const std::string whole = tables(folder);
  const char* sql =
      GENERATE("UPDATE run SET time_s = 5 WHERE point = 1 AND repetition = 1",
               "UPDATE run SET fingerprint = 'no number' WHERE point = 1 AND repetition = 1",
               "UPDATE scalar SET value = 8 WHERE run = 2", "DELETE FROM scalar WHERE run = 2",
               "UPDATE series SET data = zeroblob(128) WHERE run = 2", "DELETE FROM series WHERE run = 2",
               "UPDATE model SET data = zeroblob(16) WHERE run = 2 AND agent = 2",
               "UPDATE model SET agent = 3 WHERE run = 2 AND agent = 2", "DELETE FROM model WHERE run = 2",
               "DELETE FROM checksum WHERE part = 2 AND id = 2");
  test::damage(folder, sql);
  INFO(sql);
  std::size_t damaged = 0;
  CHECK(tables(folder, &damaged) != whole);
  CHECK(damaged == 1);
  {
    Store store(folder);
    const auto known = store.known(small_plan(false));
    CHECK(known.runs[0][1].state == KnownRun::State::kDamaged);
    CHECK(known.runs[0][0].state == KnownRun::State::kCached);
  }
  complete(folder, false);
  CHECK(tables(folder, &damaged) == whole);
  CHECK(damaged == 0);
}

TEST_CASE(
    "store: foreign values in what describes the study are errors of the output, and mended by running it "
    "again") {
  const test::Scratch dir;
  const fs::path folder = dir.path() / "a";
  complete(folder, false);
  const std::string whole = tables(folder);
  const char* sql = GENERATE(
      "UPDATE info SET value = '[1' WHERE name = 'head'", "UPDATE point SET notes = 'none' WHERE id = 1",
      "UPDATE point SET owners = 3 WHERE id = 1", "UPDATE study SET labels = '{}' WHERE number = 0",
      "UPDATE document SET text = '[]'", "UPDATE point SET parameters = NULL WHERE id = 1",
      "UPDATE document SET id = id + 1", "UPDATE scalar SET value = 8 WHERE run IS NULL");
  test::damage(folder, sql);
  INFO(sql);
  CHECK_THROWS_AS(tables(folder), analysis::OutputError);
  complete(folder, false);
  CHECK(tables(folder) == whole);
}

TEST_CASE("store: values that cannot be, under right checksums, are errors of the output") {
  const test::Scratch dir;
  const char* sql =
      GENERATE("UPDATE study SET number = 7 WHERE number = 1", "UPDATE document SET text = '[1]'",
               "UPDATE document SET text = 'x'", "UPDATE point SET owners = 1000000000000",
               "UPDATE point SET owners = -7",  // with it a sample would have no numbers
               "UPDATE info SET value = '[]' WHERE name = 'head'",
               "UPDATE info SET value = replace(value, '\"every\":0', '\"every\":4') WHERE name = 'head'",
               "UPDATE series SET data = zeroblob(8 * 17) WHERE run = 2");
  complete(dir.path(), false);
  CHECK_NOTHROW(tables(dir.path()));
  test::rewrite(dir.path(), sql);
  INFO(sql);
  CHECK_THROWS_AS(tables(dir.path()), analysis::OutputError);
}

TEST_CASE(
    "store: planned runs that are not there are counted, and stored ones that are not found are damage") {
  const test::Scratch dir;
  const auto presence = [&] { return StoredStudy(dir.path()).presence(); };
  const auto check = [&](std::uint64_t missing, bool sound) {
    const analysis::Presence found = presence();
    CHECK(found.planned == 6);
    CHECK(found.missing() == missing);
    CHECK(found.intact == sound);
  };
  complete(dir.path(), false);
  const std::string whole = tables(dir.path());
  check(0, true);
  SECTION("a run is gone") {
    test::damage(dir.path(), "DELETE FROM run WHERE point = 1 AND repetition = 1");
    check(1, false);
    complete(dir.path(), false);
    check(0, true);
  }
  SECTION("all runs and the checksums of their sets are gone") {
    test::damage(dir.path(), "DELETE FROM run; DELETE FROM checksum WHERE part = 3");
    check(6, false);
    // Their series are still there, under ids that new runs get.
    complete(dir.path(), false);
    check(0, true);
    CHECK(tables(dir.path()) == whole);
  }
  SECTION("a run under another repetition") {
    test::damage(dir.path(), "UPDATE run SET repetition = -1 WHERE point = 1 AND repetition = 1");
    check(1, false);
    CHECK(StoredStudy(dir.path()).states(0).size() == 2);
  }
  SECTION("a study that was not completed") {
    // The sum over runs, kept as they come and go, is that of those which are left.
    Store store(dir.path());
    const analysis::StudyPlan plan = small_plan(false);
    store.begin_study(plan);
    RunResult again = small_run(1, 2);
    again.status = analysis::Status::kInterrupted;
    store.put_run(again);
    store.close();
    check(1, true);
  }
}

TEST_CASE("store: runs that a damaged index hides are missed, also where SQLite's check is left out") {
  const test::Scratch dir;
  complete(dir.path(), false);
  const std::string whole = text_of(analysis::store_file(dir.path()));
  const auto page_of = [&](const char* index) {
    const auto page = analysis::open_store(dir.path())
                          ->first<std::size_t>("SELECT rootpage FROM sqlite_master WHERE name = ?", index);
    return (page.value() - 1) * 4096;
  };
  const auto opened = [&] {
    return StoredStudy(dir.path(), std::make_shared<analysis::Database>(analysis::store_file(dir.path()),
                                                                        analysis::Database::Access::kRead));
  };
  const auto write_flipped = [&](std::size_t place, std::uint8_t mask) {
    std::string bytes = whole;
    bytes[place] = static_cast<char>(bytes[place] ^ mask);
    dir.write("results.sqlite", bytes);
  };
  // Point 1, repetition 0, record 'r', run 1: lengths and types, where 8 is the number 0, 9 is 1, 15 a text of one byte.
  const std::size_t run = whole.find("\x05\x09\x08\x0f\x09r", page_of("sqlite_autoindex_run_1"));
  REQUIRE(run != whole.npos);
  write_flipped(run + 1, 1);  // of point 0
  StoredStudy study = opened();
  CHECK(study.presence().missing() == 1);
  CHECK_FALSE(study.presence().intact);
}

TEST_CASE("store: one with tables, views or triggers of others is refused") {
  const char* const sql = GENERATE(
      "CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
      "CREATE TABLE pad (x)", "ALTER TABLE run RENAME COLUMN events TO event",
      "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
      "ALTER TABLE model RENAME TO other; CREATE VIEW model AS SELECT * FROM other");
  const test::Scratch dir;
  complete(dir.path(), false);
  test::damage(dir.path(), "ANALYZE");
  CHECK_NOTHROW(StoredStudy(dir.path()));
  test::damage(dir.path(), sql);
  INFO(sql);
  CHECK_THROWS_WITH(StoredStudy(dir.path()), Catch::Contains("refused: it contains the "));
  CHECK_THROWS_WITH(Store(dir.path()), Catch::Contains("which hearsay has not made"));
}

TEST_CASE("store: a run is not read under the repetition of a damaged index") {
  const test::Scratch dir;
  complete(dir.path(), false);
  std::string bytes = text_of(analysis::store_file(dir.path()));
  {
    constexpr std::size_t kPage = 4096;
    const auto page =
        analysis::open_store(dir.path())
            ->first<std::size_t>("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_run_1'");
    // The entry point 1, repetition 0, record 'r', run 1: lengths and types, as above.
    const std::size_t entry = bytes.find("\x05\x09\x08\x0f\x09r", (page.value() - 1) * kPage);
    REQUIRE(entry < page.value() * kPage);
    bytes[entry + 2] = '\x09';
  }
  dir.write("results.sqlite", bytes);
  CHECK_THROWS_AS(StoredStudy(dir.path()), analysis::OutputError);
  // As large files are opened: without SQLite's check.
  StoredStudy study(dir.path(), std::make_shared<analysis::Database>(analysis::store_file(dir.path()),
                                                                     analysis::Database::Access::kRead));
  std::size_t read = 0;
  study.runs(0, [&](const RunResult& run) {
    CHECK(run.fingerprint == small_run(0, run.repetition).fingerprint);
    ++read;
  });
  CHECK(read == 2);
  CHECK(study.damaged() == std::set<std::pair<std::size_t, std::uint32_t>>{{0, 1}});
}
