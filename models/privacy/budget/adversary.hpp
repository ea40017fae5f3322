#pragma once
// Who sees what of a run: "privacy.adversaries". An adversary changes nothing by seeing; hostile agents ("adversaries"), which do
// what they do in any case, may be part of it.
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/options/describe.hpp"

namespace hearsay::models {

/// Agents that put together what they receive, send and release.
struct AgentsAdversary {
  static constexpr std::string_view kName = "agents";
  static constexpr std::string_view kHelp =
      "Agents that put together what they receive, what they send and their own releases.";
  static constexpr std::string_view kExample = R"({"agents": [3, 7]})";
  static constexpr sim::Shorthand kShorthand{"agents", sim::Shorthand::kNone};
  std::vector<sim::AgentId> agents = {};
  void describe(sim::Visitor& v);
};

/// Who taps links sees what is sent over them, lost or not.
struct LinksAdversary {
  static constexpr std::string_view kName = "links";
  static constexpr std::string_view kHelp =
      "Who taps links: everything that is sent over them, lost or not. A link is sender and receiver.";
  static constexpr std::string_view kExample = R"({"links": [[1, 2]]})";
  static constexpr sim::Shorthand kShorthand{"links", sim::Shorthand::kNone};
  std::vector<std::vector<sim::AgentId>> links = {};
  void describe(sim::Visitor& v);
};

struct HubAdversary {
  static constexpr std::string_view kName = "hub";
  static constexpr std::string_view kHelp = "The hub of a star, agent 0.";
  void describe(sim::Visitor&) {}
};

struct HostileAdversary {
  static constexpr std::string_view kName = "hostile";
  static constexpr std::string_view kHelp =
      "All agents that `adversaries` names, whenever they are hostile, together. Who misbehaves with knowledge of all that "
      "others send, or of all models, sees every release.";
  void describe(sim::Visitor&) {}
};

/// Every release, as the ledger assumes.
struct EverybodyAdversary {
  static constexpr std::string_view kName = "everybody";
  static constexpr std::string_view kHelp = "Who sees every release: what the ledger assumes.";
  void describe(sim::Visitor&) {}
};

using Adversary =
    std::variant<AgentsAdversary, LinksAdversary, HubAdversary, HostileAdversary, EverybodyAdversary>;

/// Forms of the names of adversaries, for messages.
inline constexpr std::string_view kAdversaryForms =
    "agent:3, agents:3+7, link:1-2, links:1-2+2-1, hub, hostile or everybody";
/// "agents:3+7", "links:1-2", "hub", "hostile", "everybody".
std::string name_of(const Adversary& adversary);
/// The agent of a number or name. Throws std::invalid_argument.
using AgentOf = std::function<sim::AgentId(std::string_view)>;
/// Of such a name, "agent:3" too. Throws std::invalid_argument, as `agent` does.
Adversary adversary_of(std::string_view name, const AgentOf& agent);

}  // namespace hearsay::models
