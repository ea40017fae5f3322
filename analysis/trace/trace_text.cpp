#include "analysis/trace/trace_text.hpp"

#include <fmt/format.h>

#include "analysis/trace/trace_csv.hpp"
#include "analysis/trace/trace_perfetto.hpp"

namespace hearsay::analysis {

namespace {

std::string_view rank_name(sim::Rank rank) {
  switch (rank) {
    case sim::Rank::kDown:
      return "down";
    case sim::Rank::kUp:
      return "up";
    case sim::Rank::kMessage:
      return "message";
    case sim::Rank::kTimer:
      return "timer";
    case sim::Rank::kTick:
      return "tick";
    case sim::Rank::kObservation:
      return "observation";
  }
  return "";
}

}  // namespace

std::string happening(sim::Cause key) {
  return fmt::format("{}:{}:{}", rank_name(sim::rank_of(key)), sim::source_of(key), sim::sequence_of(key));
}

std::unique_ptr<TraceText> trace_text(TraceFormat format, const TraceOptions& options) {
  switch (format) {
    case TraceFormat::kCsv:
      return std::make_unique<TraceCsv>();
    case TraceFormat::kPerfetto:
      return std::make_unique<TracePerfetto>(options);
  }
  return nullptr;
}

std::string_view file_name(TraceFormat format) {
  switch (format) {
    case TraceFormat::kCsv:
      return "trace.csv";
    case TraceFormat::kPerfetto:
      return "trace.perfetto.json";
  }
  return "";
}

}  // namespace hearsay::analysis
