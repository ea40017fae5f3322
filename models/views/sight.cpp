#include "models/views/sight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "sim/check.hpp"

namespace hearsay::models {

void require_views(const AnyProtocol& protocol, Trust trust, const HostileOptions& hostile,
                   const std::vector<Adversary>& adversaries) {
  const Entry& entry = protocol.entry();
  if (!entry.linear) {
    throw std::invalid_argument(fmt::format(
        "the releases of protocol {} can not be followed: its models are not sums of them with public factors",
        entry.name));
  }
  const std::vector<HostileGroup> groups = groups_of(hostile);
  if (std::ranges::any_of(groups, [](const auto& g) { return std::holds_alternative<BitFlip>(g.behaviour); }))
    throw std::invalid_argument(
        "what adversaries see can not be worked out with behaviour bit_flip: whether a message is finite, and "
        "arrives, depends on its numbers");
  if (trust == Trust::kAggregator && std::ranges::any_of(groups, &HostileGroup::knows_all))
    throw std::invalid_argument(
        "what adversaries see can not be worked out where owners of a trusted server are omniscient: they know "
        "contributions of others without noise");
  for (std::size_t k = 0; k < adversaries.size(); ++k) {
    const Adversary& one = adversaries[k];
    const auto* some = std::get_if<AgentsAdversary>(&one);
    const bool hub = std::holds_alternative<HubAdversary>(one);
    if (hub && !entry.hub) throw sim::OptionError(fmt::format("{}", k), "protocol {} has no hub", entry.name);
    if (std::holds_alternative<HostileAdversary>(one) && groups.empty())
      throw sim::OptionError(fmt::format("{}", k), "no agent is hostile: set adversaries");
    if (std::holds_alternative<LinksAdversary>(one) &&
        std::ranges::any_of(groups, &HostileGroup::decides_late))
      throw sim::OptionError(fmt::format("{}", k),
                             "what agents that know all send is settled when it arrives, and no link has it: "
                             "choose agents, hub, hostile or everybody");
    const bool has_hub =
        hub || (some != nullptr && std::ranges::find(some->agents, 0u) != some->agents.end());
    if (has_hub && trust == Trust::kAggregator) {
      throw sim::OptionError(
          fmt::format("{}", k),
          "the hub is trusted (privacy.trust aggregator): it receives updates without noise");
    }
  }
}

void require_members(const std::vector<Adversary>& adversaries, sim::AgentId agents) {
  const auto require = [&](sim::AgentId i, const std::string& path) {
    if (i >= agents) {
      throw sim::OptionError(path, "expected an agent from 0 to {}, found {}", agents - 1, i);
    }
  };
  for (std::size_t k = 0; k < adversaries.size(); ++k) {
    if (const auto* some = std::get_if<AgentsAdversary>(&adversaries[k]))
      for (std::size_t m = 0; m < some->agents.size(); ++m)
        require(some->agents[m], fmt::format("{}/agents/{}", k, m));
    if (const auto* taps = std::get_if<LinksAdversary>(&adversaries[k]))
      for (std::size_t m = 0; m < taps->links.size(); ++m)
        for (const sim::AgentId i : taps->links[m]) require(i, fmt::format("{}/links/{}", k, m));
  }
}

void require_links(const std::vector<Adversary>& adversaries, const sim::Topology& topology) {
  require_members(adversaries, topology.agents());
  for (std::size_t k = 0; k < adversaries.size(); ++k) {
    const auto* taps = std::get_if<LinksAdversary>(&adversaries[k]);
    for (std::size_t m = 0; taps != nullptr && m < taps->links.size(); ++m) {
      const auto& link = taps->links[m];
      if (topology.edge(link[0], link[1]) == 2 * topology.edges()) {
        throw sim::OptionError(fmt::format("{}/links/{}", k, m), "there is no link from agent {} to agent {}",
                               link[0], link[1]);
      }
    }
  }
}

Sight::Sight(const Adversary& adversary, sim::AgentId agents, const HostileAgents* hostile)
    : hostile_(hostile), member_(agents) {
  if (const auto* some = std::get_if<AgentsAdversary>(&adversary)) {
    for (const sim::AgentId i : some->agents) member_.at(i) = 1;
  } else if (const auto* taps = std::get_if<LinksAdversary>(&adversary)) {
    for (const auto& link : taps->links) links_.emplace_back(link.at(0), link.at(1));
  } else if (std::holds_alternative<HubAdversary>(adversary)) {
    member_.at(0) = 1;
  } else if (std::holds_alternative<HostileAdversary>(adversary)) {
    sim::check(hostile != nullptr, "hostile agents that there are not");
    for (sim::AgentId i = 0; i < agents; ++i) member_[i] = hostile->is(i) ? 1 : 0;
  } else {
    everybody_ = true;
  }
  for (sim::AgentId i = 0; hostile != nullptr && i < agents; ++i)
    everybody_ = everybody_ || (has(i) && hostile->knows_all(i));
}

bool Sight::hears(sim::AgentId agent, const sim::Topology& topology) const {
  return has(agent) ||
         std::ranges::any_of(topology.neighbours(agent), [&](sim::AgentId j) { return has(j); }) ||
         std::ranges::find(links_, agent, &std::pair<sim::AgentId, sim::AgentId>::first) != links_.end();
}

bool Sight::sees(const sim::TraceRecord& record) const {
  if (record.kind == sim::TraceKind::kRelease || everybody_)
    return record.kind == sim::TraceKind::kRelease && (everybody_ || has(record.agent));
  const bool sent = record.kind == sim::TraceKind::kSend || record.kind == sim::TraceKind::kPublish;
  if (!sent && record.kind != sim::TraceKind::kDeliver) return false;
  // Seen once: when it arrives, or where its numbers are settled when it is handled, then.
  if (record.waits != sim::Waits::kNo) {
    const HostileGroup* const sender =
        hostile_ != nullptr ? hostile_->acting(record.peer, record.sent) : nullptr;
    if ((sender != nullptr && sender->decides_late()) != (record.waits == sim::Waits::kEnds)) return false;
  }
  if (has(record.agent)) return true;
  return sent && record.leaves &&
         std::ranges::find(links_, std::pair(record.agent, record.peer)) != links_.end();
}

std::vector<std::uint32_t> Sight::hops(const sim::Topology& topology) const {
  std::vector<sim::AgentId> reached;
  for (sim::AgentId i = 0; i < topology.agents(); ++i)
    if (has(i)) reached.push_back(i);
  if (reached.empty()) return {};
  std::vector<std::uint32_t> hops(topology.agents(), std::numeric_limits<std::uint32_t>::max());
  for (const sim::AgentId i : reached) hops[i] = 0;
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const sim::AgentId j : topology.neighbours(reached[k])) {
      if (hops[j] <= hops[reached[k]] + 1) continue;
      hops[j] = hops[reached[k]] + 1;
      reached.push_back(j);
    }
  }
  return hops;
}

}  // namespace hearsay::models
