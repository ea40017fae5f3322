#pragma once
// The rows of quantiles.csv: the spread of a point's repetitions at each sample.
//
//   axes..., metric, agent, iteration, time_s, runs, mean, min, q25, median, q75, max
//
// Repetitions are grouped where they have samples at equal iterations (time_s is empty); if samples are at equal
// times, at every time at which any of them has a sample, each with its last value at that time (iteration is
// empty). `runs` is the number of repetitions; quantiles interpolate linearly between order statistics.
#include <string>
#include <vector>

#include "analysis/results/study.hpp"
#include "analysis/results/tables/output_file.hpp"

namespace hearsay::analysis {

inline constexpr const char* kQuantileColumns =
    "metric,agent,iteration,time_s,runs,mean,min,q25,median,q75,max";

/// Writes the rows of one point; each begins with `prefix`.
void write_quantiles(OutputFile& file, const StudyHead& study, const SeriesLayout& layout,
                     const std::string& prefix, const std::vector<Series>& runs);

}  // namespace hearsay::analysis
