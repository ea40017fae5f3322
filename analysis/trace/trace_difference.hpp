#pragma once
// The first event in which the traces of two runs differ.
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/trace/trace.hpp"

namespace hearsay::analysis {

/// A stored event of a trace.
struct TracedEvent {
  sim::TraceRecord record;
  std::string detail;
};

/// "1.25 s  send  agent 1 (UK) to 0 (PT)  message:1:4  in tick:1:4  144 B"; `names` of agents may be empty.
std::string event_text(const TracedEvent& event, const std::vector<std::string>& names = {});

struct EventDifference {
  std::uint64_t number = 0;                      ///< equal events before it
  std::optional<TracedEvent> first{}, second{};  ///< nothing if that run ended before
};

/// Makes a run that sends its events to a sink. It may be aborted once the flag is true.
using MakeRun = std::function<void(sim::TraceSink& sink, const std::atomic<bool>& enough)>;

/// The first event in which two runs differ, in any of time, kind, agents, message, cause, bytes, staleness
/// and detail; nothing if the runs are equal. Makes each run once to compare digests of blocks of kTraceBlock events,
/// and once more up to the first block that differs. Memory: 8 bytes per block, and one block of each run.
std::optional<EventDifference> first_difference(const MakeRun& first, const MakeRun& second);

inline constexpr std::uint64_t kTraceBlock = 4096;

}  // namespace hearsay::analysis
