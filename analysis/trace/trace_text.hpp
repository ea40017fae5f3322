#pragma once
// The events of one run as text, in one of several formats. Events are named by kind, source and
// number: "tick:3:17" is the 17th tick of agent 3 (from 0), "message:3:5" the 5th message that it sent.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "analysis/trace/trace_options.hpp"

namespace hearsay::analysis {

/// "tick:3:17"
std::string happening(sim::Cause key);

/// Turns the records of a run into text as they come, with little memory.
class TraceText {
 public:
  virtual ~TraceText() = default;
  /// What the text begins with.
  virtual std::string head() = 0;
  /// Appends the text of a record, perhaps of earlier ones. It is called with all records of the run in their
  /// order; `wanted` ones are to be written; `sequence` counts them from 0.
  virtual void add(std::uint64_t sequence, const sim::TraceRecord& record, bool wanted, std::string& out) = 0;
  /// Appends what the text ends with.
  virtual void end(std::string& out) = 0;

 protected:
  TraceText() = default;
  TraceText(const TraceText&) = default;
  TraceText& operator=(const TraceText&) = default;
};

std::unique_ptr<TraceText> trace_text(TraceFormat format, const TraceOptions& options);
/// Name of the file that a format is written to.
std::string_view file_name(TraceFormat format);

}  // namespace hearsay::analysis
