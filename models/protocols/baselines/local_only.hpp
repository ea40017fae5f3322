#pragma once
// What there is to learn without telling anybody, and what there would be if all told everything. Both are worked
// out at the start; ticks are counted and change nothing, so that they stand beside other protocols.
//
//   local_only  Theta_i = argmin L_i: nothing leaves an agent, so nothing is spent
//   pooled      one model for all: argmin of the mean loss over all points + lambda norm_2(theta)^2, lambda =
//               1/(number of points) where protocol.lambda is not given; not private
//
// L_i and Q as in models/protocols/peer_to_peer/problem/personal_problem.hpp.
#include <vector>

#include "models/core/protocol.hpp"
#include "models/core/registry.hpp"
#include "models/protocols/peer_to_peer/personal_metrics.hpp"

namespace hearsay::models {

class LocalOnly {
 public:
  struct Params {
    PersonalOptions personal;
    void describe(sim::Visitor& v) { personal.describe(v); }
  };
  static constexpr Entry kEntry{
      .name = "local_only", .help = "Each agent learns from its own data alone.", .joint = false};
  static constexpr std::array kMetrics = kPersonalMetrics;

  LocalOnly(const Params& params, const Study& study);
  LocalOnly(const LocalOnly&) = delete;
  LocalOnly& operator=(const LocalOnly&) = delete;

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context& context) { context.count_iteration(); }
  void measure(std::size_t metric, const World& world, std::span<double> out) const {
    out[0] = probe_.measure(metric, world);
  }

 private:
  PersonalProblem personal_;
  PersonalProbe probe_;
};

class Pooled {
 public:
  using Params = LocalOnly::Params;
  static constexpr Entry kEntry{.name = "pooled",
                                .help = "One model for all, learned from all data at once: not private.",
                                .joint = false};
  static constexpr std::array kMetrics = kPersonalMetrics;

  /// Throws std::invalid_argument with privacy.
  Pooled(const Params& params, const Study& study);
  Pooled(const Pooled&) = delete;
  Pooled& operator=(const Pooled&) = delete;

  void on_start(Context& context);
  void on_tick(sim::AgentId, Context& context) { context.count_iteration(); }
  void measure(std::size_t metric, const World& world, std::span<double> out) const {
    out[0] = probe_.measure(metric, world);
  }

 private:
  PersonalProblem personal_;
  PersonalProbe probe_;
};

ProtocolRow local_only_row();
ProtocolRow pooled_row();

}  // namespace hearsay::models
