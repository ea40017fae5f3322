#pragma once
// Foreign values in known columns of results.sqlite, with right checksums, as another program could write them. Each line
// of an input is TABLE.COLUMN ROW VALUE; a line "unsealed" leaves the checksums as they are.
#include <charconv>
#include <set>

#include "analysis/store/database.hpp"
#include "sim/files/csv_table.hpp"
#include "tests/machines/fuzz/store.hpp"

namespace hearsay::fuzz {

/// "run.status", ...
inline std::set<std::string, std::less<>>& columns() {
  static std::set<std::string, std::less<>> all;
  return all;
}

/// Returns whether the line names a cell that can have the value. Throws OutputError.
inline bool set_cell(analysis::Database& database, std::string_view line) {
  const auto [name, rest] = split(line, " ");
  const auto [row, value] = split(rest, " ");
  if (!columns().contains(name)) return false;
  const auto [table, column] = split(name, ".");
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
  return true;
}

/// Follows the lines of an input. Returns whether there is a cell to set.
inline bool set_cells(analysis::Database& database, std::string_view input) {
  bool sealed = true, any = false;
  for (const std::string& line : lines_of(input)) {
    sealed &= line != "unsealed";
    accepted<analysis::OutputError>([&] { any |= set_cell(database, line); });
  }
  if (any && sealed) test::seal_all(database);
  return any;
}

/// Runs the study and reads which cells its results have.
inline void run_for_cells(const StudySize& size = {}) {
  run_study(size);
  analysis::Database database(folder() / kResults, analysis::Database::Access::kRead);
  analysis::Statement& all = database.prepared(
      "SELECT t.name || '.' || c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = "
      "'table' AND t.name <> 'checksum'")();
  while (all.step()) columns().insert(all.get<std::string>(0));
  require(columns().size() > 40, "the tables have columns");
}

}  // namespace hearsay::fuzz
