#pragma once
// quantiles.csv: how the repetitions of a point are spread at each record.
//
//   axes..., metric, agent, iteration, time_s, runs, mean, least, q25, median, q75, greatest
//
// Repetitions are put together where they stand at equal iterations (time_s is left empty); looked at at equal
// times, at every time that any of them was looked at, each with the last value it had then (iteration is left
// empty). `runs` is how many there are; quantiles lie between order statistics by linear interpolation.
#include <filesystem>
#include <vector>

#include "analysis/results/output_file.hpp"
#include "analysis/results/study.hpp"

namespace hearsay::analysis {

class QuantileTable {
 public:
  /// `study` must outlive it.
  QuantileTable(const StudyHead& study, const std::filesystem::path& path);
  /// Begins a point; its runs follow. Those of one point are held at a time.
  void add(const PointResult& point);
  /// Runs that are not done do not count.
  void add(const RunResult& run);
  void commit();

 private:
  void end_point();

  const StudyHead& study_;
  OutputFile file_;
  PointResult point_;
  std::vector<Series> runs_;
};

}  // namespace hearsay::analysis
