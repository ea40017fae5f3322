// results.sqlite with changed bytes, as `status` and `run` open it: nothing that is read may differ from what was written.
#include "tests/machines/fuzz/changes.hpp"
#include "tests/machines/fuzz/store.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::run_study();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Places places = fuzz::all_places(fuzz::pristine());
  std::string bytes = fuzz::pristine();
  fuzz::change(bytes, places, data, size);
  fuzz::write(fuzz::kResults, bytes);
  fuzz::accepted<analysis::OutputError>([] { fuzz::read_study(fuzz::require_written); });
  fuzz::accepted<analysis::OutputError>(fuzz::resume_study);
  return 0;
}
