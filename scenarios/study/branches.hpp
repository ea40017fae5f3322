#pragma once
// What-if from a common past:
//
//   "branches": {"at": "60 s", "set": [{}, {"network.latency": "1 s"}, {"events": [...]}, {"protocol.step": 0.1}]}
//
// Every run is made once until `at`, a time or {"iterations": 500}; from there each branch goes on with its changes. The
// branch is an axis of the study, "branch", and so is, where there are several, the continuation, "continuation".
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/language/agent_names.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"
#include "scenarios/study/parting.hpp"
#include "scenarios/study/scenario.hpp"

namespace hearsay::scenarios {

struct Outline;

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

/// What a branch changes, but for options of the protocol.
struct BranchChanges {
  sim::LawChanges laws;
  std::vector<sim::TimelineEvent> events;
  void describe(sim::Visitor& v);
};

inline constexpr const char* kBranchAxis = "branch";
inline constexpr const char* kContinuationAxis = "continuation";

/// What a run of `past`, read from `document`, goes on with, given the changes of its branch: `set`, an element of `sets`.
/// `all`: the outline of scenarios; `names`: of agents. Throws InputError for what a branch cannot change, events before its time, and
/// agents that join without having left.
Scenario branch_of(const Scenario& past, const Document& document, const BranchOptions& options,
                   const Node& set, const Node& sets, const Folders& folders, const Outline& all,
                   const NamesInScenario& names);

/// The number of an element of `sets`, given the value of its axis.
std::size_t number_of(const Node& set, const Node& sets);
/// What element k of `sets` changes, and its JSON pointer: an element may be a value with a label.
const Node& changes_of(const Node& sets, std::size_t k);
std::string branch_pointer(const Node& sets, std::size_t k);

}  // namespace hearsay::scenarios
