#include "scenarios/study/branches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/language/reference/outline.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/sweep/labels.hpp"
#include "scenarios/study/sweep/sweep.hpp"

namespace hearsay::scenarios {

namespace {

constexpr std::string_view kProtocol = "protocol.";

// What a branch changes, but for options of the protocol.
struct BranchChanges {
  sim::LawChanges laws;
  std::vector<sim::TimelineEvent> events;
  void describe(sim::Visitor& v) {
    laws.describe(v);
    v(events,
      {.name = "events", .help = "What happens to the network in addition, from the time of the branch on."});
  }
};

// What a point has on an axis; null: the sweep has no such axis.
const Node* setting_of(const SweepPoint& point, std::string_view axis) {
  const auto found = std::ranges::find(point.settings, axis, &std::pair<std::string, Node>::first);
  return found == point.settings.end() ? nullptr : &found->second;
}

// What element k of the branches changes, and its JSON pointer: an element may be a value with a label.
const Node& changes_of(const Node& sets, std::size_t k) {
  const Node& one = sets.items()[k].value;
  const Node* const value = one.find("value");
  return value != nullptr ? *value : one;
}

std::string branch_pointer(const Node& sets, std::size_t k) {
  const bool labelled = &changes_of(sets, k) != &sets.items()[k].value;
  return fmt::format("/branches/set/{}{}", k, labelled ? "/value" : "");
}

// Names of the options of the document's protocol that a branch may change.
Names changeable(const Document& document) {
  const Outline& all = scenario_outline();
  Names names;
  const auto protocol = std::ranges::find(all.members, "protocol", &Outline::name);
  const Node* type = document.root.find("protocol");
  if (type != nullptr && type->is(Node::Kind::kObject)) type = type->find("type");
  for (const OutlineAlternative& one : protocol->alternatives) {
    if (type == nullptr || !type->is(Node::Kind::kText) || type->text != one.name) continue;
    for (const Outline& option : one.members)
      if (option.in_run) names.push_back(std::string(kProtocol) + option.name);
  }
  return names;
}

// Errors of options of the protocol, at the place where the branch sets them.
InputError written_in(const Node& set, const std::string& pointer, std::vector<std::string> lines) {
  for (const Node::Member& member : set.items()) {
    if (!member.key.starts_with(kProtocol)) continue;
    std::string option = ": /" + member.key;
    std::ranges::replace(option, '.', '/');
    for (std::string& line : lines)
      if (const std::size_t at = line.find(option); at != std::string::npos)
        line.replace(at, option.size(), ": " + pointer + pointer_step(member.key));
  }
  return InputError(std::move(lines));
}

// Whether agents are away from the start, by agents that join or leave: those whose first such event is a join.
std::map<sim::AgentId, bool> away_first(std::vector<const sim::TimelineEvent*> events) {
  std::ranges::stable_sort(events, {}, [](const auto* event) { return time_of(*event); });
  std::map<sim::AgentId, bool> away;
  for (const sim::TimelineEvent* event : events) {
    if (const auto* join = std::get_if<sim::JoinEvent>(event))
      for (const sim::AgentId i : join->agents) away.emplace(i, true);
    if (const auto* leave = std::get_if<sim::LeaveEvent>(event))
      for (const sim::AgentId i : leave->agents) away.emplace(i, false);
  }
  return away;
}

// A branch does not change who is there from the start.
void require_same_start(const Scenario& past, const BranchChanges& changes, const Document& document,
                        const Node& set, const std::string& pointer) {
  std::vector<const sim::TimelineEvent*> events;
  for (const auto& event : past.events) events.push_back(&event);
  const auto before = away_first(events);
  for (const auto& event : changes.events) events.push_back(&event);
  for (const auto& [i, away] : away_first(events)) {
    const auto was = before.find(i);
    if (away == (was != before.end() && was->second)) continue;
    document.fail(
        set.at, pointer + "/events",
        away ? fmt::format("agent {} joins, but has been there from the start: let it leave before", i)
             : fmt::format("agent {} leaves before it joins", i));
  }
}

}  // namespace

std::string Parting::text() const {
  return by_time() ? fmt::format("{} s", time) : fmt::format("iteration {}", iteration);
}

Parting BranchOptions::parting() const {
  if (const auto* by_time = std::get_if<PartingTime>(&at)) return {.time = by_time->time};
  return {.iteration = std::get<PartingIteration>(at).iterations};
}

void PartingTime::describe(sim::Visitor& v) {
  v(time,
    {.name = "time", .help = "Simulated time.", .unit = "s", .min = 0, .open_min = true, .required = true});
}

void PartingIteration::describe(sim::Visitor& v) {
  v(iterations, {.name = "iterations", .help = "Iterations of the protocol.", .min = 1, .required = true});
}

void BranchOptions::describe(sim::Visitor& v) {
  v.variant(at, {.name = "at",
                 .help = "When the branches part: a time, or a number of iterations.",
                 .unit = "s",
                 .required = true});
  v(noise, {.name = "noise", .help = "Random numbers of a branch from then on."});
  v(continuations,
    {.name = "continuations",
     .help = "How often each branch goes on from the same past, each time with other random numbers.",
     .min = 1,
     .max = 1e6});
}

std::shared_ptr<Scenario> branched(const Scenario& past, const Document& document, const Sweep& sweep,
                                   const SweepPoint& point, const Folders& folders,
                                   const NamesInScenario& names) {
  const BranchOptions& options = *sweep.branches();
  const Node& set = *setting_of(point, kBranchAxis);
  const std::string pointer = branch_pointer(sweep.branch_sets(), branch_number(sweep, point));
  if (!set.is(Node::Kind::kObject))
    document.fail(set.at, pointer, "expected an object with what changes, found " + found(set));
  for (const Node::Member& member : set.items())
    if (member.value.is(Node::Kind::kNull))
      document.fail(member.value.at, pointer + pointer_step(member.key),
                    "expected a value, found null: leave out what the branch does not change");
  const Parting parting = options.parting();
  if (parting.by_time() && past.stop.time && parting.time >= *past.stop.time)
    document.fail(sweep.parting_at(), "/branches/at",
                  fmt::format("expected a time before the end of the run ({:g} s), found {}", *past.stop.time,
                              parting.text()));
  if (!parting.by_time() && past.stop.iterations && parting.iteration >= *past.stop.iterations)
    document.fail(sweep.parting_at(), "/branches/at/iterations",
                  fmt::format("expected fewer iterations than those of the run ({}), found {}",
                              *past.stop.iterations, parting.iteration));
  Node others = set;
  Document changed = document;
  const Names keys = changeable(document);
  for (const Node::Member& member : set.items()) {
    if (!member.key.starts_with(kProtocol)) continue;
    if (std::ranges::find(keys, member.key) == keys.end())
      document.fail(member.value.key_at, pointer + pointer_step(member.key),
                    keys.empty() ? "no option of this protocol can change during a run"
                                 : unknown_key(member.key, keys, " of a branch"));
    changed.set(member.key, member.value);
    others.erase(member.key);
  }
  BranchChanges changes;
  read(document, others, changes, folders, pointer, {}, keys, names);
  auto branch = std::make_shared<Scenario>(past);
  if (others.items().size() < set.items().size()) {
    Scenario other;
    try {
      read(changed, changed.root, other, folders, {}, {}, {}, names);
    } catch (const InputError& error) {
      throw written_in(set, pointer, error.lines());
    }
    branch->protocol = other.protocol;
  }
  for (std::size_t k = 0; k < changes.events.size(); ++k) {
    if (!parting.by_time() || time_of(changes.events[k]) >= parting.time) continue;
    document.fail(set.find("events")->items()[k].value.at, fmt::format("{}/events/{}/at", pointer, k),
                  fmt::format("expected a time from that of the branch on ({}), found {:g} s", parting.text(),
                              time_of(changes.events[k])));
  }
  require_same_start(past, changes, document, set, pointer);
  const sim::LawChanges& laws = changes.laws;
  if (laws.latency || laws.loss || laws.bandwidth || laws.compute_time)
    branch->events.emplace_back(sim::SetEvent{parting.by_time() ? parting.time : kAtParting, laws, {}});
  std::ranges::copy(changes.events, std::back_inserter(branch->events));
  if (options.noise == LaterNoise::kFresh) {
    const Node* const number = setting_of(point, kContinuationAxis);
    branch->continuation = number == nullptr ? 1 : static_cast<std::uint32_t>(number->number);
  }
  return branch;
}

std::string branch_key(const std::string& past_key, Keys& keys, const Scenario& branch,
                       const BranchOptions& options) {
  const std::string key = keys.point(branch).point;
  if (branch.continuation == 0 && key == past_key) return past_key;
  return sha256(fmt::format("{}\nbranch at {} continuation {}\n{}", past_key, options.parting().text(),
                            branch.continuation, key));
}

void require_branches(const Scenario& past, const Plan& plan, const BranchOptions& options) {
  const auto refuse = [&](const char* where, const char* why) { throw InputError(plan.locate(where, why)); };
  if (!past.protocol->entry().snapshots)
    refuse("/protocol", "this protocol does not describe its state, without which its runs have no branches");
  if (!past.privacy.adversaries.empty())
    refuse("/privacy/adversaries",
           "what adversaries see is worked out for undisturbed runs: remove branches");
  if (past.splitting) refuse("/splitting", "splitting is of whole runs: remove branches");
  if (plan.selection && plan.selection->trials)
    refuse("/tune/trials",
           "trials have random numbers of their own, and branches those of their past: remove branches");
  if (past.repeat.antithetic() && options.noise == LaterNoise::kFresh)
    refuse("/repeat/antithetic", "fresh random numbers of branches are of no pair: set it to false");
}

Scenario parted_at(const PlannedPoint& point, sim::Time time) {
  Scenario branch = *point.scenario;
  for (std::size_t k = point.past->events.size(); k < branch.events.size(); ++k) {
    if (auto* set = std::get_if<sim::SetEvent>(&branch.events[k]); set != nullptr && set->at == kAtParting) {
      set->at = time;
    } else if (time_of(branch.events[k]) <= time) {
      throw sim::OptionError(fmt::format("/events/{}/at", k),
                             "expected a time after that of {} ({:g} s), found {:g} s", point.parting.text(),
                             time, time_of(branch.events[k]));
    }
  }
  return branch;
}

std::size_t branch_number(const Sweep& sweep, const SweepPoint& point) {
  const Node& sets = sweep.branch_sets();
  const Node& set = *setting_of(point, kBranchAxis);
  const std::string value = canonical(set);  // values of the command line have one position
  std::size_t k = 0;
  while (k + 1 < sets.items().size() &&
         (changes_of(sets, k).at != set.at || canonical(changes_of(sets, k)) != value))
    ++k;
  return k;
}

std::optional<BranchPlace> place_in_branch(const Plan& plan, const PlannedPoint& point,
                                           const std::string& where) {
  if (point.past == nullptr) return std::nullopt;
  const Node& set = changes_of(plan.branch_sets, point.branch);
  const std::string pointer = branch_pointer(plan.branch_sets, point.branch);
  for (const Node::Member& member : set.items()) {
    std::string option = member.key;
    std::ranges::replace(option, '.', '/');
    if (where == "/" + option) return BranchPlace{member.value.at, pointer + pointer_step(member.key)};
  }
  constexpr std::string_view kEvents = "/events";
  if (!where.starts_with(kEvents)) return std::nullopt;
  // Its own events are the last.
  std::size_t number = 0;
  const std::string_view rest = std::string_view(where).substr(std::min(kEvents.size() + 1, where.size()));
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc()) return BranchPlace{set.at, pointer};
  if (number < point.past->events.size()) return std::nullopt;
  const Node* const events = set.find("events");
  const std::size_t own = events == nullptr ? 0 : events->items().size();
  const std::size_t first = point.scenario->events.size() - own;
  if (number < first) return BranchPlace{set.at, pointer};
  return BranchPlace{events->items()[number - first].value.at,
                     fmt::format("{}{}/{}{}", pointer, kEvents, number - first,
                                 rest.substr(static_cast<std::size_t>(end - rest.data())))};
}

}  // namespace hearsay::scenarios
