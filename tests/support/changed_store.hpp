#pragma once
// A store changed by SQL: as another program would have written it, or as damage leaves it.
#include <filesystem>

#include "analysis/results/store/checksum.hpp"
#include "analysis/results/store/store_file.hpp"

namespace hearsay::test {

/// Changes a store behind its back: what the statement changed is damaged then.
inline void damage(const std::filesystem::path& folder, const char* sql) {
  analysis::open_to_write(folder)->run(sql);
}

/// Changes a store and its checksums: other results, not damaged ones.
inline void rewrite(const std::filesystem::path& folder, const char* sql) {
  const auto database = analysis::open_to_write(folder);
  database->run(sql);
  std::vector<std::int64_t> runs;
  analysis::Statement& rows = database->prepared("SELECT id FROM run")();
  while (rows.step()) runs.push_back(rows.get<std::int64_t>(0));
  for (const std::int64_t run : runs) analysis::seal(*database, analysis::Part::kRun, run);
  analysis::seal(*database, analysis::Part::kStudy);
}

}  // namespace hearsay::test
