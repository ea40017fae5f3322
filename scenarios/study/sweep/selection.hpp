#pragma once
// "select" in a sweep: one axis is tuned, and only its best value is reported.
//
//   "select": { "over": "privacy.steps", "minimise": "own_test_error", "on": "validation" }
//
// The whole sweep is first run on validation instances (data.instances = "validation": other data from the same
// distribution, or records withheld from training), as a study in DIR/selection/. For each combination of the other
// axes, the value with the best mean over repetitions of the metric at the end is selected; then the study is run with
// the selected values only. Its axes are the others; each of its points states the value selected for it. "on": "test" selects on the instances that are reported: such results are optimistically
// biased, and every output says so.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/store/stored_study.hpp"
#include "scenarios/language/json/document.hpp"

namespace hearsay::scenarios {

struct Selection {
  std::string over{};               ///< path of the axis
  std::vector<std::size_t> axes{};  ///< indices of the axes that vary: more than one in a zip
  std::string metric{};
  bool minimise = true;
  bool on_test = false;
  Position at{}, metric_at{};  ///< of "select" and of the metric

  /// "validation instances", or "the test data (optimistically biased)".
  std::string instances() const;
  /// What the manifest of a private study lists: the option chosen, by what. Nothing where the metric reads no exact
  /// private value.
  std::optional<std::string> exact_read() const;
  /// The labels of a point on the axes that do not vary.
  std::vector<std::string> group_of(const std::vector<std::string>& labels) const;
};

/// Reads "select" of a sweep with these axes; those of one group vary together. Throws InputError.
Selection read_selection(const Document& document, const Node& written,
                         const std::vector<std::vector<std::string>>& groups);

/// The selected point for one combination of the other axes.
struct Choice {
  std::vector<std::string> labels;  ///< of the point, by axis
  double value = 0;  ///< mean of the metric over repetitions; NaN if no candidate has a finite one
  std::size_t candidates = 0;
  /// The value of `over`, if it is the smallest or largest of three or more numbers, 0 being no edge from below.
  std::string at_edge{};
};

/// The best point of each combination of the other axes, in the order of the points; the first among equals. A point
/// with a missing, failed or diverged run is worse than any other. Throws std::invalid_argument if the study does not
/// record the metric.
std::vector<Choice> choose(const Selection& selection, analysis::StoredStudy& study);

/// What is suspicious, each a line that begins with "warning: ".
std::vector<std::string> warnings_of(const Selection& selection, const std::vector<Choice>& choices);

/// JSON, for the manifest.
std::string selection_json(const Selection& selection, const std::vector<Choice>& choices,
                           const std::vector<std::string>& axes);

}  // namespace hearsay::scenarios
