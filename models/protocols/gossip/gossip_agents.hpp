#pragma once
// What gossip protocols share: local updates.
#include <fmt/format.h>
#include <Eigen/Core>

#include <cstdint>
#include <stdexcept>

#include "models/protocols/federated/local_training.hpp"
#include "models/run/protocol.hpp"

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
constexpr Entry gossip_entry(std::string_view name, std::string_view help, MessageForm messages = {},
                             std::uint32_t vectors = 1, std::string_view example = "") {
  return {.name = name,
          .help = help,
          .vectors = vectors,
          .messages = messages,
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
  auto state() { return std::tie(training_); }
  const LocalTraining& foresight() const { return training_; }

 protected:
  void open_accounts(Context& context) const {
    for (sim::AgentId i = 0; i < context.agents(); ++i) training_.open_account(i, context);
  }
  /// x_K - x_0 of local training from agent i's model x_0, which stays as it is. `open_end`: for an update that is added to
  /// something else than x_0, and projected then; that of a model at a side of the box would be 0 if x_K were projected. What
  /// the agent sends from now on leaves when the computation ends. Null, and no computation, if the agent may make no step (no
  /// records, budget exhausted).
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

  LocalTraining training_;

 private:
  Eigen::VectorXd update_;
  std::uint64_t steps_made_ = 0;
};

}  // namespace hearsay::models
