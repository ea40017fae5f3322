// Availability traces: read, and followed for a few repetitions.
#include <algorithm>

#include "sim/files/csv_table.hpp"
#include "sim/network/sessions.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

namespace {

constexpr fuzz::Letter<sim::AvailabilityTrace> kLetters[] = {
    {'m', [](auto& o) { o.unit = 1e-3; }},
    {'f', [](auto& o) { o.from = 0.7; }},
    {'r', [](auto& o) { o.repeat = 20.1; }},
    {'R', [](auto& o) { o.repeat = 1e9 / 3; }},
    {'d', [](auto& o) { o.absent = sim::Absent::kDown; }},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [letters, text] = fuzz::split(fuzz::text_of(data, size), "\n");
  sim::AvailabilityTrace options{.path = fuzz::memory_file(text, "trace")};
  fuzz::apply(letters, kLetters, options);
  fuzz::accepted<sim::FileError>([&] {
    const auto sessions = sim::Sessions::read(options, 1u << 16);  // of more agents, more memory
    const std::size_t agents = std::min<std::size_t>(sessions->agents().size() + 1, 8);
    for (sim::AgentId i = 0; i < agents; ++i) {
      const sim::Sessions::Begin begin = sessions->begin(i);
      const std::size_t changes = i < sessions->agents().size() ? sessions->agents()[i].changes.size() : 0;
      sim::Time last = 0;
      for (std::uint64_t n = begin.change; n <= begin.change + 3 * changes + 1; ++n) {
        const sim::Time at = sessions->change(i, n);
        fuzz::require(at >= last, "changes of state do not go back in time");
        last = at;
      }
    }
  });
  return 0;
}
