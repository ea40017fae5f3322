#include "models/protocols/reference/gossip/dpsgd_gossip.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "models/core/timeout.hpp"

namespace hearsay::models {

void DpsgdGossip::Params::describe(sim::Visitor& v) {
  v(mixing, {.name = "mixing", .help = "Weights W_ij of the neighbours' models."});
  v(round_timeout, {.name = "round_timeout",
                    .help = "Maximum time an agent waits for its neighbours in a round, from the end of its "
                            "computation; by default "
                            "unlimited on a reliable network, else 5 typical round trips, at least 1 s.",
                    .unit = "s",
                    .min = 0,
                    .open_min = true});
  LocalTraining::Params::describe(v);
}

sim::Memory DpsgdGossip::Params::memory(const Extent& e) const {
  const sim::Memory training = LocalTraining::Params::memory(e);
  const double links = 2 * e.links;
  return {training.held + e.vectors(2 * e.agents) + e.agents * sizeof(Round) +
              links * (sizeof(std::uint32_t) + e.message),
          training.making};
}

DpsgdGossip::DpsgdGossip(const Params& params, const Study& study)
    : GossipAgents(params, study),
      mixing_(params.mixing),
      timeout_(timeout_of(params.round_timeout, study)),
      graph_(study.topology),
      rounds_(graph_.agents()),
      heard_(2 * std::size_t{graph_.edges()}),
      sums_(study.problem.p(), 2 * rounds_.size()) {
  for (sim::AgentId i = 0; i < graph_.agents(); ++i)
    largest_degree_ = std::max(largest_degree_, graph_.degree(i));
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  const StopLimits& stop = study.stop;
  const bool ends = std::min({stop.iterations, stop.vectors, stop.bytes}) < kUnlimited ||
                    (stop.budgets_spent && study.privacy.active());
  if (!ends && study.round_trips.typical() <= 0) {
    throw std::invalid_argument(
        "rounds take no time: expected stop.iterations, a network.latency or a network.compute_time");
  }
}

double DpsgdGossip::weight(sim::AgentId i, sim::AgentId j, const Context& context) const {
  const bool metropolis = mixing_ == MixingWeights::kMetropolis;
  return 1.0 / (1 + (metropolis ? std::max(context.degree(i), context.degree(j)) : largest_degree_));
}

void DpsgdGossip::on_start(Context& context) {
  open_accounts(context);
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.after(i, 0, kBegin);
}

void DpsgdGossip::begin_round(sim::AgentId i, std::uint32_t number, Context& context) {
  Round& round = rounds_[i];
  const auto neighbours = context.neighbours(i);
  round.number = number;
  for (const sim::AgentId j : neighbours) context.send(i, j, kModel, number, context.model(i));
  if (const auto* update = local_update(i, context)) sum(i, number) += *update;
  context.after(i, timeout_, kTimeout, number);
  const auto heard = heard_.begin() + graph_.first_edge(i);
  round.heard = static_cast<std::uint32_t>(std::count_if(
      heard, heard + static_cast<std::ptrdiff_t>(neighbours.size()), [=](auto r) { return r >= number; }));
  if (round.heard == neighbours.size()) context.after(i, 0, kMix, number);
}

void DpsgdGossip::on_message(const sim::Message& message, Context& context) {
  const sim::AgentId i = message.to;
  const std::uint32_t number = message.conversation;
  Round& round = rounds_[i];
  std::uint32_t& heard = heard_[graph_.edge(i, message.from)];
  if (number <= heard || number < round.number) return context.discard(message);
  if (number > round.number + 1) {
    if (round.number > 0) mix(i, context);
    forget(i);
    begin_round(i, number, context);
  }
  const double w = weight(i, message.from, context);
  context.count_staleness(0, context.now() - message.sent);
  sum(i, number) += w * vector_of(message);
  round.weight[number % 2] += w;
  const bool awaited = heard < round.number;
  heard = number;
  if (awaited && ++round.heard == context.degree(i)) context.after(i, 0, kMix, round.number);
}

void DpsgdGossip::on_timer(sim::AgentId i, std::uint16_t, std::uint32_t round, Context& context) {
  if (round != rounds_[i].number) return;
  if (round > 0) mix(i, context);
  begin_round(i, round + 1, context);
}

void DpsgdGossip::mix(sim::AgentId i, Context& context) {
  Round& round = rounds_[i];
  double& weight = round.weight[round.number % 2];
  auto received = sum(i, round.number);
  context.model(i) = (1 - weight) * context.model(i) + received;
  received.setZero();
  weight = 0;
  context.count_iteration();
}

// Of the neighbours' models.
void DpsgdGossip::forget(sim::AgentId i) {
  sum(i, 0).setZero();
  sum(i, 1).setZero();
  rounds_[i].weight = {};
}

void DpsgdGossip::reset(sim::AgentId i, Context& context) {
  forget(i);
  rounds_[i].number = 0;
  std::fill_n(heard_.begin() + graph_.first_edge(i), context.degree(i), 0u);
  training_.reset(i);
  context.after(i, 0, kBegin);
}

ProtocolRow dpsgd_gossip_row() {
  return row<DpsgdGossip>();
}

}  // namespace hearsay::models
