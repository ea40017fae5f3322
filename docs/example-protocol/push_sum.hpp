#pragma once
// Push-sum: the agents compute the mean of their start values exactly, by sending halves of a sum and a weight to random
// neighbours. Kempe, Dobra, Gehrke, "Gossip-based computation of aggregate information" (2003), protocol Push-Sum.
//
//   start    s_i = i in every coordinate, w_i = 1
//   tick     (s_i, w_i) <- (s_i, w_i)/2, and the same half is sent to a neighbour j drawn uniformly
//   message  (s_j, w_j) <- (s_j, w_j) + (s, w)
//   model    x_i = s_i/w_i
//
// Sums and weights are conserved: over all agents and messages in flight, they are n (n - 1)/2 and n. Hence on a
// connected graph every x_i converges to (n - 1)/2, for any latency. A lost message takes its sum and weight with it, and a
// crash with loss of state restores (i, 1): the limit is then another weighted mean of the start values.
//
// A message has p + 1 numbers: s, then w. Iteration: a tick. Draws the neighbour of a tick from its own purpose
// kNeighbour. Cost of a tick: O(p).
#include <Eigen/Core>

#include <array>
#include <span>

#include "models/registry.hpp"
#include "models/run/protocol.hpp"

namespace gossip {

class PushSum {
 public:
  struct Params {
    void describe(hearsay::sim::Visitor&) {}
  };

  static constexpr hearsay::models::Entry kEntry{.name = "push_sum",
                                                 .help = "Computes the mean of the start values by push-sum.",
                                                 .vectors = 2,
                                                 .messages = {.tail = 1}};
  static constexpr std::array kMetrics{hearsay::models::ProtocolMetric{
      .name = "held_weight", .help = "Sum of the agents' weights: n less what is in flight or lost."}};

  PushSum(const Params& params, const hearsay::models::Study& study);

  void on_start(hearsay::models::Context& context);
  void on_tick(hearsay::sim::AgentId i, hearsay::models::Context& context);
  void on_message(const hearsay::sim::Message& message, hearsay::models::Context& context);
  void reset(hearsay::sim::AgentId i, hearsay::models::Context& context);
  void measure(std::size_t k, const hearsay::models::World& world, std::span<double> out) const;
  /// Snapshots: what changes during a run.
  auto state() { return std::tie(mass_); }

 private:
  static constexpr std::uint32_t kNeighbour = 0;  // purpose of the draws
  static constexpr std::uint16_t kHalf = 0;       // the only kind of message

  Eigen::MatrixXd mass_;  // (p + 1) x agents: s_i above w_i
};

hearsay::models::ProtocolRow push_sum_row();

}  // namespace gossip
