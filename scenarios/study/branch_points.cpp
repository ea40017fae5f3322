#include "scenarios/study/branch_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "scenarios/language/input_error.hpp"
#include "scenarios/language/reference/outline.hpp"
#include "scenarios/study/branches.hpp"
#include "scenarios/study/keys.hpp"
#include "scenarios/study/plan.hpp"
#include "scenarios/study/scenario.hpp"
#include "scenarios/study/sweep/sweep.hpp"

namespace hearsay::scenarios {

namespace {

// What a point has on an axis; null: the sweep has no such axis.
const Node* written_in(const SweepPoint& point, std::string_view axis) {
  const auto found = std::ranges::find(point.settings, axis, &std::pair<std::string, Node>::first);
  return found == point.settings.end() ? nullptr : &found->second;
}

}  // namespace

std::shared_ptr<Scenario> branched(const Scenario& past, const Document& at, const Sweep& sweep,
                                   const SweepPoint& point, const Folders& folders,
                                   const NamesInScenario& names) {
  static const Outline all = scenario_outline();
  const BranchOptions& options = *sweep.branches();
  auto branch = std::make_shared<Scenario>(branch_of(past, at, options, *written_in(point, kBranchAxis),
                                                     sweep.branch_sets(), folders, all, names));
  if (options.noise == LaterNoise::kFresh) {
    const Node* const number = written_in(point, kContinuationAxis);
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
  if (plan.selection && (plan.selection->repetitions || plan.selection->trials))
    refuse(plan.selection->trials ? "/tune/trials" : "/tune/repetitions",
           "these runs have random numbers of their own, and branches those of their past: remove branches");
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
  return number_of(*written_in(point, kBranchAxis), sweep.branch_sets());
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
