#pragma once
// The event trace of one run as a table: sequence, time_s, event, agent, peer, message, cause, bytes,
// staleness_s, detail. What happened is named by its kind, source and number: "tick:3:17" is the 17th tick of
// agent 3 (from 0), "message:3:5" the 5th message that it sent.
#include <filesystem>
#include <vector>

#include "analysis/output_file.hpp"
#include "sim/describe.hpp"
#include "sim/trace_sink.hpp"

namespace hearsay::analysis {

enum class TraceFormat { kCsv };

struct TraceOptions {
  std::vector<TraceFormat> format{TraceFormat::kCsv};
  std::vector<sim::TraceKind> kinds;  ///< empty: all
  sim::Time from = 0, to = sim::kNever;
  std::uint32_t repetition = 0;
  std::uint64_t point = 0;
  void describe(sim::Visitor& v);
  bool wants(const sim::TraceRecord& record) const;
};

/// The header of the table, and its row of a record; `sequence` counts all records, written or not.
inline constexpr std::string_view kTraceHeader =
    "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,detail\n";
std::string trace_row(std::uint64_t sequence, const sim::TraceRecord& record);

class TraceCsv final : public sim::TraceSink {
 public:
  TraceCsv(const TraceOptions& options, const std::filesystem::path& path);
  void record(const sim::TraceRecord& record) override;
  void commit() { file_.commit(); }

 private:
  TraceOptions options_;
  OutputFile file_;
  std::uint64_t sequence_ = 0;  // of all records, written or not
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
  static constexpr std::array kValues{Choice{"csv", "trace.csv"}};
};
}  // namespace hearsay::sim
