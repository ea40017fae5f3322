#include "sim/engine/unreachable.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "sim/overloaded.hpp"

namespace hearsay::sim {

namespace {

// Intervals in which an agent may be up.
using Times = std::vector<std::pair<Time, Time>>;

constexpr std::uint32_t kMaxPeriods = 1000;

// Under a law whose periods are known before the run. After kMaxPeriods the agent may be up at any time.
Times known_times(const Availability& law, AgentId i, std::uint32_t l, Time end) {
  Times times;
  auto [up, until] = law.first(i, l);
  Time from = 0;
  for (std::uint32_t n = 1; from < end; ++n) {
    if (up) times.emplace_back(from, until);
    if (until >= end) break;
    if (n == kMaxPeriods) {
      times.emplace_back(until, end);
      break;
    }
    from = until;
    up = !up;
    until = law.end(i, n, up, from, l);
  }
  return times;
}

// With agents that join as early and leave as late as their laws allow.
AvailabilityOptions longest_stays(AvailabilityOptions options, AgentId agents, AgentId first) {
  const auto extend =
      Overloaded{[&](JoinLeave& stay) {
                   const AgentId from = stay.hub ? 0 : first;
                   const auto ends = [&](const PerAgent& times, double (Distribution::*end)() const) {
                     ValueList all;
                     const std::vector<Distribution> laws = times.laws(from, agents - from);
                     for (AgentId i = 0; i < agents - from; ++i)
                       all.values.push_back((laws[laws.size() == 1 ? 0 : i].*end)());
                     return all;
                   };
                   stay.join = ends(stay.join, &Distribution::lower);
                   if (stay.leave) stay.leave = ends(*stay.leave, &Distribution::upper);
                 },
                 [](auto&) {}};
  std::visit(Overloaded{[&](AllOf& all) {
                          for (OneAvailability& one : all.of) std::visit(extend, one);
                        },
                        extend},
             options);
  return options;
}

Times common(const Times& a, const Times& b) {
  Times both;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const Time from = std::max(a[i].first, b[j].first), to = std::min(a[i].second, b[j].second);
    if (from < to) both.emplace_back(from, to);
    (a[i].second < b[j].second ? i : j) += 1;
  }
  return both;
}

}  // namespace

std::optional<std::string> why_unreachable(const Engine::Options& options, const Topology& topology,
                                           const Streams& streams) {
  if (topology.edges() == 0) return std::nullopt;
  const AgentId hub = options.hub ? 0 : kNoAgent, first = options.hub ? 1 : 0;
  const NetworkFiles files =
      options.files ? *options.files
                    : NetworkFiles::of(options.network, options.clocks, options.timeline, topology);
  if (Clocks(options.clocks, topology.agents(), streams, first, files.ticks).never_tick())
    return "no agent ever ticks: the clock trace is empty";
  const bool latency_changes = options.timeline.changes(&LawChanges::latency);
  const bool loss_changes = options.timeline.changes(&LawChanges::loss);
  const bool both_delayed = options.network.links.delayed_direction == DelayedDirection::kBoth;
  if (!latency_changes && both_delayed && options.network.links.latency.lower() >= options.time_limit)
    return "no message can arrive: the smallest latency is as long as the run";

  const Links links(options.network.links, topology, streams, hub, files);
  const Availability law(longest_stays(options.network.availability, topology.agents(), first), streams,
                         topology.agents(), first, files.sessions);
  const auto up = [&](AgentId i) {
    Times times{{0, kNever}};
    for (std::uint32_t l = 0; l < law.laws(); ++l) {
      if (law.applies_to(i, i == hub, l) && law.known(l))
        times = common(times, known_times(law, i, l, options.time_limit));
    }
    return times;
  };
  bool all_lost = true, never_both = true;
  for (AgentId i = 0; i < topology.agents(); ++i) {
    const Times mine = up(i);
    for (std::uint32_t k = 0; k < topology.degree(i); ++k) {
      const AgentId j = topology.neighbours(i)[k];
      const bool lost =
          !loss_changes && links.loss().certain(i, j, topology.first_edge(i) + k, options.time_limit);
      // A message may arrive later than it is sent: the sender needs to be up before the receiver's last up time ends.
      const Times theirs = up(j);
      const bool meet = !mine.empty() && !theirs.empty() && mine.front().first < theirs.back().second;
      if (!lost && meet) return std::nullopt;
      all_lost = all_lost && lost;
      never_both = never_both && !meet;
    }
  }
  if (all_lost) return "no message can arrive: every message on every link is lost";
  if (never_both) return "no message can arrive: no agent is up before the last time that a neighbour is up";
  return "no message can arrive: every link loses all messages or has an end that is not up in time";
}

}  // namespace hearsay::sim
