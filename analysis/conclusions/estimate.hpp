#pragma once
// Numbers estimated from the means of several points over their repetitions, with confidence intervals.
// `confidence` is their level, in (0, 1).
#include <Eigen/Core>
#include <functional>
#include <limits>
#include <vector>

namespace hearsay::analysis {

/// The value of an estimate that cannot be made.
inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// An estimate with its confidence interval; NaN where there is none.
struct Estimate {
  double value = kNone, low = kNone, high = kNone;
};

/// The least-squares line log y = a + slope log x over the pairs of two positive finite numbers.
struct LogLogLine {
  double slope = kNone;      ///< NaN unless two of the pairs have different x
  double departure = kNone;  ///< largest factor (at least 1) between a y and the line
  std::size_t pairs = 0;     ///< that the line is of
};
LogLogLine log_log_line(const std::vector<double>& x, const std::vector<double>& y);

/// Whether the constants of these columns can be determined: rank of the columns at length 1, to a tolerance.
bool identifiable(const Eigen::MatrixXd& terms, double tolerance = 1e-5);

/// Constants c >= 0 that minimise sum_k ((known + terms c)_k/y_k - 1)^2: non-negative least squares of
/// relative errors, by trying every set of columns (at most 8). terms: points x columns; known: points. Rows
/// that are not finite or whose y is not positive are left out; NaN if no row is left, or if several constants are not
/// identifiable from the rows over y, to 1e-9: rounding would choose one of the many that fit equally well.
Eigen::VectorXd fit_constants(const Eigen::MatrixXd& terms, const Eigen::VectorXd& known,
                              const std::vector<double>& y);

/// Estimates of a function of the means of several points. values[k][r]: point k, repetition r, which may be
/// drawn together with repetition r of the other points; NaN where a run is missing. For each number that
/// `statistic` returns: its value at the means over all repetitions, and the interval of the jackknife that deletes
/// one repetition, value +- t(m - 1) sqrt((R - 1)/R sum_r (value_(r) - mean)^2), where point k has m_k finite values, R
/// is the largest m_k and m the smallest above 0. In value_(r) the mean of point k changes by sqrt((1 - 1/m_k)/(1 - 1/R))
/// times what leaving out its repetition r changes: then a linear statistic of independent points with gradient g_k has
/// the variance sum_k g_k^2 s_k^2/m_k, and what points have in common cancels as far as they have the same repetitions.
/// No interval if m < 2. Cost: at most one call more than repetitions.
std::vector<Estimate> jackknife(
    const std::vector<std::vector<double>>& values, double confidence,
    const std::function<std::vector<double>(const std::vector<double>&)>& statistic);

/// m - 1, the degrees of freedom of these intervals; 0 without a value.
double jackknife_freedom(const std::vector<std::vector<double>>& values);

/// Student's interval of the mean of finite numbers.
Estimate mean_with_interval(const std::vector<double>& numbers, double confidence);

/// A mean with less variance by control variates: by regression, y_r = mu + sum_j b_j c_rj + error, on q quantities with
/// E c_j = 0. Student's interval with n - q - 1 degrees of freedom is exact where (y, c) is jointly normal. Source: Lavenberg
/// and Welch, "A perspective on the use of control variables to increase the efficiency of Monte Carlo simulations",
/// Management Science 27 (1981), section 2.
struct ControlledMean {
  Estimate plain{}, controlled{};  ///< not controlled with fewer than q + 3 numbers
  double r2 = kNone;               ///< share of the variance that the controls explain, if there is one
  std::vector<std::size_t>
      used{};  ///< controls without those that lack a value, stand still or repeat others
};
/// values[r] and controls[j][r] of independent runs, or pairs; a value that is not finite is left out.
ControlledMean controlled_mean(const std::vector<double>& values, std::vector<std::vector<double>> controls,
                               double confidence);

/// The p-quantile of finite numbers, interpolated between order statistics (analysis::quantile), and the interval from
/// the l-th to the u-th smallest of the n numbers: l the largest with P(B < l) <= (1 - confidence)/2, u the smallest with
/// P(B >= u) <= (1 - confidence)/2, B binomial (n, p). It contains the quantile of a continuous distribution with at least
/// the confidence. No interval where n is too small for such l and u.
Estimate quantile_with_interval(std::vector<double> numbers, double p, double confidence);

/// The difference between two points, paired by repetition. A repetition uses the same random numbers at every
/// point, so that common noise cancels in the difference. In a study of antithetic pairs "number" is the mean of one.
struct Difference {
  std::size_t pairs = 0;     ///< of two finite numbers; the others are excluded
  double mean = kNone;       ///< of other[r] - reference[r]
  double low = kNone;        ///< Student's t interval of the mean, for normal differences or many of them:
  double high = kNone;       ///< mean +- t(1 - (1 - confidence)/2, pairs - 1) s/sqrt(pairs); NaN if pairs < 2
  double reduction = kNone;  ///< variance of the difference of independent runs over that of pairs
};
Difference paired_difference(const std::vector<double>& reference, const std::vector<double>& other,
                             double confidence, bool antithetic = false);

}  // namespace hearsay::analysis
