#pragma once
// Laws of availability, as options.
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/laws/distribution.hpp"
#include "sim/laws/per_agent.hpp"
#include "sim/options/describe.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

struct Always {
  static constexpr std::string_view kName = "always";
  static constexpr std::string_view kHelp = "Every agent is up all the time.";
  static constexpr std::string_view kExample = R"("always")";
  void describe(Visitor&) {}
};

/// State at time 0 of an alternating renewal process.
enum class Start { kUp, kStationary };
constexpr auto choices_of(Start) {
  return std::to_array<Choice>(
      {{"up", "every agent is up, at the start of an up time"},
       {"stationary", "up with probability E[up]/(E[up] + E[down]), part-way through an up or down time"}});
}

/// Independent up and down times alternate.
struct OnOff {
  static constexpr std::string_view kName = "on_off";
  static constexpr std::string_view kHelp =
      "Alternating up and down times; fraction up E[up]/(E[up] + E[down]).";
  static constexpr std::string_view kExample =
      R"({"type": "on_off", "up": {"type": "exponential", "mean": "10 min"}, "down": "30 s", "start": "stationary"})";
  Distribution up{Exponential{60}}, down{Exponential{5}};  // s
  Start start = Start::kUp;
  bool hub = false;
  void describe(Visitor& v);
};

/// State of an agent that returns from a crash.
enum class StateOnReturn { kKeep, kReset };
constexpr auto choices_of(StateOnReturn) {
  return std::to_array<Choice>(
      {{"keep", "the agent's state before the crash"},
       {"reset", "the agent's initial state: its model, received values and timers are lost"}});
}

/// As OnOff, but an agent returns with its initial state. Its spent budget remains spent, its random streams continue.
struct Crash {
  static constexpr std::string_view kName = "crash";
  static constexpr std::string_view kHelp =
      "Agents crash after an up time and return after a down time, by default with their initial state; "
      "fraction up E[up]/(E[up] + E[down]). Privacy budget spent before a crash remains spent.";
  static constexpr std::string_view kExample =
      R"({"type": "crash", "up": {"type": "exponential", "mean": "1 h"}, "down": "20 s"})";
  Distribution up{Exponential{60}}, down{Exponential{5}};  // s
  Start start = Start::kUp;
  StateOnReturn state_on_return = StateOnReturn::kReset;
  bool hub = false;
  void describe(Visitor& v);
};

/// Named groups go down and come up together.
struct GroupFailures {
  static constexpr std::string_view kName = "group";
  static constexpr std::string_view kHelp =
      "The agents of a group go down and come up together; groups are independent, other agents are always "
      "up. Fraction up E[up]/(E[up] + E[down]).";
  static constexpr std::string_view kExample =
      R"({"type": "group", "groups": [{"name": "site A", "agents": [1, 2]}], "up": "1 h", "down": "5 min"})";
  struct Group {
    std::string name;
    std::vector<AgentId> agents;
    void describe(Visitor& v);
  };
  std::vector<Group> groups = {};
  Distribution up{Exponential{60}}, down{Exponential{5}};  // s
  Start start = Start::kUp;
  void describe(Visitor& v);
};

/// Drawn at each tick of an agent and for each message to it.
struct Coin {
  static constexpr std::string_view kName = "coin";
  static constexpr std::string_view kHelp =
      "Independent coin flips: an agent is up with a given probability at each of its ticks and for each "
      "message that reaches it, as the online probability of gossip simulators.";
  static constexpr std::string_view kExample = R"({"type": "coin", "probability": 0.9})";
  double probability = 0.9;
  bool hub = false;
  void describe(Visitor& v);
};

