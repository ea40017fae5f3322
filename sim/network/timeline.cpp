#include "sim/network/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <utility>

#include "sim/network/network.hpp"

namespace hearsay::sim {

namespace {

constexpr About kAt = {.name = "at", .help = "Time of the event.", .unit = "s", .min = 0, .required = true};
constexpr About kEventName = {
    .name = "name", .help = "Name of the event in the trace and in figures; by default a short description."};

void describe_agents(Visitor& v, std::vector<AgentId>& agents, std::string_view key) {
  v(agents,
    {.name = key, .help = "Agents; the hub of a star is agent 0.", .required = true, .noun = kAgentNumber});
  v.check(!agents.empty(), key, "expected at least one agent, found an empty list");
}

void describe_lasting(Visitor& v, std::optional<Time>& lasting) {
  v(lasting, positive("for", "Duration; by default to the end of the run.", "s"));
}

Time end_of(Time at, const std::optional<Time>& lasting) {
  return lasting ? at + *lasting : kNever;
}

std::string list_of(const std::vector<AgentId>& agents) {
  constexpr std::size_t kMost = 8;
  std::string all;
  for (std::size_t k = 0; k < std::min(agents.size(), kMost); ++k)
    all += fmt::format("{}{}", k == 0 ? "" : ", ", agents[k]);
  return agents.size() <= kMost ? all : fmt::format("{}, ... ({} agents)", all, agents.size());
}

std::string duration_of(const std::optional<Time>& lasting) {
  return lasting ? fmt::format(" for {:g} s", *lasting) : "";
}

// The names of the laws that change.
std::vector<std::string_view> names_of_laws(const LawChanges& changes) {
  std::vector<std::string_view> names;
  if (changes.latency) names.emplace_back("network.latency");
  if (changes.loss) names.emplace_back("network.loss");
  if (changes.bandwidth) names.emplace_back("network.bandwidth");
  if (changes.compute_time) names.emplace_back("network.compute_time");
  return names;
}

// Adds laws to one that may be of several parts.
template <class All, class Options, class Part>
void append_laws(Options& options, const std::vector<Part>& more) {
  if (more.empty()) return;
  All all{parts_of<Part>(options)};
  all.of.insert(all.of.end(), more.begin(), more.end());
  options = std::move(all);
}

// An event that does not fit the run: its number, and the key of its part.
OptionError event_error(std::size_t number, std::string_view key, const std::string& message) {
  return {fmt::format("{}/{}", number, key), message};
}

class Unfolder {
 public:
  Unfolder(AgentId agents, Time end) : agents_(agents), end_(end) {}

  // Events in the order of their times.
  void add(std::size_t number, const CrashEvent& e) {
    begin(number, e.at, e.agents, "crash");
    auto& outages = e.state_on_return == StateOnReturn::kReset ? resets_ : keeps_;
    outages.push_back({e.agents, e.at, e.lasting ? std::optional(e.at + *e.lasting) : std::nullopt});
    mark(e.at, e.name, "crash " + list_of(e.agents) + duration_of(e.lasting));
  }
  void add(std::size_t number, const PartitionEvent& e) {
    begin(number, e.at, e.agents, "partition");
    if (e.agents.size() == agents_) throw event_error(number, "partition", std::string(kAllCutOff));
    const Time until = end_of(e.at, e.lasting);
    cuts_.emplace_back(PartitionLoss{
        .agents = e.agents, .from = e.at, .to = e.lasting ? std::optional(until) : std::nullopt});
    const std::string what = "partition " + list_of(e.agents);
    mark(e.at, e.name, what + duration_of(e.lasting));
    if (until < end_) mark(until, "", (e.name.empty() ? what : e.name) + " ends");
  }
  void add(std::size_t number, const JoinEvent& e) {
    begin(number, e.at, e.agents, "join");
    for (const AgentId i : e.agents) {
      const auto [stay, first] = stays_.try_emplace(i, Stay{false, 0});
      if (stay->second.present)
        throw event_error(number, "join",
                          fmt::format("agent {} joins at {:g} s, but it is there since {:g} s", i, e.at,
                                      stay->second.since));
      if (e.at > stay->second.since) keeps_.push_back({{i}, stay->second.since, e.at});
      stay->second = {true, e.at};
    }
    mark(e.at, e.name, "join " + list_of(e.agents));
  }
  void add(std::size_t number, const LeaveEvent& e) {
    begin(number, e.at, e.agents, "leave");
    for (const AgentId i : e.agents) {
      const auto [stay, first] = stays_.try_emplace(i, Stay{true, 0});
      if (!stay->second.present)
        throw event_error(number, "leave",
                          fmt::format("agent {} leaves at {:g} s, but it is away since {:g} s", i, e.at,
                                      stay->second.since));
      stay->second = {false, e.at};
    }
    mark(e.at, e.name, "leave " + list_of(e.agents));
  }
  void add(std::size_t number, const SetEvent& e) {
    begin(number, e.at, {}, "set");
    if (names_of_laws(e.changes).empty())
      throw event_error(number, "set", R"(expected laws to change, such as {"network.latency": "200 ms"})");
    std::string what = "set";
    for (const std::string_view law : names_of_laws(e.changes)) {
      what += fmt::format("{}{}", what == "set" ? " " : ", ", law);
      const auto [at, first] = last_change_.try_emplace(law, e.at);
      if (!first && at->second == e.at)
        throw event_error(number, "set",
                          fmt::format("{} is set twice at {:g} s; give one event for each time", law, e.at));
      at->second = e.at;
    }
    mark(e.at, e.name, what);
    timeline_.entries.back().changes = e.changes;
  }

