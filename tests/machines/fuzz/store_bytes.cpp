// results.sqlite with changed bytes, read from memory: nothing that is read may differ from what was written. One
// connection with prepared statements reads all inputs, which takes a tenth of the time; so the first page, with the
// definitions of the tables, and SQLite's own check of its structure are left to resume_bytes.
#include "tests/machines/fuzz/changes.hpp"
#include "tests/machines/fuzz/memory_store.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::run_study(fuzz::one_point());
  fuzz::open_files_in_memory();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryStore store(fuzz::pristine());
  static const fuzz::Places places = fuzz::used_places(fuzz::pristine(), fuzz::MemoryStore::kPage);
  if (store.change([&](std::string& bytes) { return fuzz::change(bytes, places, data, size); }))
    store.read(fuzz::require_written);
  return 0;
}
