#pragma once
// The mean of the neighbours' models that an agent has received.
#include <Eigen/Core>

#include <cstdint>
#include <span>

#include "models/learning/weighted_sum.hpp"
#include "models/protocols/peer_to_peer/problem/personal_problem.hpp"
#include "models/run/context.hpp"

namespace hearsay::models {

/// mix = sum_j (W_ij/D_ii) Theta_j over the last models that have reached agent i; where nothing has, the
/// neighbour's start, or 0 unless `start_known`. Records how stale they are: `published[j]` publications has neighbour
/// j made so far; counted are those not yet heard, and the age of what is used (since 0 s for the start), each
/// averaged over the neighbours. O(degree p), no allocation.
inline void mix_neighbours(const PersonalProblem& personal, std::span<const std::uint32_t> published,
                           sim::AgentId i, bool start_known, Context& context, Eigen::VectorXd& mix) {
  const sim::Topology& graph = personal.topology();
  const std::uint32_t first = graph.first_edge(i);
  const auto neighbours = graph.neighbours(i);
  std::uint64_t behind = 0;
  double sent = 0;
  mix.setZero();
  WeightedSum sum(mix.data(), mix.size());
  for (std::uint32_t k = 0; k < neighbours.size(); ++k) {
    const Heard heard = context.heard(i, k);
    behind += published[neighbours[k]] - heard.version;
    sent += heard.sent;
    if (heard.version == 0 && !start_known) continue;
    sum.add(graph.weight(first + k), heard.model.data());
  }
  sum.finish();
  mix /= personal.agent(i).weight;
  const auto count = static_cast<double>(neighbours.size());
  context.count_staleness(static_cast<double>(behind) / count, context.now() - sent / count);
}

}  // namespace hearsay::models
