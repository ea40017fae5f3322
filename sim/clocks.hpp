#pragma once
// When each agent ticks. The n-th gap of agent i is drawn from (kClock, i), index n, whatever else happens in the run.
#include <variant>
#include <vector>

#include "sim/describe.hpp"
#include "sim/distribution.hpp"
#include "sim/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// Each agent ticks at the points of a Poisson process: gaps are independent and exponential with mean 1/rate.
struct Poisson {
  static constexpr std::string_view kName = "poisson";
  static constexpr std::string_view kHelp = "Exponential gaps of mean 1/rate, each agent on its own.";
  Distribution rate = 1.0;  ///< 1/s; a law is drawn once per agent
  void describe(Visitor& v);
};

using ClockOptions = std::variant<Poisson>;

class Clocks {
 public:
  /// Rates that vary are drawn from (kPerAgent, agent), index 0.
  Clocks(const ClockOptions& options, AgentId agents, const Streams& streams);

  /// Length of the gap before tick `n` (from 0) of agent i. O(1), no allocation.
  Time gap(AgentId i, std::uint32_t n) const;
  double rate(AgentId i) const { return rates_.empty() ? rate_ : rates_[i]; }

 private:
  Stream::Key key_;
  double rate_ = 1;
  std::vector<double> rates_;  // empty: all have rate_
};

}  // namespace hearsay::sim
