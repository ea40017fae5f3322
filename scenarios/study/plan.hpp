#pragma once
// A scenario file, read: the options of its points and their keys.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/store/store.hpp"
#include "analysis/store/stored_study.hpp"
#include "scenarios/language/input_error.hpp"
#include "scenarios/language/input_path.hpp"
#include "scenarios/language/json/document.hpp"
#include "scenarios/study/parting.hpp"
#include "scenarios/study/sweep/axis.hpp"
#include "scenarios/study/sweep/selection.hpp"
#include "sim/check.hpp"

namespace hearsay::scenarios {

struct Outline;
struct Scenario;
struct UntilPrecise;

/// One point, read.
struct PlannedPoint {
  std::shared_ptr<const Scenario> scenario;
  std::uint32_t repeat = 1;  ///< its repetitions
  /// Of a branch, the run that it goes on from where they part, and the key of that; null: it is none.
  std::shared_ptr<const Scenario> past{};
  std::string past_key{};
  Parting parting{};
  std::size_t branch = 0;  ///< its number in Plan::branch_sets
  std::vector<std::string> labels;
  std::vector<std::string> tuned{};  ///< labels of the tuned options
  std::vector<double> numbers{};     ///< values of the axes, in SI; NaN for values that are not numbers
  std::string key{}, problem_key{};  ///< equal problem keys: the same data and model
};

struct PlanOptions {
  std::string points{};  ///< --points: a condition on the points
  double max_runs = std::numeric_limits<double>::infinity();
  static constexpr double kMaxRuns = 1e6, kMaxPoints = 1e5;  ///< unless --max-runs allows more
  /// Of a sweep.
  double max_points() const { return max_runs > kMaxRuns ? max_runs : std::min(max_runs, kMaxPoints); }
  bool validation = false;  ///< plan the study that "select" selects on, with validation instances
  /// Labels of the points that were selected; the others are omitted. Empty: all points.
  std::set<std::vector<std::string>> chosen{};
  /// Of each point, what repeat.until or tune.budget has come to. Empty: those of its first look.
  std::vector<std::uint32_t> repetitions{};
};

/// With the axes of its sweep; of the tuned options it has only `shown`, after the others.
struct Plan : SweptAxes {
  std::string file;
  Document document;  ///< without "sweep", "branches" and "tune"
  Node written;       ///< the root with these
  /// Options that "select" tunes. They are no axes of the study that is reported, in which each point has the value that
  /// was selected for it; of the study that is selected on they are.
  std::vector<std::string> tuned{};
  std::vector<PlannedPoint> points{};
  std::map<std::string, std::string>
      notes{};  ///< by JSON pointer: how an option is written that may be meant otherwise, or what results are of
  std::optional<Selection> selection{};
  /// By criterion of repeat.until and point: the point that it is compared with; itself where it is with none.
  std::vector<std::vector<std::uint32_t>> references{};
  Node branch_sets{};       ///< what each branch changes, as it is written
  bool candidates = false;  ///< the study that "select" selects on
  std::string record_key{};
  std::string resolved{};  ///< JSON: all options of the first point, and "sweep" as written
  /// What the study can be planned from again: the scenario as it was merged, the condition on its points, the folders
  /// of its files, and which of these has a file that is not searched for in the first one first.
  std::map<std::string, std::string> origin{};

  std::uint64_t runs() const;
  /// The most that repeat.until or tune.budget can make of them.
  std::uint64_t most_runs() const;
  /// Null where the repetitions are given; a selection is made at their first look.
  const UntilPrecise* until() const;
  /// The first point with a mechanism other than none; null: there is none.
  const Scenario* private_point() const;
  /// A message with the position of the option at a JSON pointer, or of the closest part around it that is given.
  std::string locate(const std::string& pointer, const std::string& message) const;
  /// The error with its position and its point in the text; as it is without a place and a point.
  sim::Error located(const sim::Error& error) const;
  /// "point 3: privacy.epsilon=1, ..."; empty if nothing is swept.
  std::string name_of(std::size_t point) const;
  analysis::StudyPlan study() const;
};

/// Reads a scenario and every point of its sweep. A selection over one of its axes is left to the caller: see
/// PlanOptions. Throws InputError, RefusedError.
Plan make_plan(const std::string& file, const std::vector<std::string>& sets, const Folders& folders,
               const PlanOptions& options = {});

/// The outline of all options of a scenario.
const Outline& scenario_outline();

/// Plans a scenario that is given as text; `name` replaces its file in messages.
Plan make_plan_of_text(const std::string& text, const std::string& name);

/// Plans the study of a store again, from the origin stored there. Its input files are read in `folders`, and in those
/// that the store names if they lie below these or the current folder: a store may be from elsewhere, and must not
/// decide what is read. Throws UnreadFolders if this is not enough, OutputError if it is impossible or input files have
/// changed since.
Plan make_plan_again(analysis::StoredStudy& study, const Folders& folders);

/// Folders that a store names for its input files and that may not be read.
struct UnreadFolders : InputError {
  UnreadFolders(const std::string& reason, const Names& refused);
  Names folders;
};

}  // namespace hearsay::scenarios
