#pragma once
// What of the events of a run is written down, and in which formats.
#include <array>
#include <optional>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/time.hpp"
#include "sim/trace/trace_sink.hpp"

namespace hearsay::analysis {

enum class TraceFormat { kCsv, kPerfetto };

struct TraceOptions {
  std::vector<TraceFormat> format{TraceFormat::kCsv};
  std::vector<sim::TraceKind> kinds;  ///< empty: all
  sim::Time from = 0, to = sim::kNever;
  std::uint32_t repetition = 0;
  std::uint64_t point = 0;
  std::optional<sim::AgentId> agent;  ///< all if it is nobody
  void describe(sim::Visitor& v);
  bool wants(sim::TraceKind kind) const;
  bool wants_agent(sim::AgentId i) const { return !agent || *agent == i; }
  bool wants(const sim::TraceRecord& record) const;
};

}  // namespace hearsay::analysis

namespace hearsay::sim {
template <>
struct Choices<TraceKind> {
  static constexpr std::array kValues{
      Choice{"start", "the run begins"},
      Choice{"tick", "an agent's clock ticks"},
      Choice{"skip", "a tick of an agent that is down"},
      Choice{"send", "a message is sent"},
      Choice{"publish", "a neighbour is told a new state"},
      Choice{"deliver", "a message reaches its receiver"},
      Choice{"lose", "a message is lost; detail says why"},
      Choice{"up", "an agent comes up"},
      Choice{"down", "an agent goes down"},
      Choice{"timer", "a timer fires"},
      Choice{"release", "private data leave an agent with noise; detail has the charge"}};
};
template <>
struct Choices<analysis::TraceFormat> {
  static constexpr std::array kValues{
      Choice{"csv", "trace.csv: a row an event"},
      Choice{"perfetto",
             "trace.perfetto.json: a track an agent, an arrow a message, for the Perfetto viewer"}};
};
}  // namespace hearsay::sim
