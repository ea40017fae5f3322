// results.sqlite with foreign values in known columns, as `status` and `run` open it: readers say what is wrong.
#include "tests/machines/fuzz/cells.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::run_for_cells();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzz::text_of(data, size);
  fuzz::write(fuzz::kResults, fuzz::pristine());
  {
    analysis::Database database(fuzz::folder() / fuzz::kResults, analysis::Database::Access::kRead);
    database.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN");
    fuzz::set_cells(database, input);
    database.run("COMMIT");
  }
  fuzz::accepted<analysis::OutputError>([] { fuzz::read_study([](const analysis::RunResult&) {}); });
  fuzz::accepted<analysis::OutputError>(fuzz::resume_study);
  return 0;
}
