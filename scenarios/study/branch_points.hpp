#pragma once
// The branches of the points of a plan.
#include <functional>
#include <memory>
#include <string>

#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

class Keys;
class Sweep;
struct BranchOptions;
struct Plan;
struct Scenario;
struct SweepPoint;

/// What a run of `past`, read from the document `at` of a point, goes on with. Throws InputError as branch_of().
std::shared_ptr<Scenario> branched(const Scenario& past, const Document& at, const Sweep& sweep,
                                   const SweepPoint& point, const Folders& folders);

/// The key of a branch of the point of that key: one that changes nothing is the undisturbed run.
std::string branch_key(const std::string& past_key, Keys& keys, const Scenario& branch,
                       const BranchOptions& options);

/// Throws InputError for what branches do not go with.
void require_branches(const Scenario& past, const Plan& plan, const BranchOptions& options);

/// Calls f, whose errors about events are those of the point's branch. Throws InputError for these.
void in_branch(const Plan& plan, const Sweep& sweep, const SweepPoint& point, const std::function<void()>& f);

}  // namespace hearsay::scenarios
