#pragma once
// When each agent ticks. The n-th gap of agent i is drawn from (kClock, i), index n.
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "sim/files/names.hpp"
#include "sim/laws/distribution.hpp"
#include "sim/laws/per_agent.hpp"
#include "sim/options/describe.hpp"
#include "sim/random/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// What happens to a tick of an agent that is down or computing.
enum class Missed { kSkip, kDefer };
constexpr auto choices_of(Missed) {
  return std::to_array<Choice>(
      {{"skip", "the tick is skipped"},
       {"defer", "the agent ticks once when it is up and free again, however many ticks it missed"}});
}

/// Each agent ticks at the points of a Poisson process: gaps are independent and exponential with mean 1/rate.
struct Poisson {
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kHelp =
      "Poisson clock: independent exponential gaps of mean 1/rate for each agent.";
  static constexpr std::string_view kExample =
      R"({"type": "poisson", "rate": {"type": "uniform", "min": "0.5 /s", "max": "2 /s"}})";
  PerAgent rate = 1.0;  ///< 1/s
  Missed missed = Missed::kSkip;
  void describe(Visitor& v);
};

/// Agent i's n-th tick, n = 0, 1, ..., is at phase_i + n period_i + jitter, the jitter drawn for each tick.
struct Periodic {
  static constexpr std::string_view kName = "periodic";
  static constexpr std::string_view kHelp =
      "Ticks at phase, phase + period, ..., each delayed by a jitter; one per period on average.";
  static constexpr std::string_view kExample =
      R"({"type": "periodic", "period": "1 s", "phase": {"type": "uniform", "max": "1 s"}, "jitter": "0 ms"})";
  PerAgent period = 1.0;      ///< s
  PerAgent phase = 0.0;       ///< s
  Distribution jitter = 0.0;  ///< s, at most the period
  Missed missed = Missed::kSkip;
  void describe(Visitor& v);
};

/// Ticks at given times: agents[k] ticks at times[k].
struct ClockTrace {
  static constexpr std::string_view kName = "trace";
  static constexpr std::string_view kHelp =
      "Ticks at given times, to replay a schedule; no ticks after the last.";
  static constexpr std::string_view kExample = R"({"type": "trace", "path": "ticks.csv"})";
  std::vector<double> times = {};      ///< s, in non-decreasing order
  std::vector<AgentId> agents = {};    ///< by tick
  std::optional<InputFile> path = {};  ///< instead, a table with the columns time and agent
  Missed missed = Missed::kSkip;
  void describe(Visitor& v);
};

using ClockOptions = std::variant<Poisson, Periodic, ClockTrace>;

/// The rows of a file of ticks.
struct TickList {
  std::string name;
  std::vector<Time> times;
  std::vector<AgentId> agents;
  /// Throws FileError for a table without the columns, or with times in decreasing order.
  static std::shared_ptr<const TickList> read(const InputFile& file, const Names& names = {});
};

/// The agent's n-th tick, n = 0, 1, ...
struct Tick {
  Time time;
  AgentId agent;
  std::uint32_t n;
};
/// The order of events, among ticks.
inline bool before(const Tick& a, const Tick& b) {
  if (a.time != b.time) return a.time < b.time;
  return a.agent != b.agent ? a.agent < b.agent : a.n < b.n;
}

class Clocks {
 public:
  /// Random values are drawn from (kPerAgent, agent), indices kRateOption, kPeriodOption, kPhaseOption. `first`: 1 if
  /// agent 0 is a hub, which has no clock; lists are of the others. `ticks`: contents of the file of a trace. Throws
  /// std::invalid_argument for a trace with an unknown agent, a list of wrong length, a jitter that can exceed a
  /// period, rates whose sum is infinite.
  Clocks(const ClockOptions& options, AgentId agents, const Streams& streams, AgentId first = 0,
         const std::shared_ptr<const TickList>& ticks = nullptr);

  /// Time of tick `n` (from 0) of agent i, given the time of the previous tick (0 for the first); kNever if there is
  /// none. O(1), no allocation.
  Time tick(AgentId i, std::uint32_t n, Time previous) const;
  /// Turns each tick into the next one of its agent; at kNever if there is none. Throws LimitError where an agent has
  /// ticked too often.
  void advance(std::span<Tick> ticks) const;
  /// Mean number of ticks per second of agent i; of a trace, 0.
  double rate(AgentId i) const { return rates_.empty() ? rate_ : rates_[i - first_]; }
  /// Mean number of ticks per second of all agents before agent `end`; of a trace, up to its last tick.
  double total_rate(AgentId end) const;
  /// What is drawn from now on is drawn from these streams.
  void draw_from(const Streams& streams) { key_ = streams.key(Purpose::kClock); }
  bool defers() const { return missed_ == Missed::kDefer; }
  bool poisson() const { return kind_ == Kind::kPoisson; }
  /// Whether no agent ever ticks.
  bool never_tick() const;

 private:
  void require_finite_total(AgentId agents) const;

  enum class Kind : std::uint8_t { kPoisson, kPeriodic, kTrace };

  Kind kind_ = Kind::kPoisson;
  Missed missed_ = Missed::kSkip;
  AgentId first_;
  Stream::Key key_;
  double rate_ = 1;
  std::vector<double> rates_;           // empty: all have rate_
  std::vector<Time> periods_, phases_;  // of periodic, by agent
  Distribution jitter_;
  std::vector<std::vector<Time>> ticks_;  // of a trace, by agent
};

}  // namespace hearsay::sim
