#pragma once
// The "analysis" of a scenario: conclusions to draw from its points.
//
//   "analysis": { "slopes": [{"over": "privacy.epsilon", "where": "privacy.epsilon >= 1"}],
//                 "bounds": [{"type": "cost_of_privacy_11", "c1": 0}], "gains": ["relative_fitness"] }
#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/baselines.hpp"
#include "analysis/theory/central_bounds.hpp"
#include "sim/options/describe.hpp"

namespace hearsay::analysis {

/// d log(mean of `of`) / d log(`over`), for each combination of the other axes.
struct SlopeOptions {
  std::string of = "relative_fitness";
  std::string over;
  std::string where;  ///< condition on the axes; all points if empty
  void describe(sim::Visitor& v);
};

/// A row of the table of bounds.
struct BoundChoice {
  std::size_t index = 0;
  const Bound& operator*() const { return bounds()[index]; }
  const Bound* operator->() const { return &bounds()[index]; }
  void describe_as(sim::Visitor& v, const sim::About& about);
};

/// A bound that measured means are compared with; constants that are not given are fitted to the means.
struct BoundOptions {
  BoundChoice type;
  std::string of = "relative_fitness";
  std::optional<double> c1, c2;
  bool dimension = false;  ///< with the factor p that the proofs omit
  std::string where;
  void describe(sim::Visitor& v);
};

/// The "analysis" of a scenario.
struct ConclusionOptions {
  std::vector<SlopeOptions> slopes;
  std::vector<BoundOptions> bounds;
  std::vector<ComparedMetric> gains;
  double confidence = 0.95;
  bool control_variates = false;
  void describe(sim::Visitor& v);
  bool any() const { return !slopes.empty() || !bounds.empty() || !gains.empty(); }
};

}  // namespace hearsay::analysis
