#pragma once
// The beginning of a trace.csv, for a timeline.
#include <cstdint>
#include <filesystem>
#include <optional>
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
    std::string fate;  ///< "delivered", or why it was lost
  };
  struct Down {
    double from, to;
    sim::AgentId agent;
  };
  struct Event {
    double time;
    std::string text;
  };
  std::vector<Moment> moments;
  std::vector<Event> events;  ///< of the scenario
  std::vector<Message> messages;
  std::vector<Down> down, computing;
  sim::AgentId agents = 0;  ///< largest number plus 1
  double begin = 0;         ///< s, from which on events were read
  double end = 0;           ///< s, of the last event that was read
  bool whole = true;        ///< nothing was left out
  std::size_t read = 0;     ///< events between the two times
};

/// Reads at most `most` events of a trace between two times in s; nothing if there is no such file. Ignores lines that
/// are not events, and messages that were sent before.
std::optional<TraceData> read_trace(const std::filesystem::path& file, std::size_t most = 20000,
                                    double from = 0, double to = sim::kNever);

}  // namespace hearsay::analysis
