#pragma once
// A window of a trace.csv, for figures.
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
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
    /// Iterations completed after the event that sent it and before that of its end, if its sending was read and the
    /// trace has what followed it.
    std::optional<std::uint64_t> steps{};
    /// Rows of its sending and of its end, if they are in the window.
    std::optional<std::size_t> sent_row{}, end_row{};
  };
  struct Down {
    double from, to;
    sim::AgentId agent;
    bool open = false;  ///< it goes on when the trace ends
  };
  struct Event {
    double time;
    std::string text;
  };
  /// An event as the file has it: empty texts and no agents where it has none.
  struct Row {
    double time;
    std::string event;
    std::optional<sim::AgentId> agent, peer;
    std::string message, cause, origin;
    std::uint64_t iteration;
    std::string detail;
    std::optional<std::uint64_t>
        done{};  ///< iterations after its event, also of other agents, if they are known
  };
  /// What an agent has done before the window: iterations, and the detail of its last release.
  struct Before {
    std::uint64_t iterations = 0;
    std::string release{};
  };
  /// What the traced run recorded of each owner: values by metric, sample and owner. At most kMaxSampled numbers.
  struct Samples {
    std::vector<double> times{};  ///< s
    std::vector<std::pair<std::string, std::vector<std::vector<double>>>> metrics{};
  };
  static constexpr std::size_t kMaxSampled = 60'000;
  /// Ticks, timers and others; ticks and timers without an effect are left out.
  std::vector<Moment> moments;
  std::vector<Event> events;          ///< of the scenario
  std::vector<Message> messages;      ///< that were in flight within the window and arrived or were lost
  std::vector<Message> under_way;     ///< whose end is not in the trace: they end at sim::kNever
  std::vector<Row> rows;              ///< between the two times, in the order of the file
  std::vector<Down> down, computing;  ///< of all agents
  std::map<sim::AgentId, Before> before{};
  std::map<sim::AgentId, double> attacked{};  ///< s, of the first attack in the whole file
  sim::AgentId agents = 0;                    ///< largest number plus 1
  double begin = 0;                           ///< s, from which on events were read
  double end = 0;                             ///< s, of the last event that was read
  bool whole = true;                          ///< nothing was left out
  bool bounded = false;                       ///< the end was chosen
  std::size_t read = 0;                       ///< events between the two times

  // Of the traced run, as the scenario states it.
  std::size_t point = 0, repetition = 0;
  std::set<sim::AgentId> only{};  ///< it has only what these agents take part in; empty: everything
  double recorded = 0;            ///< s, from which on the run was traced
  bool states = true;             ///< the trace has when each agent was down
  Samples samples{};
};

/// Reads at most `most` events of a trace between two times in s, and when messages arrive that were in flight then;
/// nothing if there is no such file. Ignores lines that are not events, and events of other `agents`, if there are any,
/// except for when they are down and compute. Where the file begins later than the run, `from` is no earlier.
///
/// A tick has no effect if it was skipped, or if no row names it as its cause and no iteration was completed before the
/// next row. In a trace of ticks alone all have one.
std::optional<TraceData> read_trace(const std::filesystem::path& file, std::size_t most = 20000,
                                    double from = 0, double to = sim::kNever,
                                    const std::set<sim::AgentId>& agents = {});

}  // namespace hearsay::analysis
