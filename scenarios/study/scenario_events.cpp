#include "scenarios/study/scenario_events.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "scenarios/study/errors.hpp"
#include "scenarios/study/scenario.hpp"
#include "sim/network/timeline.hpp"

namespace hearsay::scenarios {

namespace {

sim::Timeline timeline_of(const Scenario& s, sim::AgentId agents) {
  sim::NetworkOptions network = s.network;
  return sim::unfold(s.events, network, agents, s.stop.time.value_or(sim::kNever));
}

std::optional<std::size_t> owners_of(const models::DataOptions& data) {
  return std::visit(
      []<class Kind>(const Kind& kind) -> std::optional<std::size_t> {
        if constexpr (requires { kind.owners + 0; }) {
          return kind.owners;
        } else if constexpr (requires { kind.tasks + 0; }) {
          return kind.tasks;
        } else {
          return std::nullopt;
        }
      },
      data.kind());
}

}  // namespace

void require_events(const Scenario& s) {
  if (s.events.empty()) return;
  const auto owners = owners_of(s.data);
  const auto agents =
      owners ? static_cast<sim::AgentId>(*owners + (s.protocol->entry().hub ? 1 : 0)) : sim::kMaxAgents;
  try {
    timeline_of(s, agents);
  } catch (const sim::EventError& error) {
    throw AssemblyError(fmt::format("/events/{}/{}", error.number, error.key), error.what());
  }
}

std::string events_json(const Scenario& s) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& entry : timeline_of(s, sim::kMaxAgents).entries)
    all.push_back({{"time", entry.at}, {"text", entry.text}});
  return all.empty() ? "" : all.dump();
}

}  // namespace hearsay::scenarios
