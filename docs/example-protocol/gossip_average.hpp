#pragma once
// Asynchronous gossip averaging: on its tick an agent moves its model towards the mean of its neighbours' latest models
// and publishes it. No records are used.
//
//   start   x_i = i in every coordinate, public
//   tick    x_i <- (1 - step) x_i + step (1/d_i) sum_{j ~ i} latest(i, j),  then publish x_i
//
// d_i: number of neighbours of i; latest(i, j): the last model of j that has reached i, at first j's start. step in (0, 1].
// No state leaves the interval that contains the start, and the models converge to a consensus.
//
// The consensus is random: a tick does not preserve the mean. With zero latency and equal rates, one tick
// changes the expectation of x by -(step/n) (I - D^-1 A) x, whose left null vector is d: each run's
// degree-weighted mean sum_i d_i x_i / sum_i d_i is a martingale, preserved in expectation only. On a
// graph where all agents are alike (ring, complete) the expectation of the limit is the plain mean (n - 1)/2
// for any law of latency, by symmetry.
//
// With zero latency and A complete, the consensus distance V = sum_i (x_i - mean x)^2 obeys, per coordinate,
//   E V_k = V_0 (1 - (2 step l - step^2 l^2 (n - 1)/n)/n)^k,  l = n/(n - 1)
// after k ticks (each agent equally likely): I - D^-1 A is l times the projection onto sum_i x_i = 0.
//
// Iteration: a tick. Draws nothing of its own. Cost of a tick: O(d_i p).
#include <Eigen/Core>

#include "models/registry.hpp"
#include "models/run/protocol.hpp"

namespace gossip {

class GossipAverage {
 public:
  struct Params {
    double step = 0.5;
    void describe(hearsay::sim::Visitor& v);
  };

  static constexpr hearsay::models::Entry kEntry{
      .name = "gossip_average",
      .help = "Moves each model towards the mean of its neighbours' latest models."};

  GossipAverage(const Params& params, const hearsay::models::Study& study);

  void on_start(hearsay::models::Context& context);
  void on_tick(hearsay::sim::AgentId i, hearsay::models::Context& context);
  /// Snapshots: all state is in the models.
  auto state() { return std::tie(); }

 private:
  double step_;
  Eigen::VectorXd mean_;  // of the neighbours' latest, p numbers
};

/// The row of the table of protocols.
hearsay::models::ProtocolRow gossip_average_row();

}  // namespace gossip
