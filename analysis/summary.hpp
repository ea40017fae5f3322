#pragma once
// Statistics over the repetitions of a point, and the table that a run ends with.
#include <string>
#include <vector>

#include "analysis/study.hpp"

namespace hearsay::analysis {

/// The p-quantile of numbers, between order statistics by linear interpolation (Hyndman and Fan's type 7).
/// NaN of none.
double quantile(std::vector<double> numbers, double p);

/// One row a point: median and quartiles over repetitions of each metric at the end, the baselines below.
std::string summary_table(const StudyResult& study);

/// Rows of cells, the first the header, as aligned columns; numbers to the right.
std::string align(const std::vector<std::vector<std::string>>& rows);

}  // namespace hearsay::analysis
