// Clock traces: read, and followed by three agents.
#include <stdexcept>

#include "sim/clocks/clocks.hpp"
#include "sim/files/csv_table.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const sim::InputFile file = fuzz::memory_file(fuzz::text_of(data, size), "ticks");
  fuzz::accepted<sim::FileError, std::invalid_argument>([&] {
    const auto ticks = sim::TickList::read(file);
    const sim::Clocks clocks(sim::ClockTrace{.path = file}, 3, sim::Streams(1, 0), 0, ticks);
    std::size_t count = 0;
    for (sim::AgentId i = 0; i < 3; ++i) {
      sim::Time last = 0;
      for (std::uint32_t n = 0;; ++n, ++count) {
        const sim::Time at = clocks.tick(i, n, last);
        if (at == sim::kNever) break;
        fuzz::require(at >= last, "ticks do not go back in time");
        last = at;
      }
    }
    fuzz::require(count == ticks->times.size(), "every row is a tick");
  });
  return 0;
}
