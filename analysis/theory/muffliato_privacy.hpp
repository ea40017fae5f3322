#pragma once
// The published privacy of averaging by Muffliato (Cyffers, Even, Bellet, Massoulie 2022) between two agents: the Renyi
// epsilon, of order alpha, of agent u's release towards agent v, who receives the first T models of each neighbour w:
//
//   epsilon(u -> v) = alpha Delta^2/(2 sigma^2) sum_{t = 0}^{T-1} sum_{w ~ v} (W^t)_uw^2/norm_2((W^t)_w)^2
//
// for noise of standard deviation sigma on each release, Delta its sensitivity: the first factor is the local epsilon, towards
// someone who sees all releases. Accelerated gossip has P_t(W) instead of W^t: P_0 = 1, P_1(W) = W, P_{t+1}(W) = gamma W
// P_t(W) + (1 - gamma) P_{t-1}(W). The authors' code sums from t = 1, which matters only to neighbours of v.
//
// It is no guarantee: it adds up single messages as if their noises were independent, but they share them. On the path 0 - 1 -
// 2 agent 0 receives x_1 and then (x_0 + x_1 + x_2)/3, which gives it x_2: the formula has 1/3 of the local epsilon for all of
// it.
#include <Eigen/Core>

#include "models/aggregation/mixing_weights.hpp"

namespace hearsay::analysis {

/// epsilon(u -> v) by u, with T = `messages`; 0 for v itself. The default is plain gossip. O(degree of v * messages * edges).
Eigen::VectorXd muffliato_epsilon(const sim::Topology& graph, sim::AgentId v, std::uint32_t messages,
                                  double local_epsilon, double gamma = 1,
                                  models::MixingWeights weights = models::MixingWeights::kMetropolis);

}  // namespace hearsay::analysis
