#pragma once
// Numbers estimated from the means of several points over their repetitions, with confidence intervals.
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

/// Slope b of least squares log y = a + b log x, over the pairs of two positive finite numbers; NaN unless
/// two of them have different x.
double log_log_slope(const std::vector<double>& x, const std::vector<double>& y);
/// By how large a factor (at least 1) a point lies off that line; NaN where there is no slope.
double log_log_departure(const std::vector<double>& x, const std::vector<double>& y);

/// Constants c >= 0 that minimise sum_k ((known + terms c)_k/y_k - 1)^2: non-negative least squares of
/// relative errors, by trying every set of columns (at most 8). terms: points x columns; known: points. Rows
/// that are not finite or whose y is not positive are left out; NaN if none is left.
Eigen::VectorXd fit_constants(const Eigen::MatrixXd& terms, const Eigen::VectorXd& known,
                              const std::vector<double>& y);

/// Estimates of a function of the means of several points. values[k][r]: point k, repetition r, which may be
/// drawn together with repetition r of the other points; NaN where a run is missing. Of each number that
/// `statistic` returns: its value at the means over all repetitions, and the delete-one-repetition
/// jackknife's interval, value +- t(R - 1) sqrt((R - 1)/R sum_r (value_(r) - mean)^2), R the largest number
/// of repetitions. No interval of fewer than two. Cost R + 1 calls.
std::vector<Estimate> jackknife(
    const std::vector<std::vector<double>>& values, double confidence,
    const std::function<std::vector<double>(const std::vector<double>&)>& statistic);

/// Student's interval of the mean of finite numbers.
Estimate mean_with_interval(const std::vector<double>& numbers, double confidence);

}  // namespace hearsay::analysis
