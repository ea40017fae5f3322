#pragma once
// The branches of the points of a plan.
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "scenarios/language/agent_names.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"
#include "sim/time.hpp"

namespace hearsay::scenarios {

class Keys;
class Sweep;
struct BranchOptions;
struct Plan;
struct PlannedPoint;
struct Scenario;
struct SweepPoint;

/// What a run of `past`, read from the document `at` of a point, goes on with. Throws InputError as branch_of().
std::shared_ptr<Scenario> branched(const Scenario& past, const Document& at, const Sweep& sweep,
                                   const SweepPoint& point, const Folders& folders,
                                   const NamesInScenario& names);

/// The key of a branch of the point of that key: one that changes nothing is the undisturbed run.
std::string branch_key(const std::string& past_key, Keys& keys, const Scenario& branch,
                       const BranchOptions& options);

/// Throws InputError for what branches do not go with.
void require_branches(const Scenario& past, const Plan& plan, const BranchOptions& options);

/// A point's scenario, given that its branches have parted at a time (s) by an iteration. Throws OptionError for events of
/// the branch that are not later.
Scenario parted_at(const PlannedPoint& point, sim::Time time);

/// The number of the branch among those of the sweep.
std::size_t branch_number(const Sweep& sweep, const SweepPoint& point);

struct BranchPlace {
  Position at;
  std::string pointer;
};
/// Where a point's branch says what is at `where` in its scenario; nothing: it does not.
std::optional<BranchPlace> place_in_branch(const Plan& plan, const PlannedPoint& point,
                                           const std::string& where);

}  // namespace hearsay::scenarios
