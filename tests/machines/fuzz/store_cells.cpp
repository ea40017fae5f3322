// results.sqlite with foreign values in known columns, read from memory before they are committed: readers say what is
// wrong.
#include "tests/machines/fuzz/cells.hpp"
#include "tests/machines/fuzz/memory_store.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::run_for_cells(fuzz::one_point());
  fuzz::open_files_in_memory();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryStore store(fuzz::pristine());
  const std::string_view input = fuzz::text_of(data, size);
  store.database().execute("BEGIN");
  if (fuzz::set_cells(store.database(), input)) store.read([](const analysis::RunResult&) {});
  store.database().execute("ROLLBACK");
  return 0;
}
