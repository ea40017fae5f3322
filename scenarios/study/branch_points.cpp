#include "scenarios/study/branch_points.hpp"

#include <fmt/format.h>

#include <algorithm>
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
                                   const SweepPoint& point, const Folders& folders) {
  static const Outline all = scenario_outline();
  const BranchOptions& options = *sweep.branches();
  auto branch = std::make_shared<Scenario>(
      branch_of(past, at, options, *written_in(point, kBranchAxis), sweep.branch_sets(), folders, all));
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
  return sha256(
      fmt::format("{}\nbranch at {} continuation {}\n{}", past_key, options.at, branch.continuation, key));
}

void require_branches(const Scenario& past, const Plan& plan, const BranchOptions& options) {
  const auto refuse = [&](const char* where, const char* why) { throw InputError(plan.locate(where, why)); };
  if (!past.protocol->entry().snapshots)
    refuse("/protocol", "this protocol does not describe its state, without which its runs have no branches");
  if (!past.privacy.adversaries.empty())
    refuse("/privacy/adversaries",
           "what adversaries see is worked out for undisturbed runs: remove branches");
  if (past.splitting) refuse("/splitting", "splitting is of whole runs: remove branches");
  if (past.repeat.antithetic() && options.noise == LaterNoise::kFresh)
    refuse("/repeat/antithetic", "fresh random numbers of branches are of no pair: set it to false");
}

void in_branch(const Plan& plan, const Sweep& sweep, const SweepPoint& point,
               const std::function<void()>& f) {
  try {
    f();
  } catch (const sim::Error& error) {
    if (!error.where.starts_with("/events")) throw;
    const Node& set = *written_in(point, kBranchAxis);
    plan.document.fail(set.at, branch_pointer(set, sweep.branch_sets()), error.what());
  }
}

}  // namespace hearsay::scenarios
