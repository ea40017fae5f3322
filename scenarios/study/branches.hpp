#pragma once
// What-if from a common past:
//
//   "branches": {"at": "60 s", "set": [{}, {"network.latency": "1 s"}, {"events": [...]}, {"protocol.step": 0.1}]}
//
// Every run is made once until `at`, a time or {"iterations": 500}; from there each branch goes on with its changes. The
// branch is an axis of the study, "branch", and so is, where there are several, the continuation, "continuation".
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "scenarios/language/agent_names.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"
#include "scenarios/study/parting.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

class Keys;
class Sweep;
struct Plan;
struct PlannedPoint;
struct SweepPoint;

/// Random numbers of a branch from its time on.
enum class LaterNoise { kCommon, kFresh };
constexpr auto choices_of(LaterNoise) {
  return std::to_array<sim::Choice>(
      {{"common", "those of the undisturbed run: branches draw the same for what they have in common"},
       {"fresh", "others than those of the undisturbed run, the same for all branches"}});
}

struct PartingTime {
  static constexpr std::string_view kName = "time";
  static constexpr std::string_view kHelp = "Before the first event at a time.";
  static constexpr sim::Shorthand kShorthand{"time", sim::Shorthand::kNumber};
  sim::Time time = 0;  ///< s
  void describe(sim::Visitor& v);
};
struct PartingIteration {
  static constexpr std::string_view kName = "iteration";
  static constexpr std::string_view kHelp = "After the event that completes so many iterations.";
  static constexpr sim::Shorthand kShorthand{"iterations", sim::Shorthand::kNone};
  std::uint64_t iterations = 1;
  void describe(sim::Visitor& v);
};

struct BranchOptions {
  std::variant<PartingTime, PartingIteration> at;
  LaterNoise noise = LaterNoise::kCommon;
  std::uint32_t continuations = 1;
  void describe(sim::Visitor& v);
  Parting parting() const;
};

inline constexpr const char* kBranchAxis = "branch";
inline constexpr const char* kContinuationAxis = "continuation";

/// What a run of `past`, read from the document of a point, goes on with. `names`: of agents. Throws InputError for what a
/// branch cannot change, events before its time, and agents that join without having left.
std::shared_ptr<Scenario> branched(const Scenario& past, const Document& document, const Sweep& sweep,
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
