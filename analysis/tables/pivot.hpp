#pragma once
// Points of a study by the values of some of its axes, and a table with some of them as rows and others as columns.
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace hearsay::analysis {

/// By point and axis.
using PointLabels = std::vector<std::vector<std::string>>;
/// Whether a point with these labels, as they are shown, is wanted.
using PointFilter = std::function<bool(const std::vector<std::string>& labels)>;

/// The axes of more than one value that distinguish points besides the `taken` and each other (distinguishing_axes).
/// Without such axes, the values of the taken axes identify a point.
std::vector<std::size_t> other_axes(const PointLabels& labels, const std::vector<std::size_t>& groups,
                                    std::size_t axes, const std::vector<std::size_t>& taken);

/// The different combinations of the values of some axes, in the order of points; of no axes one, which is empty.
struct Combinations {
  PointLabels values{};                 ///< by combination and axis
  std::vector<std::size_t> of_point{};  ///< the combination of each point
};
Combinations combinations(const PointLabels& labels, const std::vector<std::size_t>& axes);

struct PivotCell {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double centre = kNone;             ///< NaN: the cell has no value
  double low = kNone, high = kNone;  ///< of the interval around it, if there is one
  bool best = false;                 ///< printed in bold
};

enum class PivotFormat { kCsv, kLatex, kMarkdown };

struct PivotTable {
  std::vector<std::string> row_axes{}, column_axes{};
  PointLabels rows{}, columns{};
  std::vector<std::vector<PivotCell>> cells{};  ///< by row and column
  /// Intervals are printed as half their width: "1 +- 0.2" (one sign), not "1 [0.8, 1.2]".
  bool symmetric = false;
  std::vector<std::string> notes{};  ///< below the table; CSV has none

  /// CSV: the centres alone, with all digits. LaTeX needs the package booktabs. Names and labels are escaped.
  std::string text(PivotFormat format) const;
};

}  // namespace hearsay::analysis
