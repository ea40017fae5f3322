#pragma once
// How long an agent's computations take.
#include <concepts>
#include <vector>

#include "sim/laws/distribution.hpp"
#include "sim/laws/per_agent.hpp"
#include "sim/random/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// How often a random compute time is drawn.
enum class ComputeDrawn { kPerComputation, kPerAgent };
constexpr auto choices_of(ComputeDrawn) {
  return std::to_array<Choice>(
      {{"per_computation", "for each computation"}, {"per_agent", "once for each agent"}});
}

class ComputeOptions {
 public:
  ComputeOptions(double seconds = 0) : law(Constant{seconds}) {}  // NOLINT(google-explicit-constructor)
  template <std::convertible_to<PerAgent::Law> L>
  ComputeOptions(const L& l, ComputeDrawn d = ComputeDrawn::kPerComputation) : law(l), drawn(d) {}  // NOLINT

  PerAgent::Law law;  ///< s
  ComputeDrawn drawn = ComputeDrawn::kPerComputation;
  /// Whether it is drawn once for all computations of an agent.
  bool drawn_once() const { return drawn == ComputeDrawn::kPerAgent && PerAgent(law).random(); }
  void describe_as(Visitor& v, const About& about);
};

class ComputeTime {
 public:
  /// `first`: 1 if agent 0 is a hub, whose computations take no time where agents have different laws. Throws
  /// std::invalid_argument for a list whose length is not the number of the other agents, and for unknown agents.
  ComputeTime(const ComputeOptions& options, AgentId agents, AgentId first, const Streams& streams);

  /// Whether computations take no time.
  bool none() const { return none_; }
  /// Of the n-th computation of agent i, drawn from (kCompute, i), index n, or once from (kPerAgent, i),
  /// index kComputeOption. O(1), no allocation.
  Time of(AgentId i, std::uint32_t n) const;
  /// What is drawn from now on is drawn from these streams.
  void draw_from(const Streams& streams) { streams_ = streams; }
  /// No computation of agent i takes less.
  Time smallest(AgentId i) const { return laws_[laws_.size() == 1 ? 0 : i].lower(); }

 private:
  std::vector<Distribution> laws_;  // by agent, or one for all
  ComputeDrawn drawn_;
  bool none_;
  Streams streams_;
};

}  // namespace hearsay::sim
