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

namespace hearsay::sim {
template <>
struct Choices<TraceKind> {
  static constexpr std::array kValues{
      Choice{"start", "the run begins"},
      Choice{"tick", "an agent's clock ticks"},
      Choice{"skip", "an agent misses a tick; detail: down, busy (it computes), offline (a coin)"},
      Choice{"send", "a message is sent"},
      Choice{"publish", "a new state is published to a neighbour"},
      Choice{"deliver", "a message reaches its receiver"},
      Choice{"lose", "a message is lost; the reason is in detail"},
      Choice{"up", "an agent comes up"},
      Choice{"down", "an agent goes down"},
      Choice{"timer", "a timer fires; its name is in detail"},
      Choice{"release", "a noisy release of private data; the charge is in detail"},
      Choice{"compute", "an agent begins to compute"},
      Choice{"computed", "an agent has computed: what it sent meanwhile leaves"},
      Choice{"reset", "an agent returns from a crash with its initial state"},
      Choice{"event", "an entry of the scenario's events; its description is in detail"}};
};
template <>
struct Choices<analysis::TraceFormat> {
  static constexpr std::array kValues{
      Choice{"csv", "trace.csv: one row per event"},
      Choice{"perfetto",
             "trace.perfetto.json, for the Perfetto viewer: a track per agent, an arrow per message"}};
};
}  // namespace hearsay::sim
