#include "models/protocols/gossip/gossip_agents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "sim/random/random.hpp"

namespace hearsay::models {

void GossipOptions::require(const Setting& setting) const {
  LocalTraining::Params::require(setting);
  for (sim::AgentId i = 0; setting.topology != nullptr && i < setting.topology->agents(); ++i) {
    if (setting.topology->degree(i) == 0) {
      throw std::invalid_argument(fmt::format(
          "expected a neighbour of every agent, found none of agent {}; choose another network.topology", i));
    }
  }
}

GossipAgents::GossipAgents(const GossipOptions& options, const Study& study)
    : training_(fitting(options, study), study), update_(study.problem.p()) {}

void GossipAgents::open_accounts(Context& context) const {
  for (sim::AgentId i = 0; i < context.agents(); ++i) training_.open_account(i, context);
}

const Eigen::VectorXd* GossipAgents::local_update(sim::AgentId i, Context& context, const LocalTerms& terms) {
  steps_made_ = 0;
  if (training_.steps(i, context) == 0 || !context.may_release(i)) return nullptr;
  context.compute(i);
  const auto trained = training_.train(i, context.model(i), context, terms);
  steps_made_ = trained.steps;
  update_ = trained.model - context.model(i);
  return &update_;
}

std::span<const sim::AgentId> GossipAgents::random_neighbours(sim::AgentId i, std::uint32_t count,
                                                              Context& context) {
  const auto neighbours = context.neighbours(i);
  if (count >= neighbours.size()) return neighbours;
  draw(count, static_cast<std::uint32_t>(neighbours.size()), context.random(kNeighbours, i));
  for (sim::AgentId& drawn : drawn_) drawn = neighbours[drawn];
  return drawn_;
}

std::span<const std::uint32_t> GossipAgents::draw(std::uint32_t count, std::uint32_t size,
                                                  sim::Stream stream) {
  drawn_.clear();
  // R. W. Floyd's sampling: one draw for each number, whatever the size.
  for (std::uint32_t last = size - count; last < size; ++last) {
    const auto drawn = static_cast<std::uint32_t>(sim::uniform_index(stream, last + 1));
    const bool is_new = std::find(drawn_.begin(), drawn_.end(), drawn) == drawn_.end();
    drawn_.push_back(is_new ? drawn : last);
  }
  return drawn_;
}

}  // namespace hearsay::models
