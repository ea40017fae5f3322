#pragma once
// Which events of a run are written, and in which formats.
#include <array>
#include <optional>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/time.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::analysis {

enum class TraceFormat { kCsv, kPerfetto };
constexpr auto choices_of(TraceFormat) {
  return std::to_array<sim::Choice>(
      {{"csv", "trace.csv: one row per event"},
       {"perfetto",
        "trace.perfetto.json, for the Perfetto viewer: a track per agent, an arrow per message"}});
}

struct TraceOptions {
  std::vector<TraceFormat> format{TraceFormat::kCsv};
  std::vector<sim::TraceKind> kinds;  ///< empty: all
  sim::Time from = 0, to = sim::kNever;
  std::uint32_t repetition = 0;
  std::uint64_t point = 0;
  std::optional<sim::AgentId> agent;  ///< all if absent
  bool payload = false;               ///< a column with the numbers of messages and releases, in CSV
  void describe(sim::Visitor& v);
  bool wants(sim::TraceKind kind) const;
  bool wants_agent(sim::AgentId i) const { return !agent || *agent == i; }
  bool wants(const sim::TraceRecord& record) const;
};

}  // namespace hearsay::analysis
