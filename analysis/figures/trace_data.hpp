#pragma once
// A window of a trace.csv, for figures.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/time.hpp"

namespace hearsay::analysis {

struct TraceData {
  struct Moment {
    double time;
    sim::AgentId agent;
    std::string event;
  };
  struct Message {
    double sent, ended;  // s
    sim::AgentId from, to;
    std::string lost{};  ///< why it was lost; empty if it was delivered
    std::optional<std::uint64_t>
        steps{};  ///< iterations completed while it was in flight, if its sending was read
  };
  struct Down {
    double from, to;
    sim::AgentId agent;
  };
  struct Event {
    double time;
    std::string text;
  };
  /// Ticks, timers and others; ticks and timers without an effect are left out.
  std::vector<Moment> moments;
  std::vector<Event> events;      ///< of the scenario
  std::vector<Message> messages;  ///< that were in flight within the window and arrived or were lost
  std::vector<Down> down, computing;
  sim::AgentId agents = 0;  ///< largest number plus 1
  double begin = 0;         ///< s, from which on events were read
  double end = 0;           ///< s, of the last event that was read
  bool whole = true;        ///< nothing was left out
  bool bounded = false;     ///< the end was chosen
  std::size_t read = 0;     ///< events between the two times

  // Of the traced run, as the scenario states it.
  std::size_t point = 0, repetition = 0;
  std::set<sim::AgentId> only{};  ///< it has only what these agents take part in; empty: everything
};

/// Reads at most `most` events of a trace between two times in s, and when messages arrive that were in flight then;
/// nothing if there is no such file. Ignores lines that are not events, and events of other `agents`, if there are any.
///
/// A tick has no effect if it was skipped, or if no row names it as its cause and no iteration was completed before the
/// next row. In a trace of ticks alone all have one.
std::optional<TraceData> read_trace(const std::filesystem::path& file, std::size_t most = 20000,
                                    double from = 0, double to = sim::kNever,
                                    const std::set<sim::AgentId>& agents = {});

}  // namespace hearsay::analysis
