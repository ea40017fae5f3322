#pragma once
// When each agent ticks. The n-th gap of agent i is drawn from (kClock, i), index n, whatever else happens in
// the run.
#include <variant>
#include <vector>

#include "sim/describe.hpp"
#include "sim/distribution.hpp"
#include "sim/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// Each agent ticks at the points of a Poisson process: gaps are independent and exponential with mean
/// 1/rate.
struct Poisson {
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kHelp = "Exponential gaps of mean 1/rate, each agent on its own.";
  Distribution rate = 1.0;  ///< 1/s; a law is drawn once per agent
  void describe(Visitor& v);
};

/// Ticks at given times: agents[k] ticks at times[k].
struct ClockTrace {
  static constexpr std::string_view kName = "trace";
  static constexpr std::string_view kHelp = "Ticks at given times, for replaying a schedule.";
  std::vector<double> times;    ///< s, never falling
  std::vector<AgentId> agents;  ///< who ticks then
  void describe(Visitor& v);
};

using ClockOptions = std::variant<Poisson, ClockTrace>;

class Clocks {
 public:
  /// Rates that vary are drawn from (kPerAgent, agent), index 0.
  /// Throws std::invalid_argument for a trace that names an agent there is not.
  Clocks(const ClockOptions& options, AgentId agents, const Streams& streams);

  /// Time of tick `n` (from 0) of agent i, given that of the one before it (0 for the first); kNever if there
  /// is none. O(1), no allocation.
  Time tick(AgentId i, std::uint32_t n, Time previous) const;
  /// Mean number of ticks per second of agent i; of a trace, 0.
  double rate(AgentId i) const { return rates_.empty() ? rate_ : rates_[i]; }

 private:
  Stream::Key key_;
  double rate_ = 1;
  std::vector<double> rates_;  // empty: all have rate_
  bool trace_ = false;
  std::vector<std::vector<Time>> ticks_;  // of a trace, by agent
};

}  // namespace hearsay::sim
