#include "analysis/trace_csv.hpp"

#include <algorithm>
#include <cmath>

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

std::string happening(sim::Cause key) {
  return fmt::format("{}:{}:{}", rank_name(sim::rank_of(key)), sim::source_of(key), sim::sequence_of(key));
}

}  // namespace

void TraceOptions::describe(sim::Visitor& v) {
  v(format, {.name = "format", .help = "Files to write."});
  v(kinds, {.name = "kinds", .help = "What to write; by default everything."});
  v(from, {.name = "from", .help = "Write nothing before.", .unit = "s", .min = 0});
  v(to, {.name = "to", .help = "Write nothing after.", .unit = "s", .min = 0});
  v(repetition, {.name = "repetition", .help = "Which repetition is traced."});
  v(point, {.name = "point", .help = "Which point of the sweep is traced, from 0."});
  v.check(to >= from, "to", fmt::format("must be at least from ({:g} s), got {:g} s", from, to));
}

bool TraceOptions::wants(const sim::TraceRecord& record) const {
  if (record.time < from || record.time > to) return false;
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), record.kind) != kinds.end();
}

std::string trace_row(std::uint64_t sequence, const sim::TraceRecord& r) {
  const bool message = r.peer != sim::kNoAgent;
  return fmt::format("{},{},{},{},{},{},{},{},{},{}\n", sequence, r.time, sim::name(r.kind),
                     r.agent == sim::kNoAgent ? "" : fmt::format("{}", r.agent),
                     message ? fmt::format("{}", r.peer) : "", message ? happening(r.message) : "",
                     r.cause == 0 ? "" : happening(r.cause), message ? fmt::format("{}", r.bytes) : "",
                     std::isnan(r.staleness) ? "" : fmt::format("{}", r.staleness), csv_field(r.detail));
}

TraceCsv::TraceCsv(const TraceOptions& options, const std::filesystem::path& path)
    : options_(options), file_(path) {
  file_.write(kTraceHeader);
}

void TraceCsv::record(const sim::TraceRecord& r) {
  const std::uint64_t sequence = sequence_++;
  if (options_.wants(r)) file_.write(trace_row(sequence, r));
}

}  // namespace hearsay::analysis
