#pragma once
// The beginning of a trace.csv, as a timeline shows it.
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
  std::vector<Moment> moments;
  std::vector<Message> messages;
  std::vector<Down> down;
  sim::AgentId agents = 0;  ///< one more than the greatest number
  double end = 0;           ///< s, of the last event that was read
  bool whole = true;        ///< nothing was left out
};

/// Reads a trace until it has `most` events; nothing if there is no such file. Lines that are none of a trace
/// are passed over.
std::optional<TraceData> read_trace(const std::filesystem::path& file, std::size_t most = 3000);

}  // namespace hearsay::analysis
