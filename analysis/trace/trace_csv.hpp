#pragma once
// The event trace of one run as a table: sequence, time_s, event, agent, peer, message, cause, bytes,
// staleness_s, detail.
#include "analysis/trace/trace_text.hpp"

namespace hearsay::analysis {

class TraceCsv final : public TraceText {
 public:
  std::string head() override;
  void add(std::uint64_t sequence, const sim::TraceRecord& record, bool wanted, std::string& out) override;
  void end(std::string&) override {}
};

}  // namespace hearsay::analysis
