#include "analysis/store/checksum.hpp"

#include <array>
#include <optional>

#include "sim/hash.hpp"

namespace hearsay::analysis {

namespace {

// The rows of each part, in an order that does not change.
constexpr std::array<std::array<std::string_view, 4>, 4> kRows{{
    {"SELECT name, value FROM info ORDER BY name",
     "SELECT number, point, labels, repetitions FROM study ORDER BY number"},
    {"SELECT * FROM point WHERE id = ?",
     "SELECT name, agent, value FROM scalar WHERE point = ? AND run IS NULL ORDER BY rowid"},
    {"SELECT run.*, point.key FROM run JOIN point ON point.id = run.point WHERE run.id = ?",
     "SELECT data FROM series WHERE run = ? ORDER BY rowid",
     "SELECT point, name, agent, value FROM scalar WHERE run = ? ORDER BY rowid",
     "SELECT agent, data FROM model WHERE run = ? ORDER BY rowid"},
    {"SELECT id, repetition, record, point FROM run WHERE point = ?"},
}};

// Nothing if there are no rows.
std::optional<std::int64_t> checksum(Database& database, Part part, std::int64_t id) {
  const bool set = part == Part::kRuns;  // a sum, so that one run can be added
  std::optional<std::uint64_t> value;
  if (set) value = 0;
  for (const std::string_view sql : kRows.at(static_cast<std::size_t>(part))) {
    if (sql.empty()) break;
    Statement& rows = database.prepared(sql);
    part == Part::kStudy ? rows() : rows(id);
    while (rows.step()) value = set ? *value + rows.hash(0) : rows.hash(value.value_or(0));
  }
  return value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt;
}

std::optional<std::int64_t> stored(Database& database, Part part, std::int64_t id) {
  return database.first<std::int64_t>("SELECT value FROM checksum WHERE part = ? AND id = ?",
                                      static_cast<int>(part), id);
}

void put_checksum(Database& database, Part part, std::int64_t id, std::int64_t value) {
  database.execute("INSERT OR REPLACE INTO checksum (part, id, value) VALUES (?,?,?)", static_cast<int>(part),
                   id, value);
}

}  // namespace

void seal(Database& database, Part part, std::int64_t id) {
  if (const auto value = checksum(database, part, id)) {
    put_checksum(database, part, id, *value);
  } else {
    database.execute("DELETE FROM checksum WHERE part = ? AND id = ?", static_cast<int>(part), id);
  }
}

void change_runs(Database& database, std::int64_t run, Change change) {
  Statement& row = database.prepared("SELECT id, repetition, record, point FROM run WHERE id = ?")(run);
  if (!row.step()) return;
  const std::uint64_t one = row.hash(0);
  const auto point = row.get<std::int64_t>(3);
  row.reset();
  const auto before = stored(database, Part::kRuns, point);
  if (!before) return;  // its point is in no study
  const auto all = static_cast<std::uint64_t>(*before) + (change == Change::kAdded ? one : -one);
  put_checksum(database, Part::kRuns, point, static_cast<std::int64_t>(all));
}

bool intact(Database& database, Part part, std::int64_t id) {
  return stored(database, part, id) == checksum(database, part, id);
}

bool intact_run(Database& database, std::int64_t run, std::int64_t point, std::int64_t repetition,
                std::string_view record) {
  return database.first<int>("SELECT 1 FROM run WHERE id = ? AND point = ? AND repetition = ? AND record = ?",
                             run, point, repetition, record) &&
         intact(database, Part::kRun, run);
}

std::int64_t document_id(std::string_view text) {
  return static_cast<std::int64_t>(sim::hash_of(text.data(), text.size()));
}

std::set<std::int64_t> intact_documents(Database& database) {
  std::set<std::int64_t> all;
  Statement& rows = database.prepared("SELECT id, text FROM document")();
  while (rows.step()) {
    const auto id = rows.get<std::int64_t>(0);
    if (id == document_id(rows.get<std::string>(1))) all.insert(id);
  }
  return all;
}

}  // namespace hearsay::analysis
