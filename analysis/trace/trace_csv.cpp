#include "analysis/trace/trace_csv.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/results/tables/output_file.hpp"

namespace hearsay::analysis {

std::string TraceCsv::head() {
  return "sequence,time_s,event,agent,peer,message,cause,bytes,staleness_s,detail\n";
}

void TraceCsv::add(std::uint64_t sequence, const sim::TraceRecord& r, bool wanted, std::string& out) {
  if (!wanted) return;
  const bool message = r.peer != sim::kNoAgent;
  fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{}\n", sequence, r.time,
                 sim::name(r.kind), r.agent == sim::kNoAgent ? "" : fmt::format("{}", r.agent),
                 message ? fmt::format("{}", r.peer) : "", message ? happening(r.message) : "",
                 r.cause == 0 ? "" : happening(r.cause), message ? fmt::format("{}", r.bytes) : "",
                 std::isnan(r.staleness) ? "" : fmt::format("{}", r.staleness), csv_field(r.detail));
}

}  // namespace hearsay::analysis
