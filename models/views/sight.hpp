#pragma once
// Which payloads of a run an adversary sees, and which adversaries a run can have.
#include <cstdint>
#include <utility>
#include <vector>

#include "models/hostile/hostile_agents.hpp"
#include "models/privacy/budget/adversary.hpp"
#include "models/privacy/budget/privacy_options.hpp"
#include "models/run/any_protocol.hpp"
#include "sim/topology/topology.hpp"
#include "sim/trace/trace.hpp"

namespace hearsay::models {

/// What an adversary sees of a run, payload by payload.
class Sight {
 public:
  /// `hostile` may be null: nobody is.
  Sight(const Adversary& adversary, sim::AgentId agents, const HostileAgents* hostile);
  /// Whether the agent is part of it.
  bool has(sim::AgentId agent) const { return member_[agent] != 0; }
  bool everybody() const { return everybody_; }
  bool taps() const { return !links_.empty(); }
  /// Hops to each agent from the nearest one that is part of it; empty where none is.
  std::vector<std::uint32_t> hops(const sim::Topology& topology) const;
  /// Whether what an agent's neighbours know of it is seen.
  bool hears(sim::AgentId agent, const sim::Topology& topology) const;
  /// Whether the payload of a traced message or release is seen: a release by who makes it, and by everybody.
  bool sees(const sim::TraceRecord& record) const;

 private:
  bool everybody_ = false;
  const HostileAgents* hostile_;
  std::vector<char> member_;  // by agent
  std::vector<std::pair<sim::AgentId, sim::AgentId>> links_;
};

/// Throws std::invalid_argument for a protocol or hostile agents that can not be followed, and OptionError, with the path within the
/// list, for an adversary that is trusted or does not exist.
void require_views(const AnyProtocol& protocol, Trust trust, const HostileOptions& hostile,
                   const std::vector<Adversary>& adversaries);
/// Throws OptionError, with the path within the list, for agents that there are not, of so many.
void require_members(const std::vector<Adversary>& adversaries, sim::AgentId agents);
/// The same, and for links that there are not.
void require_links(const std::vector<Adversary>& adversaries, const sim::Topology& topology);

}  // namespace hearsay::models
