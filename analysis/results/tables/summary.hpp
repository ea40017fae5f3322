#pragma once
// Quantiles, and the table that a study ends with.
#include <string>
#include <vector>

#include "analysis/results/study.hpp"

namespace hearsay::analysis {

/// The p-quantile of numbers, interpolated linearly between order statistics (Hyndman and Fan's type 7). NaN
/// if there are none.
double quantile(std::vector<double> numbers, double p);

/// One row per point: the axes that distinguish points, median and quartiles over repetitions of each metric at
/// the end, the baselines below. Runs are added in the order of their points; only those of one point are
/// held at a time.
class Summary {
 public:
  explicit Summary(const StudyHead& study);
  /// Begins a point; its runs follow.
  void add(const PointResult& point);
  void add(const PointResult& point, const RunResult& run);
  /// The table, with at most `most` points.
  std::string text(std::size_t most = 200);

 private:
  void end_point();
  void add_baselines(const std::vector<Scalar>& scalars);

  const StudyHead& study_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<std::vector<std::string>> labels_;  // of each point
  PointResult point_;
  std::vector<std::vector<double>> finals_;                // by metric, one per run that was done
  std::vector<std::pair<std::string, double>> baselines_;  // of the point, and of each run's own problem
  std::size_t done_ = 0, points_ = 0;
  std::vector<std::size_t> first_row_;  // of each point
  bool open_ = false;
};

/// A number to 4 significant digits; "-" for NaN.
std::string rounded(double x);
/// "[low, high]"; "-" if `low` is NaN.
std::string interval_text(double low, double high);

/// Rows of cells, the first the header, as aligned columns; numbers to the right.
std::string align(const std::vector<std::vector<std::string>>& rows);

}  // namespace hearsay::analysis
