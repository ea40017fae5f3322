#include "models/registry.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "models/protocols/families.hpp"

namespace hearsay::models {

std::vector<ProtocolRow>& protocols() {
  static std::vector<ProtocolRow> table = [] {
    std::vector<ProtocolRow> all;
    for (auto* rows :
         {central_rows, peer_to_peer_rows, baselines_rows, multitask_rows, federated_rows, gossip_rows})
      for (ProtocolRow& row : rows()) all.push_back(std::move(row));
    return all;
  }();
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
         .describe_default = [make = table[i].make](sim::Visitor& inner) { make()->describe(inner); },
         .open = table[i].entry.open});
  }
  v.alternatives(
      about, all, index, [this, &table](std::size_t i) { held_ = table[i].make(); },
      [this](sim::Visitor& inner) { held_->describe(inner); });
}

}  // namespace hearsay::models
