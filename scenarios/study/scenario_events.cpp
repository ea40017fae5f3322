#include "scenarios/study/scenario_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "models/data/data_facts.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/point_fit.hpp"
#include "scenarios/study/scenario.hpp"
#include "sim/network/timeline.hpp"

namespace hearsay::scenarios {

namespace {

sim::Timeline timeline_of(const Scenario& s, sim::AgentId agents) {
  sim::NetworkOptions network = s.network;
  return sim::unfold(s.events, network, agents, s.stop.time.value_or(sim::kNever));
}

}  // namespace

void require_events(const Scenario& s) {
  if (s.events.empty()) return;
  const auto owners = models::owners_of(s.data.kind());
  const auto agents = owners ? agents_of(*owners, s.protocol->entry().hub) : sim::kMaxAgents;
  assemble("/events", [&] { timeline_of(s, agents); });
}

std::string events_json(const Scenario& s, const Parting& branches) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<sim::Timeline::Entry> entries = timeline_of(s, sim::kMaxAgents).entries;
  if (branches.by_time()) entries.push_back({branches.time, "branches"});
  std::ranges::stable_sort(entries, {}, &sim::Timeline::Entry::at);
  for (const auto& entry : entries) all.push_back({{"time", entry.at}, {"text", entry.text}});
  if (branches.iteration != Parting::kNoIteration)
    all.push_back({{"iteration", branches.iteration}, {"text", "branches"}});
  return all.empty() ? "" : all.dump();
}

}  // namespace hearsay::scenarios
