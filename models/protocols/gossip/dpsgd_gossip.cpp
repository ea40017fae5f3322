#include "models/protocols/gossip/dpsgd_gossip.hpp"

#include <algorithm>

#include "models/run/timeout.hpp"

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

DpsgdGossip::DpsgdGossip(const Params& params, const Study& study)
    : GossipAgents(params, study),
      mixing_(params.mixing),
      timeout_(timeout_of(params.round_timeout, study)),
      graph_(study.topology),
      largest_degree_(largest_degree(graph_)),
      rounds_(graph_.agents()),
      heard_(4 * std::size_t{graph_.edges()}),
      sums_(study.problem.p(), 2 * rounds_.size()) {}

void DpsgdGossip::on_start(Context& context) {
  open_accounts(context);
  for (sim::AgentId i = 0; i < context.agents(); ++i) context.after(i, 0, kBegin);
}

void DpsgdGossip::begin_round(sim::AgentId i, std::uint32_t number, Context& context) {
  Round& round = rounds_[i];
  round.number = number;
  for (const sim::AgentId j : context.neighbours(i)) context.send(i, j, kModel, number, context.model(i));
  if (const auto* update = local_update(i, context)) sum(i, number) += *update;
  context.after(i, timeout_, kTimeout, number);
  if (round.heard[number % 2] == context.degree(i)) context.after(i, 0, kMix, number);
}

void DpsgdGossip::on_message(const sim::Message& message, Context& context) {
  const sim::AgentId i = message.to;
  const std::uint32_t number = message.conversation;
  Round& round = rounds_[i];
  std::uint32_t& heard = heard_[2 * std::size_t{graph_.edge(i, message.from)} + number % 2];
  if (number <= heard || number < round.number) return context.discard(message);
  if (number > round.number + 1) {
    if (round.number > 0) mix(i, context);
    forget(i, number);
    forget(i, number + 1);
    begin_round(i, number, context);
  }
  const double w = mixing_weight(mixing_, graph_, i, message.from, largest_degree_);
  context.count_staleness(0, context.now() - message.sent);
  sum(i, number) += w * vector_of(message);
  round.weight[number % 2] += w;
  heard = number;
  const bool all = ++round.heard[number % 2] == context.degree(i);
  if (all && number == round.number) context.after(i, 0, kMix, number);
}

void DpsgdGossip::on_timer(sim::AgentId i, std::uint16_t, std::uint32_t round, Context& context) {
  if (round != rounds_[i].number) return;
  if (round > 0) mix(i, context);
  begin_round(i, round + 1, context);
}

void DpsgdGossip::mix(sim::AgentId i, Context& context) {
  const std::uint32_t number = rounds_[i].number;
  context.model(i) = (1 - rounds_[i].weight[number % 2]) * context.model(i) + sum(i, number);
  forget(i, number);
  context.count_iteration();
}

// What has been received for a round.
void DpsgdGossip::forget(sim::AgentId i, std::uint32_t round) {
  sum(i, round).setZero();
  rounds_[i].heard[round % 2] = 0;
  rounds_[i].weight[round % 2] = 0;
}

void DpsgdGossip::reset(sim::AgentId i, Context& context) {
  forget(i, 0);
  forget(i, 1);
  rounds_[i].number = 0;
  std::fill_n(heard_.begin() + 2 * std::ptrdiff_t{graph_.first_edge(i)}, 2 * context.degree(i), 0u);
  training_.reset(i);
  context.after(i, 0, kBegin);
}

ProtocolRow dpsgd_gossip_row() {
  return row<DpsgdGossip>();
}

}  // namespace hearsay::models
