// results.sqlite with changed bytes: nothing that is read may differ from what was written. An input is a list of changes
// of 4 bytes: an offset (3 bytes, from the start) and the new byte; an offset beyond the file cuts it there.
#include "tests/fuzz/store.hpp"

using namespace hearsay;

namespace {

std::vector<analysis::RunResult>& written() {
  static std::vector<analysis::RunResult> runs;
  return runs;
}

bool same(const analysis::RunResult& a, const analysis::RunResult& b) {
  const auto numbers = [](const analysis::RunResult& r) {
    return std::tuple(r.point, r.repetition, r.status, r.end, r.iterations, r.time, r.events, r.fingerprint,
                      r.message);
  };
  return numbers(a) == numbers(b);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  fuzz::run_study();
  written() = fuzz::read_study();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes = fuzz::pristine();
  for (; size >= 4; data += 4, size -= 4) {
    const std::size_t offset =
        (std::size_t{data[0]} << 16 | std::size_t{data[1]} << 8 | data[2]) % (bytes.size() * 9 / 8 + 1);
    if (offset < bytes.size()) {
      bytes[offset] = static_cast<char>(data[3]);
    } else {
      bytes.resize((offset - bytes.size()) * 8);
    }
  }
  fuzz::write(fuzz::kResults, bytes);
  fuzz::accepted<analysis::OutputError>([] {
    for (const analysis::RunResult& run : fuzz::read_study()) {
      const bool known = std::ranges::any_of(written(), [&](const auto& w) { return same(run, w); });
      fuzz::require(known, "a run that is read is one that was written");
    }
  });
  fuzz::accepted<analysis::OutputError>(fuzz::resume_study);
  return 0;
}
