#include "analysis/trace/trace_options.hpp"

#include <algorithm>

namespace hearsay::analysis {

void TraceOptions::describe(sim::Visitor& v) {
  v(format, {.name = "format", .help = "Formats of the trace files."});
  v(kinds, {.name = "kinds", .help = "Kinds of events to write; by default all."});
  v(from, {.name = "from", .help = "Time of the first event to write.", .unit = "s", .min = 0});
  v(to, {.name = "to", .help = "Time of the last event to write.", .unit = "s", .min = 0});
  v(repetition, {.name = "repetition", .help = "Repetition to trace."});
  v(point, {.name = "point", .help = "Point of the sweep to trace, from 0."});
  v(agent,
    {.name = "agent",
     .help = "Restrict the trace to events of this agent and messages to and from it; by default all agents.",
     .noun = sim::kAgentNumber});
  v(payload, {.name = "payload",
              .help = "Add a column to trace.csv: the numbers of each message and of each release."});
  v.check(to >= from, "to", "expected at least the value of from ({:g} s), found {:g} s", from, to);
}

bool TraceOptions::wants(sim::TraceKind kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

bool TraceOptions::wants(const sim::TraceRecord& record) const {
  return record.time >= from && record.time <= to && wants(record.kind) &&
         (wants_agent(record.agent) || wants_agent(record.peer));
}

}  // namespace hearsay::analysis
