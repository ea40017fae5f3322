#pragma once
// What gossip protocols share: local updates, and random neighbours.
#include <fmt/format.h>
#include <Eigen/Core>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "models/protocols/federated/local_training.hpp"
#include "models/run/protocol.hpp"
#include "sim/random/random.hpp"
#include "sim/random/stream.hpp"

namespace hearsay::models {

/// Local training of an agent that needs neighbours.
struct GossipOptions : LocalTraining::Params {
  /// Throws as LocalTraining::Params::require, and std::invalid_argument if an agent has no neighbour.
  void require(const Setting& setting) const {
    LocalTraining::Params::require(setting);
    for (sim::AgentId i = 0; setting.topology != nullptr && i < setting.topology->agents(); ++i) {
      if (setting.topology->degree(i) == 0) {
        throw std::invalid_argument(fmt::format(
            "expected a neighbour of every agent, found none of agent {}; choose another network.topology",
            i));
      }
    }
  }
};

/// The row of a gossip protocol.
constexpr Entry gossip_entry(std::string_view name, std::string_view help, std::uint32_t vectors = 1,
                             std::string_view example = "") {
  return {.name = name,
          .help = help,
          .vectors = vectors,
          .any_model = true,
          .linear = true,
          .step = "the step size (protocol.step)",
          .example = example};
}

class GossipAgents {
 public:
  /// Throws as GossipOptions::require, and as LocalTraining.
  GossipAgents(const GossipOptions& options, const Study& study)
      : training_(fitting(options, study), study), update_(study.problem.p()) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(training_);
  }

 protected:
  /// The first number that a protocol may use for a purpose of draws.
  static constexpr std::uint32_t kFreePurpose = LocalTraining::kFreePurpose + 1;

  void open_accounts(Context& context) const {
    for (sim::AgentId i = 0; i < context.agents(); ++i) training_.open_account(i, context);
  }
  /// x_K - x_0 of local training from agent i's model x_0, which stays as it is. What the agent sends from now on leaves
  /// when the computation ends. Null, and no computation, if the agent may make no step (no records, budget exhausted).
  const Eigen::VectorXd* local_update(sim::AgentId i, Context& context, const LocalTerms& terms = {}) {
    steps_made_ = 0;
    if (training_.steps(i, context) == 0 || !context.may_release(i)) return nullptr;
    context.compute(i);
    const auto trained = training_.train(i, context.model(i), context, terms);
    steps_made_ = trained.steps;
    update_ = trained.model - context.model(i);
    return &update_;
  }
  /// Steps of the last local_update; 0 if it returned null.
  std::uint64_t steps_made() const { return steps_made_; }
  /// `count` different neighbours of agent i, all sets equally likely; all of them if there are no more. Valid until the
  /// next call.
  std::span<const sim::AgentId> random_neighbours(sim::AgentId i, std::uint32_t count, Context& context) {
    const auto neighbours = context.neighbours(i);
    if (count >= neighbours.size()) {
      drawn_.assign(neighbours.begin(), neighbours.end());
      return drawn_;
    }
    draw(count, neighbours.size(), context.random(kNeighbours, i));
    for (sim::AgentId& drawn : drawn_) drawn = neighbours[drawn];
    return drawn_;
  }
  /// `count` different numbers below `size`, all sets equally likely; count <= size. Valid as above.
  std::span<const std::uint32_t> draw(std::uint32_t count, std::uint32_t size, sim::Stream stream) {
    drawn_.clear();
    // R. W. Floyd's sampling: one draw for each number, whatever the size.
    for (std::uint32_t last = size - count; last < size; ++last) {
      const auto drawn = static_cast<std::uint32_t>(sim::uniform_index(stream, last + 1));
      const bool is_new = std::find(drawn_.begin(), drawn_.end(), drawn) == drawn_.end();
      drawn_.push_back(is_new ? drawn : last);
    }
    return drawn_;
  }
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
