// results.sqlite with foreign values in known columns and right checksums, as another program could write them: readers
// say what is wrong. Each line of an input is TABLE.COLUMN ROW VALUE; a first line "aggregate" takes a study that stores
// repetitions together, a line "unsealed" leaves the checksums as they are.
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "analysis/results/store/checksum.hpp"
#include "analysis/results/store/database.hpp"
#include "sim/files/csv_table.hpp"
#include "tests/fuzz/store.hpp"

using namespace hearsay;

namespace {

std::string& aggregated() {
  static std::string bytes;
  return bytes;
}

// "run.status", ...
std::set<std::string, std::less<>>& columns() {
  static std::set<std::string, std::less<>> all;
  return all;
}

void set_cell(analysis::Database& database, std::string_view line) {
  const auto [name, rest] = fuzz::split(line, " ");
  const auto [row, value] = fuzz::split(rest, " ");
  if (!columns().contains(name)) return;
  const auto [table, column] = fuzz::split(name, ".");
  std::int64_t number = 0, whole = 0;
  std::from_chars(row.data(), row.data() + row.size(), number);
  const std::string sql = "UPDATE " + std::string(table) + " SET " + std::string(column) +
                          " = ? WHERE rowid = (SELECT rowid FROM " + std::string(table) +
                          " ORDER BY rowid LIMIT 1 OFFSET ?)";
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), whole);
  if (value == "null") {
    database.execute(sql, std::optional<std::int64_t>(), number);
  } else if (error == std::errc{} && end == value.data() + value.size()) {
    database.execute(sql, whole, number);
  } else if (const auto real = sim::parse_number(value)) {
    database.execute(sql, *real, number);
  } else if (value.starts_with("blob ")) {
    const std::vector<double> numbers(value.size() - 5, static_cast<double>(value.back()));
    database.execute(sql, std::span<const double>(numbers), number);
  } else {
    database.execute(sql, std::string(value), number);
  }
}

void seal_all(analysis::Database& database) {
  const auto ids = [&](std::string_view sql) {
    std::vector<std::int64_t> all;
    for (analysis::Statement& rows = database.prepared(sql)(); rows.step();)
      all.push_back(rows.get<std::int64_t>(0));
    return all;
  };
  for (const std::int64_t id : ids("SELECT id FROM document"))
    database.execute("UPDATE document SET hash = ? WHERE id = ?",
                     analysis::document_hash(
                         database.first<std::string>("SELECT text FROM document WHERE id = ?", id).value()),
                     id);
  seal(database, analysis::Part::kStudy);
  const auto records = ids("SELECT id FROM record");
  for (const std::int64_t id : ids("SELECT id FROM point")) {
    seal(database, analysis::Part::kPoint, id);
    for (const std::int64_t record : records) seal(database, analysis::Part::kTogether, id, record);
  }
  for (const std::int64_t id : ids("SELECT id FROM run")) seal(database, analysis::Part::kRun, id);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::run_study();
  scenarios::run_command({fuzz::folder() / "scenario.json", "-o", fuzz::folder() / "aggregated",
                          "--no-progress", "--set", "record.keep=aggregate"});
  aggregated() = fuzz::read("aggregated/results.sqlite");
  analysis::Database database(fuzz::folder() / fuzz::kResults, analysis::Database::Access::kRead);
  analysis::Statement& all = database.prepared(
      "SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = "
      "'table' "
      "AND t.name <> 'checksum'")();
  while (all.step()) columns().insert(all.get<std::string>(0));
  fuzz::require(columns().size() > 40, "the tables have columns");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest = fuzz::text_of(data, size);
  fuzz::write(fuzz::kResults, rest.starts_with("aggregate\n") ? aggregated() : fuzz::pristine());
  bool sealed = true;
  {
    analysis::Database database(fuzz::folder() / fuzz::kResults, analysis::Database::Access::kRead);
    database.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN");
    while (!rest.empty()) {
      std::string_view line;
      std::tie(line, rest) = fuzz::split(rest, "\n");
      sealed &= line != "unsealed";
      fuzz::accepted<analysis::OutputError>([&] { set_cell(database, line); });
    }
    if (sealed) seal_all(database);
    database.run("COMMIT");
  }
  fuzz::accepted<analysis::OutputError>(fuzz::read_study);
  fuzz::accepted<analysis::OutputError>(fuzz::resume_study);
  return 0;
}
