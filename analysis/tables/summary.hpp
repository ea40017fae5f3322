#pragma once
// The metrics of a point at the end of its runs, and the table that a study ends with.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/store/study.hpp"

namespace hearsay::analysis {

/// The p-quantile of numbers, interpolated linearly between order statistics (Hyndman and Fan's type 7). NaN if there
/// are none.
double quantile(std::vector<double> numbers, double p);

/// Of repetitions; NaN of none.
struct Quartiles {
  double low = 0, median = 0, high = 0;
};
/// The quartiles of the numbers without NaN; infinite ones are values like others.
Quartiles quartiles(std::vector<double> numbers);

/// Half the width of Student's confidence interval of an estimate whose standard deviation has been estimated with
/// `freedom` degrees of freedom.
double student_half_width(double confidence, double freedom, double deviation);

/// The means of antithetic pairs, that is of repetitions 2k and 2k + 1; `values`: by repetition. NaN where one of the two is
/// missing.
std::vector<double> pair_means(const std::vector<double>& values);
/// The values themselves, or the means of their pairs.
std::vector<double> independent_values(const std::vector<double>& values, bool antithetic);

/// Quartiles, and the mean with Student's 95 % interval. NaN of no number; one number, or a mean that is infinite, has no
/// interval either.
struct Statistics : Quartiles {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double mean = kNone, mean_low = kNone, mean_high = kNone;
};
/// Of the numbers without NaN. `antithetic`: they are by repetition, and the mean is that of pairs with a finite one.
Statistics statistics_of(std::vector<double> numbers, bool antithetic = false);

/// A point as tables and figures show it.
struct PointSummary {
  std::vector<std::string> labels{}, tuned{};
  std::size_t runs = 0;              ///< that were done
  std::vector<Statistics> finals{};  ///< by metric, at the end of the runs; per-agent metrics: of their mean
  /// Name; by metric the median over what the point and its runs have of it, NaN where there is none.
  std::vector<std::pair<std::string, std::vector<double>>> baselines{};
  std::vector<std::pair<std::string, std::vector<double>>> baseline_means{};  ///< the same of means
};

/// Collects the runs of one point, in the order of repetitions.
class PointCollector {
 public:
  PointCollector(const StudyHead& study, const PointResult& point);
  void add(const RunResult& run);
  PointSummary summary() const;

 private:
  void add_baselines(const std::vector<Scalar>& scalars);

  const StudyHead& study_;
  const PointResult& point_;
  std::size_t runs_ = 0;  // that were done
  std::vector<std::vector<double>>
      finals_;  // by metric, one per run that was done; of antithetic pairs by repetition
  std::vector<std::pair<std::string, double>>
      baselines_;  // of the point, and of each run with its own problem
};

/// One row per point: the axes that distinguish points, the values selected for it, median and quartiles of each metric, the baselines below; above
/// it the axes of one value. At most `most` points. `width` as for align().
std::string summary_text(const StudyHead& study, const std::vector<PointSummary>& points,
                         std::size_t width = 0, std::size_t most = 200);

/// By axis: whether it distinguishes points that the axes before it in its group do not; the `taken` axes of the
/// group come first. True for a taken axis, and for the first axis of a group of which none is taken. (Of axes that
/// vary together the first often identifies the others: showing all of them repeats the same information.) `groups`:
/// equal for axes that vary together, which are adjacent; if it is empty each axis is independent. `labels`: by
/// point and axis. O(points axes log points).
std::vector<bool> distinguishing_axes(const std::vector<std::vector<std::string>>& labels,
                                      const std::vector<std::size_t>& groups, std::size_t axes,
                                      const std::vector<std::size_t>& taken = {});

/// "relative_fitness", with its unit.
std::string title_of(const MetricInfo& metric);

/// The title of a column with the values of a tuned option.
std::string selected_title(const std::string& option);

/// Those texts for which `wanted` is true.
std::vector<std::string> selected(const std::vector<std::string>& texts, const std::vector<bool>& wanted);

/// A number to 4 significant digits; "-" for NaN.
std::string rounded(double x);
/// "[low, high]"; "-" if `low` is NaN.
std::string interval_text(double low, double high);

/// Rows of cells, the first the header, as aligned columns; numbers to the right. A cell shows at most 200 characters,
/// escaped as sim::printable() does. A table of more than `width`
/// characters is divided into several below each other, each with the first `fixed` columns, whose cells are shortened
/// if they leave no space; 0: any width.
std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t width = 0,
                  std::size_t fixed = 1);

}  // namespace hearsay::analysis
