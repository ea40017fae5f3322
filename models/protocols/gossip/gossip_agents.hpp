#pragma once
// What gossip protocols share: local updates, and random neighbours.
#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

#include "models/protocols/federated/local_training.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

/// Local training of an agent that needs neighbours.
struct GossipOptions : LocalTraining::Params {
  /// Throws as LocalTraining::Params::require, and std::invalid_argument if an agent has no neighbour.
  void require(const Setting& setting) const;
};

class GossipAgents {
 public:
  /// Throws as GossipOptions::require, and as LocalTraining.
  GossipAgents(const GossipOptions& options, const Study& study);

 protected:
  /// The first number that a protocol may use for a purpose of draws.
  static constexpr std::uint32_t kFreePurpose = LocalTraining::kFreePurpose + 1;

  void open_accounts(Context& context) const;
  /// x_K - x_0 of local training from agent i's model x_0, which stays as it is. What the agent sends from now on leaves
  /// when the computation ends. Null, and no computation, if the agent may make no step (no records, budget exhausted).
  const Eigen::VectorXd* local_update(sim::AgentId i, Context& context, const LocalTerms& terms = {});
  /// Steps of the last local_update; 0 if it returned null.
  std::uint64_t steps_made() const { return steps_made_; }
  /// `count` different neighbours of agent i, all sets equally likely; all of them if there are no more. Valid until the
  /// next call.
  std::span<const sim::AgentId> random_neighbours(sim::AgentId i, std::uint32_t count, Context& context);
  /// `count` different numbers below `size`, all sets equally likely; count <= size. Valid as above.
  std::span<const std::uint32_t> draw(std::uint32_t count, std::uint32_t size, sim::Stream stream);
  sim::AgentId random_neighbour(sim::AgentId i, Context& context) {
    return random_neighbours(i, 1, context).front();
  }

  LocalTraining training_;

 private:
  static constexpr std::uint32_t kNeighbours = LocalTraining::kFreePurpose;  // purpose of the draws

  Eigen::VectorXd update_;
  std::uint64_t steps_made_ = 0;
  std::vector<std::uint32_t> drawn_;
};

}  // namespace hearsay::models
