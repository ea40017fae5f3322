#pragma once
// How long an agent's computations take.
#include <concepts>
#include <vector>

#include "sim/options/describe.hpp"
#include "sim/random/distribution.hpp"
#include "sim/random/stream.hpp"
#include "sim/time.hpp"

namespace hearsay::sim {

/// How often a random compute time is drawn.
enum class ComputeDrawn { kPerComputation, kPerAgent };
template <>
struct Choices<ComputeDrawn> {
  static constexpr std::array kValues{Choice{"per_computation", "for each computation"},
                                      Choice{"per_agent", "once for each agent"}};
};

class ComputeOptions {
 public:
  ComputeOptions(double seconds = 0) : law(Constant{seconds}) {}  // NOLINT(google-explicit-constructor)
  template <std::convertible_to<Distribution::Law> L>
  ComputeOptions(const L& l, ComputeDrawn d = ComputeDrawn::kPerComputation) : law(l), drawn(d) {}  // NOLINT

  Distribution::Law law;  ///< s
  ComputeDrawn drawn = ComputeDrawn::kPerComputation;
  void describe_as(Visitor& v, const About& about);
};

class ComputeTime {
 public:
  ComputeTime(const ComputeOptions& options, const Streams& streams)
      : law_(std::visit([](const auto& law) { return Distribution(law); }, options.law)),
        drawn_(options.drawn),
        none_(law_.upper() <= 0),
        streams_(streams) {}

  /// Whether computations take no time.
  bool none() const { return none_; }
  /// Of the n-th computation of agent i, drawn from (kCompute, i), index n, or once from (kPerAgent, i),
  /// index kComputeOption. O(1), no allocation.
  Time of(AgentId i, std::uint32_t n) const;

 private:
  Distribution law_;
  ComputeDrawn drawn_;
  bool none_;
  Streams streams_;
};

}  // namespace hearsay::sim
