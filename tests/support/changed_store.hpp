#pragma once
// A store changed by SQL: as another program would have written it, or as damage leaves it.
#include <filesystem>

#include "analysis/store/checksum.hpp"
#include "analysis/store/store_file.hpp"

namespace hearsay::test {

/// Changes a store behind its back: what the statement changed is damaged then.
inline void damage(const std::filesystem::path& folder, const char* sql) {
  analysis::open_to_write(folder)->run(sql);
}

/// Makes all checksums right.
inline void seal_all(analysis::Database& database) {
  const auto each = [&](const char* ids, const auto& f) {
    std::vector<std::int64_t> all;
    analysis::Statement& rows = database.prepared(ids)();
    while (rows.step()) all.push_back(rows.get<std::int64_t>(0));
    for (const std::int64_t id : all) f(id);
  };
  each("SELECT id FROM document", [&](std::int64_t id) {
    const auto text = database.first<std::string>("SELECT text FROM document WHERE id = ?", id).value();
    const std::int64_t right = analysis::document_id(text);
    database.execute("UPDATE OR REPLACE document SET id = ? WHERE id = ?", right, id);
    for (const std::string column : {"owner_list", "network", "parameters"})
      database.execute("UPDATE point SET " + column + " = ? WHERE " + column + " = ?", right, id);
  });
  each("SELECT id FROM run", [&](std::int64_t id) { analysis::seal(database, analysis::Part::kRun, id); });
  each("SELECT id FROM point", [&](std::int64_t id) {
    analysis::seal(database, analysis::Part::kPoint, id);
    analysis::seal(database, analysis::Part::kRuns, id);
  });
  analysis::seal(database, analysis::Part::kStudy);
}

/// Changes a store and its checksums: other results, not damaged ones.
inline void rewrite(const std::filesystem::path& folder, const char* sql) {
  const auto database = analysis::open_to_write(folder);
  database->run(sql);
  seal_all(*database);
}

}  // namespace hearsay::test