/// A Markov chain whose probability of being up is a sine of the time of day.
struct Diurnal {
  static constexpr std::string_view kName = "diurnal";
  static constexpr std::string_view kHelp =
      "Up at time t with probability p = mean + amplitude sin(2 pi (t/period + phase)); the states at two times "
      "s apart have covariance p (1 - p) exp(-s/memory), p at the earlier one. Fraction up: the mean.";
  static constexpr std::string_view kExample =
      R"({"type": "diurnal", "mean": 0.6, "amplitude": 0.3, "period": "1 d", "memory": "20 min"})";
  double mean = 0.5, amplitude = 0.4;
  Time period = 86400;             ///< s
  PerAgent phase = Uniform{0, 1};  ///< fraction of a period
  Time memory = 1800;              ///< s
  bool hub = false;
  void describe(Visitor& v);
  double probability(Time at, double phase_of_agent) const;
};

/// State of agents that a trace does not name.
enum class Absent { kUp, kDown };
constexpr auto choices_of(Absent) {
  return std::to_array<Choice>({{"up", "up all the time"}, {"down", "down all the time"}});
}

/// Times from a file.
struct AvailabilityTrace {
  static constexpr std::string_view kName = "trace";
  static constexpr std::string_view kHelp =
      "Replay of a table with agent, time, state (up or down), or with agent, start, end of each session.";
  static constexpr std::string_view kExample =
      R"({"type": "trace", "path": "sessions.csv", "unit": "1 s", "from": "1 h", "repeat": "1 d"})";
  InputFile path;
  Time unit = 1;                    ///< s
  Time from = 0;                    ///< s
  std::optional<Time> repeat = {};  ///< s
  Absent absent = Absent::kUp;
  void describe(Visitor& v);
};

/// Agents that join late or leave for good.
struct JoinLeave {
  static constexpr std::string_view kName = "join_leave";
  static constexpr std::string_view kHelp =
      "Each agent joins once, stays up and leaves for good. An agent whose leave time is before its join "
      "time never joins.";
  static constexpr std::string_view kExample =
      R"({"type": "join_leave", "join": {"type": "uniform", "max": "1 min"}, "leave": "10 min"})";
  PerAgent join = 0.0;                 ///< s
  std::optional<PerAgent> leave = {};  ///< s
  bool hub = false;
  void describe(Visitor& v);
};

/// Given agents are down at given times.
struct Outages {
  static constexpr std::string_view kName = "outages";
  static constexpr std::string_view kHelp =
      "Given agents are down at given times and up otherwise; outages of an agent that overlap or touch are "
      "one.";
  static constexpr std::string_view kExample =
      R"({"type": "outages", "outages": [{"agents": [5], "from": "30 s", "to": "45 s"}], "state_on_return": "reset"})";
  struct Outage {
    std::vector<AgentId> agents;
    Time from = 0;                ///< s
    std::optional<Time> to = {};  ///< s; absent: to the end
    void describe(Visitor& v);
  };
  std::vector<Outage> outages = {};
  StateOnReturn state_on_return = StateOnReturn::kKeep;
  void describe(Visitor& v);
};

using OneAvailability =
    std::variant<Always, OnOff, Crash, GroupFailures, Coin, Diurnal, AvailabilityTrace, JoinLeave, Outages>;

/// Up when up in all of several laws.
struct AllOf {
  static constexpr std::string_view kName = "all";
  static constexpr std::string_view kHelp =
      "Combination of several laws: an agent is up when it is up in all of them. Fraction up: the product of "
      "their fractions.";
  static constexpr std::string_view kExample =
      R"([{"type": "on_off"}, {"type": "join_leave", "join": {"type": "uniform", "max": "1 min"}}])";
  static constexpr Shorthand kShorthand{"of", Shorthand::kList};
  std::vector<OneAvailability> of;
  void describe(Visitor& v);
};

using AvailabilityOptions = std::variant<Always, OnOff, Crash, GroupFailures, Coin, Diurnal,
                                         AvailabilityTrace, JoinLeave, Outages, AllOf>;

/// Its laws, in order.
inline std::vector<OneAvailability> laws(const AvailabilityOptions& options) {
  return parts_of<OneAvailability>(options);
}

}  // namespace hearsay::sim
