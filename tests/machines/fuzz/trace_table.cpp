// Trace tables, of which a report shows the beginning.
#include "analysis/figures/trace_data.hpp"
#include "tests/machines/fuzz/fuzz.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string file = fuzz::memory_file(fuzz::text_of(data, size), "trace.csv").resolved;
  for (const double from : {0.0, 1.5}) {
    const auto trace = analysis::read_trace(file, 100, from, 1e6);
    fuzz::require(trace.has_value(), "the file is there");
    for (const auto& message : trace->messages)
      fuzz::require(message.from < trace->agents && message.to < trace->agents, "messages are of the agents");
    for (const auto& moment : trace->moments)
      fuzz::require(moment.agent < trace->agents, "moments are of the agents");
    for (const auto* periods : {&trace->down, &trace->computing}) {
      for (const auto& period : *periods)
        fuzz::require(period.agent < trace->agents, "periods are of the agents");
    }
  }
  return 0;
}
