#include "models/registry.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/protocols/baselines/local_dp.hpp"
#include "models/protocols/baselines/local_only.hpp"
#include "models/protocols/central/central_async.hpp"
#include "models/protocols/central/central_sync.hpp"
#include "models/protocols/federated/dp_fedavg.hpp"
#include "models/protocols/federated/dp_ftrl.hpp"
#include "models/protocols/federated/fedasync.hpp"
#include "models/protocols/federated/fedavg.hpp"
#include "models/protocols/federated/fedbuff.hpp"
#include "models/protocols/federated/fedprox.hpp"
#include "models/protocols/federated/scaffold.hpp"
#include "models/protocols/gossip/ad_psgd.hpp"
#include "models/protocols/gossip/dpsgd_gossip.hpp"
#include "models/protocols/gossip/epidemic.hpp"
#include "models/protocols/gossip/gossip_learning.hpp"
#include "models/protocols/gossip/push_sum.hpp"
#include "models/protocols/multitask/amtl.hpp"
#include "models/protocols/multitask/async_mtl.hpp"
#include "models/protocols/multitask/sync_mtl.hpp"
#include "models/protocols/peer_to_peer/model_propagation.hpp"
#include "models/protocols/peer_to_peer/p2p_admm.hpp"
#include "models/protocols/peer_to_peer/p2p_coordinate_descent.hpp"

namespace hearsay::models {

std::vector<ProtocolRow>& protocols() {
  static std::vector<ProtocolRow> table{
      central_async_row(),     central_sync_row(), p2p_coordinate_descent_row(),
      model_propagation_row(), p2p_admm_row(),     local_only_row(),
      local_dp_row(),          pooled_row(),       async_mtl_row(),
      sync_mtl_row(),          amtl_row(),         fedavg_row(),
      fedprox_row(),           scaffold_row(),     fedasync_row(),
      fedbuff_row(),           dp_fedavg_row(),    dp_ftrl_row(),
      dpsgd_gossip_row(),      ad_psgd_row(),      gossip_learning_row(),
      push_sum_row(),          epidemic_row()};
  return table;
}

void require_schedule(const Entry& entry, Schedule schedule) {
  if (entry.schedules || schedule == Schedule::kUniform) return;
  std::string others;
  for (const ProtocolRow& row : protocols()) {
    if (row.entry.schedules) others += fmt::format("{}{}", others.empty() ? "" : ", ", row.entry.name);
  }
  throw std::invalid_argument(fmt::format("{} spreads its budget uniformly; protocols with schedule {}: {}",
                                          entry.name, name_of(schedule),
                                          others.empty() ? "none yet" : others));
}

void require_budget(const Entry& entry, bool active, bool by_turn) {
  if (!active || entry.by_turn == by_turn) return;
  throw std::invalid_argument(
      entry.by_turn ? fmt::format("{} takes its budget by turn: give epsilon_1 and epsilon_2", entry.name)
                    : fmt::format("{} takes its budget in total: give epsilon, not epsilon_1 and epsilon_2",
                                  entry.name));
}

void require_trust(const Entry& entry, bool active, Trust trust) {
  if (!active || entry.aggregates == (trust == Trust::kAggregator)) return;
  throw std::invalid_argument(
      entry.aggregates
          ? fmt::format("{} has an aggregator that its owners trust: set privacy.trust to aggregator and "
                        "privacy.unit to owner",
                        entry.name)
          : fmt::format("{} has no trusted aggregator: leave out privacy.trust, or use dp_fedavg or dp_ftrl",
                        entry.name));
}

ProtocolChoice::ProtocolChoice() : held_(protocols().front().make()) {}

void ProtocolChoice::describe_as(sim::Visitor& v, const sim::About& about) {
  const std::vector<ProtocolRow>& table = protocols();
  std::vector<sim::Alternative> all;
  std::size_t index = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].entry.name == held_->entry().name) index = i;
    all.push_back(
        {.name = table[i].entry.name,
         .help = table[i].entry.help,
         .describe_default = [make = table[i].make](sim::Visitor& inner) { make()->describe(inner); }});
  }
  v.alternatives(
      about, all, index, [this, &table](std::size_t i) { held_ = table[i].make(); },
      [this](sim::Visitor& inner) { held_->describe(inner); });
}

}  // namespace hearsay::models
