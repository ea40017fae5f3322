#pragma once
// A timeline: what happens to a network at given times. Crashes, joins, leaves and partitions become laws of
// availability and loss, whose times are known; the engine itself only switches laws and marks events in the trace.
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "sim/network/availability_options.hpp"
#include "sim/network/compute_time.hpp"
#include "sim/network/links.hpp"
#include "sim/options/describe.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

struct NetworkOptions;

struct CrashEvent {
  static constexpr std::string_view kName = "crash";
  static constexpr std::string_view kHelp =
      "Agents crash, and return after a time, by default with their initial state. Crashes that overlap are "
      "one: the agent returns after the last of them.";
  static constexpr std::string_view kExample = R"({"at": "30 s", "crash": [5], "for": "15 s"})";
  static constexpr Shorthand kShorthand{"crash", Shorthand::kNone};
  Time at = 0;  ///< s
  std::vector<AgentId> agents = {};
  std::optional<Time> lasting = {};  ///< s; absent: to the end
  StateOnReturn state_on_return = StateOnReturn::kReset;
  std::string name = {};
  void describe(Visitor& v);
};

struct PartitionEvent {
  static constexpr std::string_view kName = "partition";
  static constexpr std::string_view kHelp =
      "Every message between these agents and the others is lost. Messages sent before still arrive.";
  static constexpr std::string_view kExample = R"({"at": "30 s", "partition": [1, 2], "for": "15 s"})";
  static constexpr Shorthand kShorthand{"partition", Shorthand::kNone};
  Time at = 0;  ///< s
  std::vector<AgentId> agents = {};
  std::optional<Time> lasting = {};  ///< s; absent: to the end
  std::string name = {};
  void describe(Visitor& v);
};

struct JoinEvent {
  static constexpr std::string_view kName = "join";
  static constexpr std::string_view kHelp =
      "Agents join: they are down before, or since they left. An agent that returns has the state that it "
      "left with.";
  static constexpr std::string_view kExample = R"({"at": "1 min", "join": [7]})";
  static constexpr Shorthand kShorthand{"join", Shorthand::kNone};
  Time at = 0;  ///< s
  std::vector<AgentId> agents = {};
  std::string name = {};
  void describe(Visitor& v);
};

struct LeaveEvent {
  static constexpr std::string_view kName = "leave";
  static constexpr std::string_view kHelp = "Agents leave: they are down until they join again.";
  static constexpr std::string_view kExample = R"({"at": "2 min", "leave": [7]})";
  static constexpr Shorthand kShorthand{"leave", Shorthand::kNone};
  Time at = 0;  ///< s
  std::vector<AgentId> agents = {};
  std::string name = {};
  void describe(Visitor& v);
};

/// Laws that replace those of the network.
struct LawChanges {
  std::optional<LatencyOptions> latency = {};
  std::optional<LossOptions> loss = {};
  std::optional<BandwidthOptions> bandwidth = {};
  std::optional<ComputeOptions> compute_time = {};
  void describe(Visitor& v);
};

struct SetEvent {
  static constexpr std::string_view kName = "set";
  static constexpr std::string_view kHelp =
      "Laws of the network change, for messages sent and computations begun from then on.";
  static constexpr std::string_view kExample = R"({"at": "20 s", "set": {"network.latency": "200 ms"}})";
  static constexpr Shorthand kShorthand{"set", Shorthand::kNone};
  Time at = 0;  ///< s
  LawChanges changes = {};
  std::string name = {};
  void describe(Visitor& v);
};

using TimelineEvent = std::variant<CrashEvent, PartitionEvent, JoinEvent, LeaveEvent, SetEvent>;

/// s.
inline Time time_of(const TimelineEvent& event) {
  return std::visit([](const auto& e) { return e.at; }, event);
}

/// What the engine does itself, in the order of time.
struct Timeline {
  struct Entry {
    Time at;           ///< s
    std::string text;  ///< for the trace
    LawChanges changes = {};
  };
  std::vector<Entry> entries;

  bool empty() const { return entries.empty(); }
  /// Whether some entry changes the law `law`, such as &LawChanges::latency.
  template <class Law>
  bool changes(Law LawChanges::*law) const {
    for (const Entry& entry : entries)
      if ((entry.changes.*law).has_value()) return true;
    return false;
  }
};

/// Adds crashes, joins, leaves and partitions to the laws of a network of so many agents, in a run that lasts until
/// `end`, and returns the rest. Throws OptionError for unknown agents, agents named twice, times that are not before the
/// end, agents that join or leave twice, two changes of a law at one time, and none.
Timeline unfold(const std::vector<TimelineEvent>& events, NetworkOptions& network, AgentId agents, Time end);

}  // namespace hearsay::sim
