#include "analysis/store/checksum.hpp"

#include <array>
#include <string_view>

#include "sim/hash.hpp"

namespace hearsay::analysis {

namespace {

using Queries = std::array<std::string_view, 5>;

// The rows of each part, in an order that does not change.
constexpr std::array<Queries, 5> kRows{
    Queries{"SELECT name, value FROM info ORDER BY name",
            "SELECT number, point, labels, repetitions FROM study ORDER BY number"},
    Queries{"SELECT * FROM point WHERE id = ?",
            "SELECT name, agent, value FROM scalar WHERE point = ? AND run IS NULL ORDER BY rowid",
            "SELECT document FROM parameters WHERE point = ?"},
    Queries{"SELECT run.*, point.key, record.key, record.metrics, timing.* FROM run JOIN point ON point.id = "
            "run.point JOIN record ON record.id = run.record LEFT JOIN timing ON timing.run = run.id WHERE "
            "run.id = ?",
            "SELECT data FROM sample WHERE run = ?",
            "SELECT metric, agent, data FROM series WHERE run = ? ORDER BY rowid",
            "SELECT point, name, agent, value FROM scalar WHERE run = ? ORDER BY rowid",
            "SELECT agent, data FROM model WHERE run = ? ORDER BY rowid"},
    Queries{
        "SELECT number, metric, agent, data FROM aggregate WHERE point = ? AND record = ? ORDER BY rowid"},
    Queries{"SELECT id, repetition FROM run WHERE point = ? AND record = ?"}};

// Nothing if there are no rows.
std::optional<std::int64_t> checksum(Database& database, Part part, std::int64_t id, std::int64_t record) {
  const bool set = part == Part::kRuns;  // a sum, so that one run can be added
  std::optional<std::uint64_t> value;
  if (set) value = 0;
  for (const std::string_view sql : kRows.at(static_cast<std::size_t>(part))) {
    if (sql.empty()) break;
    Statement& rows = database.prepared(sql);
    if (part == Part::kTogether || set) {
      rows(id, record);
    } else if (part == Part::kStudy) {
      rows();
    } else {
      rows(id);
    }
    while (rows.step()) value = set ? *value + rows.hash(0) : rows.hash(value.value_or(0));
  }
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

std::optional<std::int64_t> stored(Database& database, Part part, std::int64_t id, std::int64_t record) {
  return database.first<std::int64_t>("SELECT value FROM checksum WHERE part = ? AND id = ? AND record = ?",
                                      static_cast<int>(part), id, record);
}

void put_checksum(Database& database, Part part, std::int64_t id, std::int64_t record, std::int64_t value) {
  database.execute("INSERT OR REPLACE INTO checksum (part, id, record, value) VALUES (?,?,?,?)",
                   static_cast<int>(part), id, record, value);
}

}  // namespace

void seal(Database& database, Part part, std::int64_t id, std::int64_t record) {
  const auto value = checksum(database, part, id, record);
  if (value) {
    put_checksum(database, part, id, record, *value);
  } else {
    database.execute("DELETE FROM checksum WHERE part = ? AND id = ? AND record = ?", static_cast<int>(part),
                     id, record);
  }
}

void change_runs(Database& database, std::int64_t run, Change change) {
  Statement& row = database.prepared("SELECT id, repetition FROM run WHERE id = ?")(run);
  if (!row.step()) return;
  const std::uint64_t one = row.hash(0);
  row.reset();
  const auto point = database.first<std::int64_t>("SELECT point FROM run WHERE id = ?", run).value();
  const auto record = database.first<std::int64_t>("SELECT record FROM run WHERE id = ?", run).value();
  const auto before = stored(database, Part::kRuns, point, record);
  if (!before) return;  // an older program has written the store
  const auto all = static_cast<std::uint64_t>(*before) + (change == Change::kAdded ? one : -one);
  put_checksum(database, Part::kRuns, point, record, static_cast<std::int64_t>(all));
}

bool sealed(Database& database, Part part, std::int64_t id, std::int64_t record) {
  return stored(database, part, id, record).has_value();
}

bool intact(Database& database, Part part, std::int64_t id, std::int64_t record) {
  return stored(database, part, id, record) == checksum(database, part, id, record);
}

std::int64_t document_hash(std::string_view text) {
  return static_cast<std::int64_t>(sim::hash_of(text.data(), text.size()));
}

std::set<std::int64_t> damaged_documents(Database& database) {
  std::set<std::int64_t> damaged;
  Statement& rows = database.prepared("SELECT id, hash, text FROM document")();
  while (rows.step()) {
    if (rows.get<std::int64_t>(1) != document_hash(rows.get<std::string>(2)))
      damaged.insert(rows.get<std::int64_t>(0));
  }
  return damaged;
}

bool RunCheck::operator()(std::int64_t run, std::int64_t repetition, std::int64_t record) {
  const auto same =
      database_.first<int>("SELECT 1 FROM run WHERE id = ? AND point = ? AND repetition = ? AND record = ?",
                           run, point_, repetition, record);
  if (!same || !intact(database_, Part::kRun, run)) return false;
  if (database_.first<int>("SELECT 1 FROM sample WHERE run = ?", run)) return true;
  const auto [found, added] = together_.try_emplace(record, false);
  if (added) found->second = intact(database_, Part::kTogether, point_, record);
  return found->second;
}

}  // namespace hearsay::analysis
