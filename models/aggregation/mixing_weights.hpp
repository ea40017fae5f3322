#pragma once
// Mixing weights of a graph: rows sum to 1, W_ij = 0 for agents that are not neighbours. d_i is the degree of agent i; weights
// of links have an effect on `links` alone.
//
//   metropolis   W_ij = 1/(1 + max(d_i, d_j))
//   uniform      W_ij = 1/(1 + max_k d_k)          W_ii = 1 - sum_{j != i} W_ij for all
//   mean         W_ij = 1/(1 + d_i): the mean of what an agent has. The first two are symmetric, so that mixing keeps the mean of
//                all models; this one is not, unless degrees are equal
//   links        W_ij: the weight of the link, which must not sum to more than 1 for an agent; symmetric
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>

#include "sim/options/describe.hpp"
#include "sim/topology/topology.hpp"

namespace hearsay::models {

enum class MixingWeights { kMetropolis, kUniform, kMean, kLinks };
constexpr auto choices_of(MixingWeights) {
  return std::to_array<sim::Choice>(
      {{"metropolis", "1/(1 + the larger degree of the two neighbours)"},
       {"uniform", "1/(1 + the largest degree of the graph)"},
       {"mean", "1/(1 + the agent's own degree)"},
       {"links", "the weights of the links, which sum to at most 1 for every agent"}});
}

/// W_ij of neighbours i and j; `largest` is max_k d_k.
inline double mixing_weight(MixingWeights weights, const sim::Topology& graph, sim::AgentId i, sim::AgentId j,
                            std::uint32_t largest) {
  if (weights == MixingWeights::kMean) return 1.0 / (1 + graph.degree(i));
  if (weights == MixingWeights::kLinks) return graph.weight(graph.edge(i, j));
  const bool metropolis = weights == MixingWeights::kMetropolis;
  return 1.0 / (1 + (metropolis ? std::max(graph.degree(i), graph.degree(j)) : largest));
}

inline std::uint32_t largest_degree(const sim::Topology& graph) {
  std::uint32_t largest = 0;
  for (sim::AgentId i = 0; i < graph.agents(); ++i) largest = std::max(largest, graph.degree(i));
  return largest;
}

/// W x. O(edges).
Eigen::VectorXd mix(MixingWeights weights, const sim::Topology& graph, const Eigen::VectorXd& x);
/// Second smallest eigenvalue l of I - W, to about 1e-14. By Lanczos' iteration in the complement of the constant vectors,
/// O(k edges + k^2) with k of the order of l^(-1/2), at most 2 agents: for 2048 agents 1 ms on a hypercube, 0.5 s on a ring.
/// W must be symmetric: not `mean`. Throws TopologyError for a graph of several components, where it is 0.
double mixing_gap(MixingWeights weights, const sim::Topology& graph);

}  // namespace hearsay::models
