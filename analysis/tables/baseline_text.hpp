#pragma once
// What the values of baselines measure, in words.
#include <string>
#include <vector>

#include "analysis/tables/summary.hpp"

namespace hearsay::analysis {

/// "test_error: on the data of all owners; own_test_error: on the owner's own test records".
std::string measured_on(const std::vector<std::string>& metrics);

/// A line for each baseline of the point, about those metrics that it has a value of.
std::vector<std::string> baseline_lines(const StudyHead& study, const PointSummary& point);

}  // namespace hearsay::analysis
