#pragma once
// The points of a study: every combination of the values that a scenario's "sweep" gives for its axes.
//
//   "sweep": {
//     "privacy.epsilon": [0.1, 1], "network.latency.max": {"from": "0 ms", "to": "60 ms", "step": "15 ms"},
//     "zip": [{"data.records": [1e4, 1e5], "protocol.rho": [1, 2]}],     axes that vary together
//     "where": "privacy.epsilon * data.records >= 1e4",                  only points that satisfy it
//     "select": {"over": "privacy.steps", "minimise": "own_test_error", "on": "validation"},
//                                                                        only the best value of an axis: selection.hpp
//     "random_numbers": "independent" }                                  default: "common"
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/language/json/document.hpp"
#include "scenarios/study/branches.hpp"
#include "scenarios/study/errors.hpp"
#include "scenarios/study/sweep/axis.hpp"
#include "scenarios/study/sweep/condition.hpp"
#include "scenarios/study/sweep/selection.hpp"

namespace hearsay::scenarios {

struct SweepPoint {
  std::vector<std::string> labels;  ///< by axis
  std::vector<double> numbers;      ///< by axis, in SI; NaN for values that are not numbers
  std::vector<std::pair<std::string, Node>> settings;  ///< dotted path and value
};

class Sweep {
 public:
  /// Removes "sweep", "branches" and "tune" from the document: what is tuned are its last axes. `sets` are "path=value" of the
  /// command line, already applied: an axis that one of them sets keeps only that value; "sweep.PATH=..." sets the axis
  /// itself. Throws InputError, also for a set option that an axis would overwrite, for a point that is listed twice, and
  /// for two axes that set the same option.
  Sweep(Document& document, std::span<const std::string> sets);

  std::vector<std::string> axes() const;
  SweptAxes swept() const;
  bool independent() const { return independent_; }
  const std::optional<Selection>& selection() const { return selection_; }
  /// "branches", whose changes are the axis kBranchAxis; `branch_sets()`: as they are written.
  const std::optional<BranchOptions>& branches() const { return branches_; }
  const Node& branch_sets() const { return branch_sets_; }
  Position parting_at() const { return parting_at_; }  ///< of "at" of the branches

  /// Number of combinations of values, of which a condition can leave fewer points.
  double combinations() const;
  /// By tuned axis, in the order of the selection's: whether a point without tuned options does not have this one.
  using Absent = std::function<std::vector<bool>(const SweepPoint& untuned)>;
  /// The points, the first axis varying slowest; one without labels if nothing is swept. `only` is another condition.
  /// A point has no value of an option that is absent there, and occurs once. Throws InputError, or RefusedError if there
  /// are more than `max_points`, or more than 1e7 combinations to test a condition, or for absent options, on.
  std::vector<SweepPoint> points(const std::string& only, double max_points, const Absent& absent = {}) const;

 private:
  using Group = std::vector<Axis>;  // axes that vary together
  void read(const Document& document, const Node& written);
  void read_tune(const Document& document, const Node& written);
  void read_branches(const Document& document, const Node& written);
  void read_zip(const Document& document, const Node& zip);
  void add_group(const Document& document, Group group, const Node& written, const std::string& pointer);
  std::vector<const Axis*> all() const;
  std::vector<Condition> conditions(const std::string& only) const;

  std::vector<Group> groups_;
  std::string where_, where_place_;
  bool independent_ = false;
  std::optional<Selection> selection_;
  std::optional<BranchOptions> branches_;
  Node branch_sets_;
  Position parting_at_;
};

/// The document of one point. Shorter paths are set first, and of equally long ones "type", which clears its object.
Document at_point(const Document& document, const SweepPoint& point);

}  // namespace hearsay::scenarios
