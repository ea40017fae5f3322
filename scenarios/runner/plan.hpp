#pragma once
// A scenario file, read: its points as plain options, and what identifies them.
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/results/stored_study.hpp"
#include "scenarios/language/reader.hpp"
#include "scenarios/runner/experiment.hpp"
#include "scenarios/runner/scenario.hpp"
#include "scenarios/runner/sweep/selection.hpp"

namespace hearsay::scenarios {

/// One point, read.
struct PlannedPoint {
  Scenario scenario;
  std::vector<std::string> labels;
  std::vector<double> numbers{};     ///< values of the axes, in SI; NaN of what is no number
  std::string key{}, problem_key{};  ///< equal problem keys: the same data and model
};

struct PlanOptions {
  std::string points{};  ///< --points: a condition on the points
  double max_runs = std::numeric_limits<double>::infinity();
  bool validation =
      false;  ///< plan the study that "select" chooses on, with validation instances of the data
  /// Labels of the points that a selection has chosen: the others are left out. Empty: all points.
  std::set<std::vector<std::string>> chosen{};
};

struct Plan {
  std::string file;
  Document document;  ///< without "sweep"
  std::vector<std::string> axes{};
  std::vector<std::size_t> groups{};  ///< by axis; equal for axes that move together
  std::vector<bool> numeric{};        ///< by axis: whether all its values are numbers
  std::vector<PlannedPoint> points{};
  std::optional<Selection> selection{};
  std::string record_key{};
  nlohmann::ordered_json
      resolved{};  ///< of the scenario before the sweep, all options, and "sweep" as written
  /// By which the study can be planned again: the scenario as it was merged, the condition on its points, and
  /// the folders that files are looked for in.
  std::map<std::string, std::string> origin{};

  std::uint64_t runs() const;
  /// A message of assembly, located at the part of the scenario that it is about.
  std::string locate(const AssemblyError& error) const;
  analysis::StudyPlan study() const;
};

/// Reads a scenario and every point of its sweep; where one of its axes is to be selected over, that is left
/// to the caller: see PlanOptions. Throws InputError, RefusedError.
Plan make_plan(const std::string& file, const std::vector<std::string>& sets, const ReadOptions& read,
               const PlanOptions& options = {});

/// Plans a scenario that is given as text; `name` stands for its file in messages.
Plan make_plan_of_text(const std::string& text, const std::string& name);

/// Plans the study of a store again, from the origin that is kept there. Throws OutputError if it can not be,
/// or if input files have changed since.
Plan make_plan_again(analysis::StoredStudy& study);

/// A Node as plain JSON.
nlohmann::ordered_json to_json(const Node& node);

}  // namespace hearsay::scenarios