  Timeline finish(NetworkOptions& network) {
    for (const auto& [i, stay] : stays_) {
      if (!stay.present) keeps_.push_back({{i}, stay.since, {}});
    }
    std::vector<OneAvailability> outages;
    if (!keeps_.empty()) outages.emplace_back(Outages{keeps_, StateOnReturn::kKeep});
    if (!resets_.empty()) outages.emplace_back(Outages{resets_, StateOnReturn::kReset});
    append_laws<AllOf>(network.availability, outages);
    append_laws<AnyLoss>(network.links.loss, cuts_);
    for (Timeline::Entry& entry : timeline_.entries) {
      if (entry.changes.loss) append_laws<AnyLoss>(*entry.changes.loss, cuts_);
    }
    std::ranges::stable_sort(timeline_.entries, {}, &Timeline::Entry::at);  // ends of partitions
    return std::move(timeline_);
  }

 private:
  // Since when an agent that joins or leaves is there or away.
  struct Stay {
    bool present;
    Time since;
  };

  void begin(std::size_t number, Time at, const std::vector<AgentId>& agents, std::string_view key) const {
    if (at >= end_)
      throw event_error(
          number, "at",
          fmt::format("expected a time before the end of the run ({:g} s), found {:g} s", end_, at));
    std::set<AgentId> named;
    for (const AgentId i : agents) {
      if (i >= agents_)
        throw event_error(number, key,
                          fmt::format("expected agents 0 to {}, found agent {}", agents_ - 1, i));
      if (!named.insert(i).second)
        throw event_error(number, key, fmt::format("agent {} is named twice: remove one", i));
    }
  }
  void mark(Time at, const std::string& name, const std::string& what) {
    timeline_.entries.push_back({at + 0.0, name.empty() ? what : name});  // events order by bits
  }

  AgentId agents_;
  Time end_;
  std::vector<Outages::Outage> keeps_, resets_;
  std::vector<OneLossOptions> cuts_;
  std::map<AgentId, Stay> stays_;
  std::map<std::string_view, Time> last_change_;
  Timeline timeline_;
};

}  // namespace

void CrashEvent::describe(Visitor& v) {
  v(at, kAt);
  describe_agents(v, agents, "crash");
  describe_lasting(v, lasting);
  v(state_on_return, {.name = "state_on_return", .help = "State of an agent that returns from the crash."});
  v(name, kEventName);
}

void PartitionEvent::describe(Visitor& v) {
  v(at, kAt);
  describe_agents(v, agents, "partition");
  describe_lasting(v, lasting);
  v(name, kEventName);
}

void JoinEvent::describe(Visitor& v) {
  v(at, kAt);
  describe_agents(v, agents, "join");
  v(name, kEventName);
}

void LeaveEvent::describe(Visitor& v) {
  v(at, kAt);
  describe_agents(v, agents, "leave");
  v(name, kEventName);
}

void LawChanges::describe(Visitor& v) {
  v(latency, non_negative("network.latency", "Latency from then on.", "s"));
  v(loss, {.name = "network.loss", .help = "Loss from then on; partitions of other events stay."});
  v(bandwidth, {.name = "network.bandwidth",
                .help = "Bandwidth from then on; transfers that wait or have begun keep their times."});
  v(compute_time,
    non_negative("network.compute_time", "Duration of computations that begin from then on.", "s"));
}

void SetEvent::describe(Visitor& v) {
  v(at, kAt);
  v(changes, {.name = "set", .help = "Laws that change, by their keys.", .required = true});
  v(name, kEventName);
}

Timeline unfold(const std::vector<TimelineEvent>& events, NetworkOptions& network, AgentId agents, Time end) {
  // At one time agents leave before they join, whatever the order in the file.
  const auto time = [&](std::size_t n) {
    return std::pair(time_of(events[n]), std::holds_alternative<JoinEvent>(events[n]));
  };
  std::vector<std::size_t> order(events.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, time);
  Unfolder unfolder(agents, end);
  for (const std::size_t n : order) std::visit([&](const auto& e) { unfolder.add(n, e); }, events[n]);
  return unfolder.finish(network);
}

}  // namespace hearsay::sim
