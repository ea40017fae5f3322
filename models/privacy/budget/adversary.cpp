#include "models/privacy/budget/adversary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <stdexcept>

#include "sim/check.hpp"

namespace hearsay::models {

void AgentsAdversary::describe(sim::Visitor& v) {
  v(agents, {.name = "agents",
             .help = "Agents; the hub of a star is agent 0.",
             .required = true,
             .noun = sim::kAgentNumber});
  v.check(!agents.empty(), "agents", "expected at least one agent, found an empty list");
}

void LinksAdversary::describe(sim::Visitor& v) {
  v(links, {.name = "links",
            .help = "Pairs of agents: sender and receiver.",
            .required = true,
            .noun = sim::kAgentNumber});
  v.check(!links.empty() && std::ranges::all_of(links, [](const auto& link) { return link.size() == 2; }),
          "links", "expected pairs of agents, such as [[1, 2]]");
}

std::string name_of(const Adversary& adversary) {
  if (const auto* some = std::get_if<AgentsAdversary>(&adversary))
    return fmt::format("{}:{}", some->agents.size() == 1 ? "agent" : "agents", fmt::join(some->agents, "+"));
  if (const auto* taps = std::get_if<LinksAdversary>(&adversary)) {
    std::vector<std::string> all;
    for (const auto& link : taps->links) all.push_back(fmt::format("{}", fmt::join(link, "-")));
    return fmt::format("{}:{}", all.size() == 1 ? "link" : "links", fmt::join(all, "+"));
  }
  return std::string(std::visit([](const auto& one) { return one.kName; }, adversary));
}

Adversary adversary_of(std::string_view name, const AgentOf& agent) {
  const auto refuse = [&] {
    throw std::invalid_argument(fmt::format("expected {}, found '{}'", kAdversaryForms, name));
  };
  if (name == HubAdversary::kName) return HubAdversary{};
  if (name == HostileAdversary::kName) return HostileAdversary{};
  if (name == EverybodyAdversary::kName) return EverybodyAdversary{};
  const auto parts = [&](std::string_view text, char separator) {
    std::vector<std::string_view> all;
    for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
      end = text.find(separator);
      all.push_back(text.substr(0, end));
      if (end == std::string_view::npos) break;
    }
    return all;
  };
  const std::string_view kind = name.substr(0, name.find(':'));
  if (kind.size() == name.size()) refuse();
  const std::string_view rest = name.substr(kind.size() + 1);
  if (kind == "agent" || kind == "agents") {
    AgentsAdversary some;
    for (const std::string_view one : parts(rest, '+')) some.agents.push_back(agent(one));
    return some;
  }
  if (kind != "link" && kind != "links") refuse();
  LinksAdversary taps;
  for (const std::string_view one : parts(rest, '+')) {
    // A name may have a hyphen: of several, one divides the text into two agents.
    std::vector<std::vector<sim::AgentId>> found;
    std::exception_ptr unknown;
    for (auto at = one.find('-'); at != one.npos; at = one.find('-', at + 1)) {
      std::optional<sim::AgentId> from;
      try {
        from = agent(one.substr(0, at));
        found.push_back({*from, agent(one.substr(at + 1))});
      } catch (const std::invalid_argument&) {
        if (from || unknown == nullptr) unknown = std::current_exception();
      }
    }
    if (found.empty() && unknown != nullptr) std::rethrow_exception(unknown);
    if (found.size() != 1) refuse();
    taps.links.push_back(std::move(found.front()));
  }
  return taps;
}

}  // namespace hearsay::models
